//! What holds for every feature, on compiled and on mutated modules.

use super::names::tests::snapshot;
use super::*;
use diagnostics::Snapshot;
use fastrand::Rng;
use std::ops::Range;

/// Modules as a compiler prints them.
pub(super) fn fixtures() -> [&'static str; 4] {
    [
        include_str!("../../../../tests/fixtures/compiled/sm_90.ptx"),
        include_str!("../../../../tests/fixtures/compiled/sm_52.ptx"),
        include_str!("../../../../tests/fixtures/compiled/sm_70.ptx"),
        include_str!("../../../../tests/fixtures/compiled/sm_100.ptx"),
    ]
}

/// Insertions that break the syntax.
const INSERTIONS: &[&str] = &[
    ";",
    "}",
    "{",
    "(",
    ")",
    ",",
    "[",
    "]",
    "/*",
    "*/",
    "//",
    "\"",
    "\n",
    "\r\n",
    " ",
    "\t",
    ":",
    ".",
    "@",
    "é",
    "\u{1F600}",
    "L:",
    ".reg ",
    "%r",
    "::",
    "|",
    "<",
    ">",
    "=",
    "+",
    "-",
    "!",
    ".loc 1 2 3\n",
    "# 1 \"f\"\n",
    "\\",
    ".entry k(",
    ".param .u64 p",
    "/* c */",
    "// c\n",
    "{}",
];

/// A part of a module with a few words inserted, removed or doubled.
pub(super) fn mutated(round: usize, rng: &mut Rng) -> String {
    let text = fixtures()[round % 4];
    let from = text.floor_char_boundary(rng.usize(..text.len()));
    let until = text.floor_char_boundary((from + 200 + rng.usize(..1500)).min(text.len()));
    let mut text = text[from..until].to_owned();
    for _ in 0..rng.usize(..6) {
        let at = text.floor_char_boundary(rng.usize(..=text.len()));
        let until = |text: &str, reach: usize| text.floor_char_boundary((at + reach).min(text.len())).max(at);
        match rng.usize(..3) {
            0 => text.insert_str(at, INSERTIONS[rng.usize(..INSERTIONS.len())]),
            1 => drop(text.drain(at..until(&text, rng.usize(..8)))),
            _ => {
                let again = text[at..until(&text, rng.usize(..60))].to_owned();
                text.insert_str(at, &again);
            }
        }
    }
    text
}

/// Every range that the features give for an offset.
fn ranges(snapshot: &Snapshot, offset: usize) -> Vec<Range<usize>> {
    let mut all = snapshot.references(offset, ReferenceFilter::All);
    all.extend(snapshot.highlights(offset).into_iter().map(|one| one.range));
    all.extend(snapshot.selection_ranges(offset));
    all.extend(snapshot.linked_ranges(offset));
    all.extend(snapshot.prepare_rename(offset).into_iter().map(|one| one.range));
    all.extend(snapshot.rename(offset, "fresh_name").into_iter().flatten().map(|edit| edit.range));
    all.extend(snapshot.hover(offset).into_iter().map(|one| one.range));
    all.extend(snapshot.complete_statement(offset).into_iter().map(|one| one.range));
    all.extend(snapshot.format_on_type(offset, &FormatOptions::default()).into_iter().map(|edit| edit.range));
    for found in [snapshot.definition(offset), snapshot.declaration(offset)].into_iter().flatten() {
        all.extend(found.targets.into_iter().flat_map(|place| [place.range, place.selection]));
        all.push(found.origin);
    }
    if let Some(one) = snapshot.callable(offset) {
        let calls = [snapshot.incoming_calls(&one.name), snapshot.outgoing_calls(&one.name)];
        all.extend(calls.into_iter().flatten().flat_map(|call| call.at));
        all.extend([one.range, one.selection]);
    }
    if let Some(help) = snapshot.signature_help(offset) {
        assert!(help.parameters.iter().all(|one| help.label.get(one.range.clone()).is_some()));
    }
    all
}

/// Every range that the features give for a text.
fn ranges_of_all(snapshot: &Snapshot, within: Range<usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = snapshot.folding_ranges().into_iter().map(|one| one.range).collect();
    all.extend(snapshot.document_links().into_iter().map(|one| one.range));
    all.extend(snapshot.semantic_tokens(None).into_iter().map(|one| one.range));
    all.extend(snapshot.semantic_tokens(Some(within.clone())).into_iter().map(|one| one.range));
    all.extend(snapshot.inlay_hints(within.clone(), &HintOptions::default()).into_iter().map(|one| one.at..one.at));
    all.extend(snapshot.code_actions(within.clone()).into_iter().flat_map(|one| one.edits).map(|edit| edit.range));
    all.extend(snapshot.format_range(within, &FormatOptions::default()).into_iter().map(|edit| edit.range));
    all.extend(snapshot.document_symbols().into_iter().flat_map(|one| [one.range, one.selection]));
    all
}

#[test]
fn any_place_of_any_text_is_answered_within_the_text() {
    let mut rng = Rng::with_seed(11);
    for round in 0..80 {
        let text = mutated(round, &mut rng);
        let snapshot = snapshot(&text);
        let (a, b) = (rng.usize(..text.len() + 2), rng.usize(..text.len() + 2));
        for range in ranges_of_all(&snapshot, a..b) {
            assert!(text.get(range.clone()).is_some(), "{range:?} of {text}");
        }
        for _ in 0..6 {
            let offset = rng.usize(..text.len() + 2);
            for range in ranges(&snapshot, offset) {
                assert!(text.get(range.clone()).is_some(), "{range:?} at {offset} of {text}");
            }
        }
    }
}

/// The functions of a compiled module, each from its head to the brace that closes it.
fn functions(text: &str) -> Vec<Range<usize>> {
    let starts: Vec<usize> = text.match_indices("\n.visible .entry").map(|(at, _)| at + 1).collect();
    starts.into_iter().map(|at| at..at + text[at..].find("\n}\n").unwrap() + 2).collect()
}

/// The places of a whole word, comments of the compiler apart.
fn places(text: &str, within: Range<usize>, word: &str) -> Vec<usize> {
    let word_char = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
    let whole = |at: &usize| {
        let comment = text[..*at].rsplit('\n').next().unwrap().contains("//");
        !comment
            && !text[..*at].ends_with(|c| word_char(c) || c == '.')
            && !text[at + word.len()..].starts_with(word_char)
    };
    text[within.clone()].match_indices(word).map(|(at, _)| within.start + at).filter(whole).collect()
}

#[test]
fn references_are_what_a_search_for_the_word_finds() {
    let mut asked = 0;
    for text in fixtures() {
        let snapshot = snapshot(text);
        for function in functions(text) {
            let declares = |what: &str| text[function.clone()].find(what).map(|at| function.start + at);
            for (name, range) in [
                ("%r1", ".b32 \t%r<"),
                ("%rd2", ".b64 \t%rd<"),
                ("%p1", ".pred \t%p<"),
                ("%r7", ".b32 \t%r<"),
                ("$L__BB0_2", ""),
            ] {
                let Some(first) = places(text, function.clone(), name).first().copied() else { continue };
                let mut expected = places(text, function.clone(), name);
                expected.extend(declares(range).filter(|_| !range.is_empty()).map(|at| at + range.find('%').unwrap()));
                expected.sort_unstable();
                let found: Vec<usize> =
                    snapshot.references(first + 1, ReferenceFilter::All).into_iter().map(|range| range.start).collect();
                assert_eq!(found, expected, "{name}");
                asked += 1;
            }
        }
    }
    assert!(asked > 60, "{asked}");
}

#[test]
fn renaming_back_gives_the_text_back() {
    let apply = |text: &str, edits: &[diagnostics::Edit]| {
        let mut text = text.to_owned();
        edits.iter().rev().for_each(|edit| text.replace_range(edit.range.clone(), &edit.text));
        text
    };
    let mut renamed = 0;
    for text in fixtures() {
        for what in ["counters(", "%r<", "%rd<", "$L__BB0_2:", "counters_param_0,", "_ZZ8countersE4bins["] {
            let Some(at) = text.find(what) else { continue };
            let old = what.trim_end_matches(['(', '<', ':', ',', '[']);
            let there = apply(text, &snapshot(text).rename(at, "%fresh").unwrap());
            assert!(!snapshot(&there).file.has_syntax_error() && there != *text);
            assert_eq!(apply(&there, &snapshot(&there).rename(at, old).unwrap()), text, "{what}");
            renamed += 1;
        }
    }
    assert!(renamed >= 20, "{renamed}");
}

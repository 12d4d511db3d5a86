//! All requests on a text in any language, and properties of every answer.

use diagnostics::{Diagnostic, Edit, Preset, Settings};
use fastrand::Rng;
use hosts::Language;
use ide::features::{DocumentSymbol, FormatOptions, HintOptions, ReferenceFilter};
use ide::{Ide, LintText, Text};
use std::ops::Range;
use syntax::Rope;

/// How many of a kind are looked at in each text, so that an input costs little; the next input has others.
const FEW: usize = 2;

/// Settings that an input chooses with a byte: of rules, and of targets.
pub fn settings(choice: u8) -> Settings {
    let preset = [Preset::All, Preset::Strict, Preset::Recommended, Preset::All][usize::from(choice & 3)];
    let targets: &[&str] = [&[][..], &["sm_90a"], &["sm_60", "sm_100a"], &["sm_52"]][usize::from(choice >> 2 & 3)];
    let settings = Settings { preset: Some(preset), ..Settings::default() };
    settings.for_targets(targets.iter().copied()).expect("these targets are known")
}

/// Asks everything.
pub fn everything(language: Language, text: &str, settings: &Settings) {
    let whole = Text::parse(language, text);
    assert_eq!(whole.rope().to_string(), text, "a text is kept as it is");
    let source = whole.under(settings.clone());
    let found = source.diagnostics();
    for finding in &found {
        check(source.rope(), finding);
    }
    assert!(found.is_sorted_by(|a, b| a.order(b).is_le()), "findings are in order: {found:#?}");
    let lint_parsed = LintText::parse(language, text).under(settings.clone()).diagnostics();
    assert_eq!(lint_parsed, found, "the lint parse finds the same");
    for suppressed in source.suppressed() {
        check(source.rope(), &suppressed.diagnostic);
    }
    for fix in found.iter().flat_map(|finding| &finding.fixes).take(FEW) {
        Text::parse(language, &applied(text, &fix.edits)).under(settings.clone()).diagnostics();
    }
    about_the_whole(&*source, text, language);
    for at in places(text, &found) {
        about_a_place(&*source, at);
    }
}

fn check(rope: &Rope, finding: &Diagnostic) {
    inside(rope, &finding.range);
    assert!(!finding.message().is_empty() && !finding.message().ends_with('.'), "{finding:?}");
    for related in &finding.related {
        inside(rope, &related.range);
    }
    for fix in &finding.fixes {
        assert!(!fix.title.is_empty());
        apart(rope, &fix.edits);
    }
}

/// A range is inside the text and on character boundaries.
fn inside(rope: &Rope, range: &Range<usize>) {
    assert!(range.start <= range.end && range.end <= rope.len_bytes(), "{range:?} of {}", rope.len_bytes());
    for end in [range.start, range.end] {
        assert_eq!(rope.char_to_byte(rope.byte_to_char(end)), end, "{range:?} cuts a character");
    }
}

/// Edits lie in the text, in order, and do not touch the same bytes.
fn apart(rope: &Rope, edits: &[Edit]) {
    edits.iter().for_each(|edit| inside(rope, &edit.range));
    assert!(edits.windows(2).all(|two| two[0].range.end <= two[1].range.start), "{edits:?} overlap");
}

/// A text after edits that are apart.
fn applied(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.text);
    }
    text
}

/// The end of the text, the start of a diagnostic, and random offsets, also inside characters; the same for the same text.
fn places(text: &str, found: &[Diagnostic]) -> Vec<usize> {
    let mut places: Vec<usize> = found.iter().take(1).map(|diagnostic| diagnostic.range.start).collect();
    let mut rng = Rng::with_seed(text.bytes().fold(0, |seed: u64, byte| seed.rotate_left(5) ^ u64::from(byte)));
    while places.len() <= FEW {
        places.push(rng.usize(..=text.len()));
    }
    places.push(text.len());
    places
}

fn about_the_whole(source: &dyn Ide, text: &str, language: Language) {
    let rope = source.rope();
    let all = 0..text.len();
    let tokens = source.semantic_tokens(None);
    tokens.iter().for_each(|token| inside(rope, &token.range));
    assert!(tokens.windows(2).all(|two| two[0].range.end <= two[1].range.start), "colours are apart: {tokens:?}");
    source.inlay_hints(all.clone(), &HintOptions::default());
    source.evaluation_hints(all.clone());
    for lens in source.evaluation_lenses().into_iter().take(FEW) {
        inside(rope, &lens.range);
        for input in lens.inputs.iter().take(FEW) {
            let answer = source.evaluate_here(lens.range.start, input);
            assert!(answer.is_ok(), "what is offered can be evaluated: {input}: {answer:?}");
        }
    }
    source.code_actions(all).iter().for_each(|action| apart(rope, &action.edits));
    source.folding_ranges().iter().for_each(|fold| inside(rope, &fold.range));
    source.document_links();
    symbols(rope, &source.document_symbols());

    let edits = source.format(&FormatOptions::default());
    apart(rope, &edits);
    let formatted = applied(text, &edits);
    let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert_eq!(ink(&formatted), ink(text), "formatting moves, and changes nothing");
    let again = Text::parse(language, &formatted).under(source.settings().clone()).format(&FormatOptions::default());
    assert_eq!(again, [], "what is formatted stays as it is: {formatted:?}");
}

fn symbols(rope: &Rope, all: &[DocumentSymbol]) {
    for symbol in all {
        inside(rope, &symbol.range);
        inside(rope, &symbol.selection);
        let holds = symbol.range.start <= symbol.selection.start && symbol.selection.end <= symbol.range.end;
        assert!(holds, "the protocol wants the name inside: {symbol:?}");
        symbols(rope, &symbol.children);
    }
}

fn about_a_place(source: &dyn Ide, at: usize) {
    let rope = source.rope();
    if let Some(hover) = source.hover(at) {
        inside(rope, &hover.range);
        assert!(!hover.markdown.is_empty() || hover.error.is_some());
    }
    source.complete(at).iter().for_each(|offer| inside(rope, &offer.range));
    source.complete_statement(at).iter().for_each(|offer| inside(rope, &offer.range));
    source.signature_help(at);
    source.definition(at);
    source.declaration(at);
    let places = source.references(at, ReferenceFilter::All);
    places.iter().for_each(|range| inside(rope, range));
    source.highlights(at);
    source.linked_ranges(at).iter().for_each(|range| inside(rope, range));
    if let Ok(edits) = source.rename(at, "other_name") {
        apart(rope, &edits);
    }
    if let Some(function) = source.callable(at) {
        source.incoming_calls(&function.name);
        source.outgoing_calls(&function.name);
    }
    let near = at.saturating_sub(20)..at.saturating_add(20);
    source.semantic_tokens(Some(near.clone()));
    source.inlay_hints(near.clone(), &HintOptions::default());
    source.code_actions(near.clone()).iter().for_each(|action| apart(rope, &action.edits));
    apart(rope, &source.format_range(near, &FormatOptions { tabs: false, width: 2 }));
    apart(rope, &source.format_on_type(at, &FormatOptions::default()));
    let _ = source.evaluate_here(at, "mem=1 b=2");
    let around = source.selection_ranges(at);
    assert_eq!(around.last(), Some(&(0..rope.len_bytes())), "the whole text is around every place");
    for two in around.windows(2) {
        assert!(two[1].start <= two[0].start && two[0].end <= two[1].end, "{around:?} grow");
    }
}

//! Instructions with one unknown modifier: they are checked with each word that it can be, and what all of them have in common is reported.

use crate::Checker;
use crate::inline_asm::HostSource;
use crate::inline_asm::targets::snapshot;
use diagnostics::registry::{CONFLICTING_MODIFIERS, DUPLICATE_MODIFIER};
use diagnostics::{Diagnostic, Snapshot, Subject, TargetSource};
use hosts::inline_asm::{AsmFragment, WordHole};
use isa::{Module, Spelling};
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::SourceFile;

/// The maximum number of opcodes of a statement that are checked so.
const MOST_HOLES: usize = 8;

/// The maximum number of words that are tried: with more, all but nothing is known of the instruction.
const MOST_WORDS: usize = 48;

/// An opcode with an unknown word.
struct OpenOpcode<'a> {
    hole: &'a WordHole,
    /// The words before and after the unknown one; the mnemonic is the first.
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    /// The range in which something may be reported.
    range: Range<usize>,
}

/// The diagnostics of the opcodes of a fragment with an unknown word, on the text of its template. `None` if the check is cancelled.
pub(super) fn check(fragment: &AsmFragment, source: &HostSource) -> Option<Vec<Diagnostic>> {
    let mut found = Vec::new();
    for hole in fragment.template.holes.iter().take(MOST_HOLES) {
        let Some(opcode) = open_opcode(fragment, hole) else { continue };
        let words = words(&opcode);
        let legal: Vec<&str> = words.iter().copied().filter(|word| opcode.is_legal(&[*word])).collect();
        let of_word = |word: &&str| diagnostics(fragment, source, &opcode, word);
        if legal.len() > MOST_WORDS {
            continue;
        }
        if legal.is_empty() {
            let is_known = words.len() <= 2 * MOST_WORDS && !opcode.is_legal_with_two(&words);
            let lists: Option<Vec<Vec<Diagnostic>>> = words.iter().filter(|_| is_known).map(of_word).collect();
            found.extend(most_frequent(&lists?));
        } else if hole.is_inside {
            let lists: Option<Vec<Vec<Diagnostic>>> = legal.iter().map(of_word).collect();
            found.extend(common(&lists?));
        }
    }
    Some(found)
}

/// The opcode with a hole; `None` if something else of it is unknown, too.
fn open_opcode<'a>(fragment: &'a AsmFragment, hole: &'a WordHole) -> Option<OpenOpcode<'a>> {
    let template = &fragment.template;
    let (range, _) = template.incomplete.iter().find(|(range, _)| range.start < hole.at && hole.at <= range.end)?;
    let instruction = fragment
        .instructions()
        .iter()
        .find(|instruction| instruction.opcode.start < hole.at && hole.at <= instruction.opcode.end)?;
    let split = |range: Range<usize>| template.text.get(range).map(|text| text.split('.').map(str::trim));
    let before: Vec<&str> = split(instruction.opcode.start..hole.at)?.collect();
    let after: Vec<&str> = split(hole.at..instruction.opcode.end)?.filter(|word| !word.is_empty()).collect();
    Some(OpenOpcode { hole, before, after, range: range.clone() })
}

impl OpenOpcode<'_> {
    /// Whether the opcode is legal with words in place of the unknown one, somewhere.
    fn is_legal(&self, words: &[&str]) -> bool {
        let all: Vec<&str> = self.before.iter().chain(words).chain(&self.after).copied().collect();
        let Some((mnemonic, modifiers)) = all.split_first() else { return false };
        isa::is_legal(&Spelling { mnemonic, modifiers }, &Module::default()).unwrap_or(true)
    }

    /// Whether the opcode is legal with two words: text that is replaced may be more than one.
    fn is_legal_with_two(&self, words: &[&str]) -> bool {
        words.iter().any(|first| words.iter().any(|second| self.is_legal(&[*first, *second])))
    }
}

/// The words that may follow those before the unknown one, as far as the known letters allow them.
fn words(opcode: &OpenOpcode) -> Vec<&'static str> {
    let Some((mnemonic, modifiers)) = opcode.before.split_first() else { return Vec::new() };
    let following = isa::complete(&Spelling { mnemonic, modifiers }, &Module::default());
    let WordHole { prefix, suffix, .. } = opcode.hole;
    let fits = |word: &&str| word.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.ends_with(suffix.as_str()));
    let words: BTreeSet<&str> = following.iter().map(|candidate| candidate.word).filter(fits).collect();
    words.into_iter().collect()
}

/// The diagnostics of the instruction with a word, on the text without it.
fn diagnostics(
    fragment: &AsmFragment,
    source: &HostSource,
    opcode: &OpenOpcode,
    word: &str,
) -> Option<Vec<Diagnostic>> {
    let (template, at) = (&fragment.template, opcode.hole.at);
    let added = format!(".{word}");
    let text = format!("{}{added}{}", &template.text[..at], &template.text[at..]);
    let settings = snapshot(fragment, &source.settings, None).settings;
    let snapshot = Snapshot::fragment(SourceFile::parse(&text), settings);
    let found = Checker::embedded().check_one(&snapshot.for_lint(), &|| false)?;
    let without = |range: &Range<usize>| {
        let shift = |place: usize| if place >= at + added.len() { place - added.len() } else { place };
        let is_apart = range.end <= at || range.start >= at + added.len();
        is_apart.then(|| shift(range.start)..shift(range.end))
    };
    let has_unknown_operands = !opcode.hole.is_inside || template.text[opcode.range.clone()].contains("__hole");
    let kept = found.into_iter().filter_map(|diagnostic| {
        let range = without(&diagnostic.range)?;
        let is_inside = opcode.range.start <= range.start && range.end <= opcode.range.end;
        let is_known = match diagnostic.rule.subject {
            Subject::Syntax | Subject::Module | Subject::Launch => false,
            Subject::Operands => !has_unknown_operands,
            Subject::Name | Subject::Modifier | Subject::Modifiers | Subject::Instruction => true,
        };
        let related = Vec::new();
        (is_inside && is_known).then(|| Diagnostic { range, related, fixes: Vec::new(), ..diagnostic })
    });
    Some(kept.collect())
}

/// The diagnostics that all lists have.
fn common(lists: &[Vec<Diagnostic>]) -> Vec<Diagnostic> {
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    let is_in = |list: &Vec<Diagnostic>, one: &Diagnostic| list.iter().any(|other| is_same(other, one));
    first.iter().filter(|one| others.iter().all(|list| is_in(list, one))).cloned().collect()
}

/// The diagnostic that most lists have: no word makes the instruction legal.
fn most_frequent(lists: &[Vec<Diagnostic>]) -> Option<Diagnostic> {
    // Words that exclude another one tell nothing of the others.
    let is_apart = |list: &&Vec<Diagnostic>| {
        !list.iter().any(|one| *one.rule == CONFLICTING_MODIFIERS || *one.rule == DUPLICATE_MODIFIER)
    };
    let apart: Vec<&Vec<Diagnostic>> = lists.iter().filter(is_apart).collect();
    let lists = if apart.is_empty() { lists.iter().collect() } else { apart };
    let count = |one: &Diagnostic| lists.iter().filter(|list| list.iter().any(|other| is_same(other, one))).count();
    // Of several, the last one is taken, so the order is turned.
    lists.iter().copied().flatten().rev().max_by_key(|one| count(one)).cloned()
}

fn is_same(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.rule == b.rule && a.range == b.range
}

/// A diagnostic on the text of the template, on the host text.
pub(super) fn to_host(fragment: &AsmFragment, diagnostic: &Diagnostic) -> Option<Diagnostic> {
    let found = crate::inline_asm::translate::diagnostic(fragment, diagnostic, diagnostic.range.clone())?;
    let found = found.in_asm_statement(TargetSource::Build);
    Some(Diagnostic { fixes: Vec::new(), ..found })
}

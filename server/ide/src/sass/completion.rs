//! Completion of opcodes in a listing.

use crate::{OpcodeCompletion, OpcodeCompletionKind};
use isa::sass::{self, SassCandidate, SassContext};
use lints::sass::{Disassembly, dialect};

/// The maximum length of an opcode, in characters.
const LONGEST: usize = 128;

/// The completions at a byte offset, best first.
pub(super) fn complete(source: &Disassembly, offset: usize) -> Vec<OpcodeCompletion> {
    let offset = source.listing.clamp(offset);
    let Some(typed) = opcode_before(source, offset) else { return Vec::new() };
    let mut words = typed.split('.');
    let mnemonic = words.next().unwrap_or_default();
    let mut words: Vec<&str> = words.collect();
    let last = words.pop();
    let instruction = source.listing.instruction_at(offset);
    let dialect = instruction.and_then(|instruction| dialect(&instruction));
    let given = SassContext { dialect, target: source.target_at(offset) };
    let start = offset - last.unwrap_or(mnemonic).len();
    let candidates = match last {
        None => sass::complete("", &[], given),
        Some(_) => sass::complete(mnemonic, &words, given),
    };
    let offer = |candidate: SassCandidate| {
        let documentation = match last {
            None => sass::doc::mnemonic(&candidate.word),
            Some(_) => sass::named(mnemonic).and_then(|family| {
                let first = candidate.word.split('.').next().unwrap_or_default();
                sass::doc::modifier(family, first)
            }),
        };
        OpcodeCompletion {
            label: candidate.word.clone(),
            kind: match (last, candidate.is_size) {
                (None, _) => OpcodeCompletionKind::Mnemonic,
                (Some(_), true) => OpcodeCompletionKind::Type,
                (Some(_), false) => OpcodeCompletionKind::Modifier,
            },
            range: start..offset,
            text: candidate.word,
            detail: candidate.summary.to_owned(),
            documentation: documentation.unwrap_or_default(),
            beyond: false,
        }
    };
    candidates.into_iter().map(offer).collect()
}

/// The unfinished opcode that ends at an offset, after a guard, an address or nothing.
fn opcode_before(source: &Disassembly, offset: usize) -> Option<String> {
    let rope = source.listing.text();
    let line = rope.line_to_byte(rope.byte_to_line(offset));
    let start = source.listing.clamp(line.max(offset.saturating_sub(LONGEST)));
    let before = rope.byte_slice(start..offset).to_string();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let typed = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
    let head = before[..before.len() - typed.len()].trim_end();
    let head = head.rsplit(';').next().unwrap_or_default().trim();
    let begins =
        head.is_empty() || head.ends_with("*/") || head.ends_with('{') || head.starts_with('@') && !head.contains(' ');
    let place = head.rsplit("*/").next().unwrap_or_default().trim();
    let guarded = place.starts_with('@') && !place.contains(char::is_whitespace);
    (begins || guarded).then(|| typed.to_owned())
}

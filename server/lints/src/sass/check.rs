//! Checks a listing: syntax, opcodes and operands.

use crate::Coverage;
use crate::checker::apply_settings;
use crate::sass::{Disassembly, operands, resolve};
use diagnostics::registry::{SYNTAX_ERROR, rule_for_reason};
use diagnostics::{Diagnostic, remove, replace};
use diagnostics::{SuppressedDiagnostic, suppressions as allow};
use hosts::HEAD;
use hosts::Language;
use isa::sass::{SassReason, SassResolution};
use std::ops::Range;
use syntax::sass::{ListingEvent, SassInstruction, syntax_errors};

/// The number of instructions between two tests for cancellation.
const CANCELLATION_INTERVAL: usize = 4096;

/// All diagnostics, ordered by position, then code, and the suppressed ones; `None` if the check is cancelled.
pub(super) fn check(
    source: &Disassembly,
    coverage: &mut Coverage,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<(Vec<Diagnostic>, Vec<SuppressedDiagnostic>)> {
    *coverage = Coverage::default();
    let mut diagnostics: Vec<Diagnostic> = syntax_errors(&source.listing).into_iter().map(syntax).collect();
    let (mut target, mut instructions, mut has_known, mut is_cancelled) = (None, 0usize, false, false);
    source.listing.walk(|event| match event {
        ListingEvent::Target(number) => target = Some(number),
        ListingEvent::Instruction(_) if is_cancelled => {}
        ListingEvent::Instruction(instruction) => {
            instructions += 1;
            is_cancelled = instructions.is_multiple_of(CANCELLATION_INTERVAL) && cancelled();
            let found = resolve(&instruction, target);
            has_known |= !matches!(found, SassResolution::Unknown);
            coverage.instruction(!matches!(found, SassResolution::Unknown));
            match found {
                SassResolution::Unknown => {}
                SassResolution::Illegal(reason) => diagnostics.push(illegal(&instruction, reason)),
                SassResolution::Legal(legal) => operands::check(&instruction, &legal, &mut diagnostics),
            }
        }
    });
    if is_cancelled {
        return None;
    }
    // Style sheets have the same file extension and, in some editors, the same language id. Ignore texts without SASS.
    let head = source.listing.text().byte_slice(..source.listing.clamp(HEAD)).to_string();
    if !has_known && !Language::Sass.fits(head.as_bytes()) {
        diagnostics.clear();
        *coverage = Coverage::default();
    }
    let comments = source.listing.comments(allow::MARKER);
    Some(apply_settings(source.listing.text(), &comments, &source.settings, diagnostics))
}

fn syntax(error: syntax::SyntaxError) -> Diagnostic {
    let found = Diagnostic::new(&SYNTAX_ERROR, error.range, error.message).help(error.help);
    match error.fix {
        Some((range, text)) => found.fix(format!("Replace with `{text}`"), [replace(range, text)]),
        None => found,
    }
}

fn illegal(instruction: &SassInstruction, reason: SassReason) -> Diagnostic {
    let words = instruction.words();
    // A reason counts words from the first modifier; the range of the diagnostic includes the dots.
    let place = |words_at: &Range<usize>| match (words.get(words_at.start + 1), words.get(words_at.end)) {
        (Some(first), Some(last)) if !words_at.is_empty() => first.range.start - 1..last.range.end,
        _ => words[0].range.clone(),
    };
    let range = place(&reason.words);
    let found = Diagnostic::new(rule_for_reason(reason.code), range.clone(), reason.message).help(reason.help);
    match reason.fix.filter(|_| !reason.words.is_empty()) {
        Some(text) if text.is_empty() => found.unsafe_fix("Remove the modifier", [remove(range)]),
        Some(text) => found.fix(format!("Replace with `{text}`"), [replace(range, text)]),
        None => found,
    }
}

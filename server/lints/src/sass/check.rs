//! What is found in a listing: syntax, opcodes against the rows, operands against what the rows ask for.

use super::{Disassembly, operands, resolve};
use crate::Coverage;
use crate::checker::judged;
use diagnostics::registry::{SYNTAX_ERROR, broken};
use diagnostics::{Diagnostic, remove, replace};
use diagnostics::{SuppressedDiagnostic, suppressions as allow};
use hosts::HEAD;
use hosts::Language;
use isa::sass::{SassReason, SassResolution};
use std::ops::Range;
use syntax::sass::{ListingEvent, SassInstruction, syntax_errors};

/// How many instructions pass between two looks at whether anybody still waits.
const PATIENCE: usize = 4096;

/// All findings, ordered by position, then code, and those that comments accept; `None` as soon as nobody waits for them any more.
pub(super) fn check(
    source: &Disassembly,
    coverage: &mut Coverage,
    cancelled: &dyn Fn() -> bool,
) -> Option<(Vec<Diagnostic>, Vec<SuppressedDiagnostic>)> {
    *coverage = Coverage::default();
    let mut findings: Vec<Diagnostic> = syntax_errors(&source.listing).into_iter().map(syntax).collect();
    let (mut target, mut seen, mut known, mut abandoned) = (None, 0usize, false, false);
    source.listing.walk(|event| match event {
        ListingEvent::Target(number) => target = Some(number),
        ListingEvent::Instruction(_) if abandoned => {}
        ListingEvent::Instruction(instruction) => {
            seen += 1;
            abandoned = seen.is_multiple_of(PATIENCE) && cancelled();
            let found = resolve(&instruction, target);
            known |= !matches!(found, SassResolution::Unknown);
            coverage.instruction(!matches!(found, SassResolution::Unknown));
            match found {
                SassResolution::Unknown => {}
                SassResolution::Illegal(reason) => findings.push(illegal(&instruction, reason)),
                SassResolution::Legal(legal) => operands::check(&instruction, &legal, &mut findings),
            }
        }
    });
    if abandoned {
        return None;
    }
    // Style sheets have the same ending, and in some editors the same identifier: what holds nothing of ours is none of our business.
    let head = source.listing.text().byte_slice(..source.listing.clamp(HEAD)).to_string();
    if !known && !Language::Sass.fits(head.as_bytes()) {
        findings.clear();
        *coverage = Coverage::default();
    }
    let comments = source.listing.comments(allow::MARK);
    Some(judged(source.listing.text(), &comments, &source.settings, findings))
}

fn syntax(error: syntax::SyntaxError) -> Diagnostic {
    let found = Diagnostic::new(&SYNTAX_ERROR, error.range, error.message).help(error.help);
    match error.fix {
        Some((range, text)) => found.fix(format!("write `{text}`"), [replace(range, text)]),
        None => found,
    }
}

fn illegal(instruction: &SassInstruction, reason: SassReason) -> Diagnostic {
    let words = instruction.words();
    // The words of a reason are counted from the first modifier; a finding stands on them with their dots.
    let place = |words_at: &Range<usize>| match (words.get(words_at.start + 1), words.get(words_at.end)) {
        (Some(first), Some(last)) if !words_at.is_empty() => first.range.start - 1..last.range.end,
        _ => words[0].range.clone(),
    };
    let range = place(&reason.words);
    let found = Diagnostic::new(broken(reason.code), range.clone(), reason.message).help(reason.help);
    match reason.fix.filter(|_| !reason.words.is_empty()) {
        Some(text) if text.is_empty() => found.unsafe_fix("remove it", [remove(range)]),
        Some(text) => found.fix(format!("write `{text}`"), [replace(range, text)]),
        None => found,
    }
}

//! `evaluation-mismatch` and `evaluation-unreadable`: evaluation comments.
//!
//! Both are errors, because an expectation that is wrong or never checked must fail the build.

use diagnostics::Context;
use diagnostics::Snapshot;
use diagnostics::registry::{EVALUATION_MISMATCH, EVALUATION_UNREADABLE};
use diagnostics::{Diagnostic, replace};
use evaluation::comments::{CommentError, CommentOutcome, is_marked, item_evaluations};
use std::ops::Range;
use syntax::LintFile;

/// Checks every `//=` comment of an item.
pub(crate) fn check(
    snapshot: &Snapshot<LintFile>,
    item: Range<usize>,
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if !is_marked(&snapshot.file, item.clone()) {
        return;
    }
    for evaluated in item_evaluations(&snapshot.whole(), item, &context.module) {
        match evaluated.outcome {
            Ok(outcome) => diagnostics.extend(mismatches(outcome)),
            Err(error) => diagnostics.push(unreadable(error)),
        }
    }
}

fn mismatches(outcome: CommentOutcome) -> impl Iterator<Item = Diagnostic> {
    let notes = outcome.notes.join("; ");
    outcome.mismatches.into_iter().map(move |mismatch| {
        let help = match notes.as_str() {
            "" => format!("expected `{}`; update the expectation or fix the code", mismatch.truth),
            notes => format!("expected `{}`; update the expectation or fix the code: {notes}", mismatch.truth),
        };
        Diagnostic::new(&EVALUATION_MISMATCH, mismatch.range.clone(), mismatch.message)
            .help(help)
            .fix(format!("Replace with `{}`", mismatch.truth), [replace(mismatch.range, mismatch.truth)])
    })
}

fn unreadable(error: CommentError) -> Diagnostic {
    Diagnostic::new(&EVALUATION_UNREADABLE, error.range, error.message).help(error.help)
}

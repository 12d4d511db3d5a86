//! Evaluation comments that state a wrong value, or that cannot be read.
//!
//! Both are errors: whoever writes an expectation wants a build to stop when it is false or was never checked.

use diagnostics::Context;
use diagnostics::Snapshot;
use diagnostics::registry::{EVALUATION_MISMATCH, EVALUATION_UNREADABLE};
use diagnostics::{Diagnostic, replace};
use evaluation::comments::{CommentError, CommentOutcome, is_marked, item_evaluations};
use std::ops::Range;
use syntax::LintFile;

/// Evaluates every `//=` comment of an item and reports what is wrong with it.
pub(crate) fn check(
    snapshot: &Snapshot<LintFile>,
    item: Range<usize>,
    context: &Context,
    findings: &mut Vec<Diagnostic>,
) {
    if !is_marked(&snapshot.file, item.clone()) {
        return;
    }
    for evaluated in item_evaluations(&snapshot.whole(), item, &context.module) {
        match evaluated.outcome {
            Ok(outcome) => findings.extend(mismatches(outcome)),
            Err(error) => findings.push(unreadable(error)),
        }
    }
}

fn mismatches(outcome: CommentOutcome) -> impl Iterator<Item = Diagnostic> {
    let notes = outcome.notes.join("; ");
    outcome.mismatches.into_iter().map(move |mismatch| {
        let help = match notes.as_str() {
            "" => format!("write `{}`, or mend the code", mismatch.truth),
            notes => format!("write `{}`, or mend the code: {notes}", mismatch.truth),
        };
        Diagnostic::new(&EVALUATION_MISMATCH, mismatch.range.clone(), mismatch.message)
            .help(help)
            .fix(format!("write `{}`", mismatch.truth), [replace(mismatch.range, mismatch.truth)])
    })
}

fn unreadable(error: CommentError) -> Diagnostic {
    Diagnostic::new(&EVALUATION_UNREADABLE, error.range, error.message).help(error.help)
}

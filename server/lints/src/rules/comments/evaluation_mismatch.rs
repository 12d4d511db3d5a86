//! `evaluation-mismatch` and `evaluation-unreadable`: evaluation comments.
//!
//! Both are errors, because an expectation that is wrong or never checked must fail the build.

use diagnostics::Context;
use diagnostics::Snapshot;
use diagnostics::registry::{EVALUATION_MISMATCH, EVALUATION_UNREADABLE};
use diagnostics::{Diagnostic, replace};
use evaluation::comments::{CommentError, CommentOutcome, Evaluated, evaluations, is_marked, item_evaluations};
use evaluation::launches::{LAUNCH_CACHE, evaluations_from_runs, written_launches};
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::LintFile;

/// Checks every `//=` comment of an item. Returns whether some have no values: the module is needed for those of its launches.
pub(crate) fn check(
    snapshot: &Snapshot<LintFile>,
    item: Range<usize>,
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    if !is_marked(&snapshot.file, item.clone()) {
        return false;
    }
    let mut lacks_values = false;
    for evaluated in item_evaluations(&snapshot.whole(), item, &context.module) {
        if evaluated.lacks_values && !snapshot.fragment {
            lacks_values = true;
        } else {
            report(evaluated, diagnostics);
        }
    }
    lacks_values
}

/// Whether the launches of a module run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleState {
    /// They do.
    Runs,
    /// The module has an error, so that none runs.
    HasErrors,
}

/// Checks the comments of a module without values, which take them from its launches.
pub(crate) fn check_with_launches(
    snapshot: &Snapshot<LintFile>,
    context: &Context,
    state: ModuleState,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let whole = snapshot.whole();
    let mut open = evaluations(&whole, 0..whole.file.text().len_bytes());
    open.retain(|evaluated| evaluated.lacks_values);
    let launches = || written_launches(&whole.file.text().to_string()).0;
    if open.is_empty() || state == ModuleState::HasErrors && !launches().is_empty() {
        return;
    }
    let ranges: Vec<Range<usize>> = open.iter().map(|evaluated| evaluated.range.clone()).collect();
    let found = evaluations_from_runs(&whole.file, context.module, &ranges, &LAUNCH_CACHE);
    let answered: BTreeSet<usize> = found.iter().map(|evaluated| evaluated.range.start).collect();
    open.retain(|evaluated| !answered.contains(&evaluated.range.start));
    for mut evaluated in open {
        if let Err(error) = &mut evaluated.outcome {
            error.help.push_str(", or run its kernel with `//! run`");
        }
        report(evaluated, diagnostics);
    }
    found.into_iter().for_each(|evaluated| report(evaluated, diagnostics));
}

fn report(evaluated: Evaluated, diagnostics: &mut Vec<Diagnostic>) {
    match evaluated.outcome {
        Ok(outcome) => diagnostics.extend(mismatches(outcome)),
        Err(error) => diagnostics.push(unreadable(error)),
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

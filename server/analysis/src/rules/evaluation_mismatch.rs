//! Evaluation comments that state a wrong value, or that cannot be read.
//!
//! Both are errors: whoever writes an expectation wants a build to stop when it is false or was never checked.

use super::rule;
use crate::features::evaluation::{Outcome, Unreadable, item_evaluations};
use crate::module::Context;
use crate::report::{With, finding};
use crate::{Edit, Finding, Fix, Snapshot};
use std::ops::Range;

/// Evaluates every `//=` comment of an item and reports what is wrong with it.
pub(crate) fn check(snapshot: &Snapshot, item: Range<usize>, context: &Context, findings: &mut Vec<Finding>) {
    for evaluated in item_evaluations(snapshot, item, &context.module) {
        match evaluated.outcome {
            Ok(outcome) => findings.extend(mismatches(outcome)),
            Err(error) => findings.push(unreadable(error)),
        }
    }
}

fn mismatches(outcome: Outcome) -> impl Iterator<Item = Finding> {
    let rule = rule("evaluation-mismatch").expect("the rule is registered");
    let notes = outcome.notes.join("; ");
    outcome.mismatches.into_iter().map(move |mismatch| Finding {
        code: rule.code,
        severity: rule.severity,
        range: mismatch.range.clone(),
        message: mismatch.message,
        help: match notes.as_str() {
            "" => format!("write `{}`, or mend the code", mismatch.truth),
            notes => format!("write `{}`, or mend the code: {notes}", mismatch.truth),
        },
        related: Vec::new(),
        fixes: vec![Fix {
            title: format!("write `{}`", mismatch.truth),
            edits: vec![Edit { range: mismatch.range, text: mismatch.truth }],
        }],
    })
}

fn unreadable(error: Unreadable) -> Finding {
    *finding("evaluation-unreadable", error.range, error.message).help(error.help)
}

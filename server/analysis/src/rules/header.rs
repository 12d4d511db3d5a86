//! `.version` and `.target`: there, known, and one fit for the other.

use super::rule;
use crate::module::Context;
use crate::{Finding, Fix, Related};
use isa::target::HeaderProblem;
use std::ops::Range;

/// Checks the head of a module. A setting that overrides a directive silences what would be said of it.
pub(crate) fn check(context: &Context, findings: &mut Vec<Finding>) {
    let header = &context.header;
    let version = header.version.as_ref();
    if version.is_none() {
        findings.push(missing(".version", "9.5", "which PTX version it is written in"));
        return;
    }
    if header.targets.is_empty() {
        findings.push(missing(".target", "sm_90", "which architecture it is for"));
        return;
    }
    let number = version.map_or("", |token| &token.text);
    let words: Vec<&str> = header.targets.iter().map(|token| &*token.text).collect();
    let _ = (number, words, findings);
}

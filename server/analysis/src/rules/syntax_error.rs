//! Text that is no PTX.

use crate::report::{With, finding};
use crate::{Edit, Finding, Fix};
use std::ops::Range;
use syntax::{SourceFile, syntax_errors};

/// Reports every place that the parser could not make sense of.
pub(crate) fn check(file: &SourceFile, findings: &mut Vec<Finding>) {
    if !file.has_syntax_error() {
        return;
    }
    findings.extend(syntax_errors(file).into_iter().map(|error| Finding {
        fixes: error.fix.into_iter().map(|(range, text)| fix(range, text)).collect(),
        ..*finding("syntax-error", error.range, error.message).help(error.help)
    }));
}

fn fix(range: Range<usize>, text: String) -> Fix {
    let title = match text.as_str() {
        "" => "remove it".to_owned(),
        text => format!("write `{text}`"),
    };
    Fix { title, edits: vec![Edit { range, text }] }
}

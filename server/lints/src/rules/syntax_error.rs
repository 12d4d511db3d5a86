//! Text that is no PTX.

use diagnostics::registry::SYNTAX_ERROR;
use diagnostics::{Diagnostic, remove, replace};
use syntax::{LintFile, SyntaxError, syntax_errors};

/// Reports every place that the parser could not make sense of.
pub(crate) fn check(file: &LintFile, findings: &mut Vec<Diagnostic>) {
    if !file.has_syntax_error() {
        return;
    }
    findings.extend(syntax_errors(file).into_iter().map(|error| diagnostic(file, error)));
}

fn diagnostic(file: &LintFile, error: SyntaxError) -> Diagnostic {
    let found = Diagnostic::new(&SYNTAX_ERROR, error.range, error.message).help(error.help);
    match error.fix {
        // Nobody means a byte order mark.
        Some((range, _)) if file.text().byte_slice(range.clone()) == "\u{feff}" => {
            found.fix("remove it", [remove(range)])
        }
        Some((range, text)) if text.is_empty() => found.unsafe_fix("remove it", [remove(range)]),
        Some((range, text)) => found.fix(format!("write `{text}`"), [replace(range, text)]),
        None => found,
    }
}

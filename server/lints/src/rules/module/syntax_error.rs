//! `syntax-error`: text that cannot be parsed.

use diagnostics::registry::SYNTAX_ERROR;
use diagnostics::{Diagnostic, remove, replace};
use syntax::{LintFile, SyntaxError, syntax_errors};

/// Reports every syntax error.
pub(crate) fn check(file: &LintFile, diagnostics: &mut Vec<Diagnostic>) {
    if !file.has_syntax_error() {
        return;
    }
    diagnostics.extend(syntax_errors(file).into_iter().map(|error| diagnostic(file, error)));
}

fn diagnostic(file: &LintFile, error: SyntaxError) -> Diagnostic {
    let found = Diagnostic::new(&SYNTAX_ERROR, error.range, error.message).help(error.help);
    match error.fix {
        // Removing a byte order mark is always safe.
        Some((range, _)) if file.text().byte_slice(range.clone()) == "\u{feff}" => {
            found.fix("Remove the byte order mark", [remove(range)])
        }
        Some((range, text)) if text.is_empty() => found.unsafe_fix("Remove the unexpected text", [remove(range)]),
        Some((range, text)) => found.fix(format!("Replace with `{text}`"), [replace(range, text)]),
        None => found,
    }
}

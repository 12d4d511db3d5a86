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
    let is_missing = error.range.is_empty();
    let found = Diagnostic::new(&SYNTAX_ERROR, error.range, error.message).help(error.help);
    match error.fix {
        // Removing a byte order mark is always safe.
        Some((range, _)) if file.text().byte_slice(range.clone()) == "\u{feff}" => {
            found.fix("Remove the byte order mark", [remove(range)])
        }
        Some((range, text)) if text.is_empty() => {
            let title = if is_missing { "Remove the unfinished instruction" } else { "Remove the unexpected text" };
            found.unsafe_fix(title, [remove(range)])
        }
        Some((range, text)) if range.is_empty() => found.fix(format!("Insert `{text}`"), [replace(range, text)]),
        Some((range, text)) => found.unsafe_fix(format!("Replace with `{text}`"), [replace(range, text)]),
        None => found,
    }
}

//! The diagnostic for an undeclared name.

use diagnostics::Diagnostic;
use diagnostics::registry::UNKNOWN_NAME;
use std::ops::Range;
use syntax::Token;

/// The diagnostic for a name that is not declared anywhere; the caller adds how to declare it.
pub fn undeclared_name(name: &Token) -> Diagnostic {
    Diagnostic::new(&UNKNOWN_NAME, name.range.clone(), format!("undeclared name `{}`", name.text))
}

/// The diagnostic for a name that is declared after its use.
pub fn declared_later(name: &Token, declaration: Range<usize>) -> Diagnostic {
    undeclared_name(name)
        .help(format!("declare `{}` before this instruction", name.text))
        .related(declaration, "declared here, after its use")
}

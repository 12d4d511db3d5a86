//! Code around inline assembly that is not read, so that its statements are not checked.

use diagnostics::Diagnostic;
use diagnostics::registry::SYNTAX_ERROR;
use hosts::inline_asm::{UnreadCode, UnreadReason};

/// The diagnostic of code that is not read.
pub(super) fn diagnostic(code: &UnreadCode) -> Diagnostic {
    let (message, help) = match code.reason {
        UnreadReason::Blocks => ("too many levels of indentation", "nest fewer blocks; Python allows 99"),
        UnreadReason::Brackets => ("too many nested brackets", "nest fewer brackets; Python allows 200"),
        UnreadReason::Depth => {
            ("expression is nested too deeply", "split the expression; at most 3,000 levels are read")
        }
        UnreadReason::Widths => ("too many different indentations", "indent lines alike; at most 380 widths are read"),
        UnreadReason::Steps => ("too many syntax errors", "fix the syntax errors, or exclude the file in the settings"),
    };
    Diagnostic::new(
        &SYNTAX_ERROR,
        code.range.clone(),
        format!("{message}; inline assembly of this text is not checked"),
    )
    .help(help)
}

//! Braces that a template opens and does not close, or the other way round, where no other statement can.

use diagnostics::Diagnostic;
use diagnostics::registry::SYNTAX_ERROR;
use hosts::inline_asm::AsmFragment;

/// Checks the braces of a call in Python. In C++ and LLVM IR, another statement may have the other brace.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let (statement, template) = (fragment.statement, &fragment.template);
    let is_call = statement.elementwise || statement.values.is_some();
    let is_whole = statement.groups.is_empty() && !template.has_placeholder && template.incomplete.is_empty();
    if !is_call || !is_whole || !template.unknown.is_empty() {
        return;
    }
    let body = &template.text[template.body.clone()];
    let Some(brace) = unmatched(body) else { return };
    let start = template.body.start + brace;
    let Some(at) = template.region.to_host(&(start..start + 1)) else { return };
    let written = &body[brace..=brace];
    let help = if written == "{" {
        "close the block with `}` at the end of the template"
    } else {
        "remove it, or open the block with `{` at the start of the template"
    };
    diagnostics.push(Diagnostic::new(&SYNTAX_ERROR, at, format!("unmatched `{written}`")).help(help));
}

/// The offset of the first brace without another; `None` if there is a comment, whose braces do not count.
fn unmatched(text: &str) -> Option<usize> {
    if text.contains("//") || text.contains("/*") {
        return None;
    }
    let mut open = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' if open.pop().is_none() => return Some(at),
            _ => {}
        }
    }
    open.first().copied()
}

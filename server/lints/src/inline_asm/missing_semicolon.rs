//! Statements whose last instruction has no `;`. The compiler inserts none, so the instruction continues in the text that follows.

use diagnostics::registry::SYNTAX_ERROR;
use diagnostics::{Diagnostic, Edit};
use hosts::inline_asm::{AsmFragment, AsmStatement};

/// Checks the end of a statement. `next` is the next statement in the host text.
pub(super) fn check(fragment: &AsmFragment, next: Option<&AsmStatement>, diagnostics: &mut Vec<Diagnostic>) {
    let template = &fragment.template;
    let Some(at) = template.unterminated.filter(|_| !next.is_some_and(|next| goes_on(fragment.host, next))) else {
        return;
    };
    let Some((last, _)) = template.text[..at].char_indices().next_back() else { return };
    let Some(range) = template.region.to_host(&(last..at)) else { return };
    let edit = template.edit(&(at..at), ";").map(|(range, text)| Edit { range, text });
    diagnostics.push(
        Diagnostic::new(&SYNTAX_ERROR, range, "expected `;` after the instruction")
            .help("add `;` to the template: the compiler does not insert it")
            .fix("Insert `;`", edit),
    );
}

/// Whether a statement may continue an instruction that the previous one started.
fn goes_on(host: &str, statement: &AsmStatement) -> bool {
    let first = statement.template.first();
    let Some(literal) = first.and_then(|part| part.literal.as_ref()) else { return first.is_some() };
    let text = host[literal.inner.clone()].trim_start();
    !text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '@' | '{' | '}' | '/'))
}

//! A statement whose last instruction has no `;`: the compiler puts none behind it, so the assembler reads on in what follows.

use diagnostics::registry::SYNTAX_ERROR;
use diagnostics::{Diagnostic, Edit};
use hosts::cpp::AsmFragment;
use hosts::cpp::AsmStatement;

/// Checks the end of a statement, given the one that follows in the host text.
pub(super) fn check(embedded: &AsmFragment, next: Option<&AsmStatement>, findings: &mut Vec<Diagnostic>) {
    let template = &embedded.template;
    let Some(at) = template.unterminated.filter(|_| !next.is_some_and(|next| goes_on(embedded.host, next))) else {
        return;
    };
    let Some((last, _)) = template.text[..at].char_indices().next_back() else { return };
    let Some(range) = template.region.to_host(&(last..at)) else { return };
    let edit = template.edit(&(at..at), ";").map(|(range, text)| Edit { range, text });
    findings.push(
        Diagnostic::new(&SYNTAX_ERROR, range, "expected `;` after this instruction")
            .help("nvcc adds none: write it in the string")
            .fix("write `;`", edit),
    );
}

/// Whether a statement may go on with an instruction that another began.
fn goes_on(host: &str, statement: &AsmStatement) -> bool {
    let first = statement.template.first();
    let Some(literal) = first.and_then(|part| part.literal.as_ref()) else { return first.is_some() };
    let text = host[literal.inner.clone()].trim_start();
    !text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '@' | '{' | '}' | '/'))
}

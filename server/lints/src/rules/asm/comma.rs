//! `asm-missing-comma`: operands without a comma between them.

use diagnostics::registry::ASM_MISSING_COMMA;
use diagnostics::{Diagnostic, insert};
use hosts::inline_asm::AsmFragment;

/// Checks that commas separate the operands.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    for start in &fragment.statement.missing_commas {
        let before = fragment.host[..*start].trim_end().len();
        let Some((last, _)) = fragment.host[..before].char_indices().next_back() else { continue };
        diagnostics.push(
            Diagnostic::new(&ASM_MISSING_COMMA, last..before, "missing `,` between operands")
                .help("write `,`: nvcc accepts the statement, clang rejects it")
                .fix("Insert `,`", [insert(before, ",")]),
        );
    }
}

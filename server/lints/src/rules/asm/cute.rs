//! Checks the operands of CuTe DSL's `inline_ptx`.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_OPERAND_NUMBER;
use hosts::inline_asm::AsmFragment;

/// Checks that every operand of the template is in a list.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    if fragment.statement.open {
        return;
    }
    for (range, _) in fragment.template.uses.iter().filter(|(_, number)| *number >= fragment.operands.len()) {
        let written = fragment.host.get(range.clone()).unwrap_or_default();
        let list = match written.trim_start_matches(['{', '$']) {
            name if name.starts_with("rw") => "read_write_args",
            name if name.starts_with('w') => "write_only_types",
            _ => "read_only_args",
        };
        let message = format!("unknown operand `{written}`");
        let help = format!("add it to `{list}`, or use an existing operand");
        diagnostics.push(Diagnostic::new(&ASM_OPERAND_NUMBER, range.clone(), message).help(help));
    }
}

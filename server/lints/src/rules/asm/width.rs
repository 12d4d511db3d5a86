//! `asm-operand-width`: values that are wider than their registers.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_OPERAND_WIDTH;
use hosts::inline_asm::AsmFragment;

/// Checks the constraints of operands whose types are known.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    for operand in &fragment.operands {
        let register = match operand.register {
            Some(".b16") => 16,
            Some(".b32") => 32,
            _ => continue,
        };
        let Some(bits) = operand.bits.filter(|bits| *bits > register) else { continue };
        let letters = if bits == 64 { "`l` or `d`" } else { "`r` or `f`" };
        let Some(constraint) = &operand.constraint else { continue };
        let (value, lost) = if operand.output {
            ("the result", "the upper bits of the result are not written")
        } else {
            ("the value", "the upper bits of the value are lost")
        };
        let message = format!("constraint `{constraint}` is a {register}-bit register, but {value} has {bits} bits");
        let help = format!("write {letters} for a value of {bits} bits; {lost}");
        diagnostics.push(Diagnostic::new(&ASM_OPERAND_WIDTH, operand.constraint_at.clone(), message).help(help));
    }
}

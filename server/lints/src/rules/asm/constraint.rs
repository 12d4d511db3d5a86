//! `asm-constraint`: letters that nvcc takes for devices, and which of them are outputs.

use diagnostics::registry::ASM_CONSTRAINT;
use diagnostics::{Diagnostic, replace};
use hosts::cpp::AsmFragment;
use hosts::cpp::AsmOperand;

const LETTERS: &str = "\"h\" (16 bits), \"r\" (32), \"l\" (64), \"q\" (128), \"f\" (float), \"d\" (double), \"n\" (a constant) or \"C\" (a string)";

/// Checks the constraints.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    for operand in &embedded.operands {
        let Some(constraint) = operand.constraint.as_deref() else { continue };
        if let Some(found) = direction(operand, constraint).or_else(|| letter(operand, constraint)) {
            findings.push(found);
        }
    }
}

/// `=` or `+` at the beginning, for outputs and for them alone.
fn direction(operand: &AsmOperand, constraint: &str) -> Option<Diagnostic> {
    let marked = constraint.starts_with(['=', '+']);
    if marked == operand.output {
        return None;
    }
    let at = &operand.constraint_at;
    Some(match operand.output {
        true => {
            let message = format!("an output needs `=` or `+`, which `\"{constraint}\"` lacks");
            let help =
                format!("write \"={constraint}\" for what is only written, \"+{constraint}\" for what is read too");
            ["=", "+"].iter().fold(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message).help(help), |found, sign| {
                let text = format!("\"{sign}{constraint}\"");
                found.fix(format!("Write `{text}`"), [replace(at.clone(), text)])
            })
        }
        false => {
            let letter = constraint.trim_start_matches(['=', '+', '&']);
            let message = format!("an input is not written to, but `\"{constraint}\"` says so");
            let help = format!("write \"{letter}\", or move it to the outputs, which stand behind the first colon");
            let text = format!("\"{letter}\"");
            Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message)
                .help(help)
                .fix(format!("Write `{text}`"), [replace(at.clone(), text)])
        }
    })
}

/// One letter, of those that are known.
fn letter(operand: &AsmOperand, constraint: &str) -> Option<Diagnostic> {
    let letters = if operand.output { constraint.trim_start_matches(['=', '+', '&']) } else { constraint };
    let at = &operand.constraint_at;
    let mut each = letters.chars();
    match (each.next(), each.next()) {
        (None, _) => Some(
            Diagnostic::new(&ASM_CONSTRAINT, at.clone(), "the constraint has no letter")
                .help(format!("write {LETTERS}")),
        ),
        (Some('h' | 'r' | 'l' | 'q' | 'f' | 'd'), None) => None,
        (Some('n' | 'C'), None) if !operand.output => None,
        (Some(letter @ ('n' | 'C')), None) => {
            let message = format!("`\"{letter}\"` stands for a constant, which cannot be an output");
            Some(
                Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message)
                    .help("write the letter of a register: \"=r\", \"=l\", \"=f\" and so on"),
            )
        }
        (Some(letter), None) => {
            let message = format!("nvcc knows no constraint `\"{letter}\"` in code for devices");
            Some(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message).help(format!("write {LETTERS}")))
        }
        (Some(_), Some(_)) => {
            let message = format!("nvcc takes one letter for devices, `\"{letters}\"` has several");
            Some(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message).help(format!("write {LETTERS}")))
        }
    }
}

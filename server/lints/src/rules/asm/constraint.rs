//! `asm-constraint`: constraints that nvcc does not support in device code.

use diagnostics::registry::ASM_CONSTRAINT;
use diagnostics::{Diagnostic, replace};
use hosts::inline_asm::{AsmFragment, AsmOperand};

const LETTERS: &str = "\"h\" (16 bits), \"r\" (32), \"l\" (64), \"q\" (128), \"f\" (float), \"d\" (double), \"n\" (a constant) or \"C\" (a string)";

/// Checks the constraints.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    for operand in &fragment.operands {
        let Some(constraint) = operand.constraint.as_deref() else { continue };
        // Other compilers for devices of NVIDIA, as those of OpenCL, have constants by this name.
        if constraint == "i" && !operand.output && !is_for_nvcc(fragment) {
            continue;
        }
        if let Some(found) = direction(operand, constraint).or_else(|| letter(operand, constraint)) {
            diagnostics.push(found);
        }
    }
}

/// Whether a text is for nvcc: it has words of CUDA.
fn is_for_nvcc(fragment: &AsmFragment) -> bool {
    ["__device__", "__global__", "__CUDA"].iter().any(|word| fragment.host.contains(word))
}

/// Checks for `=` or `+`, which outputs require and inputs must not have.
fn direction(operand: &AsmOperand, constraint: &str) -> Option<Diagnostic> {
    let marked = constraint.starts_with(['=', '+']);
    if marked == operand.output {
        return None;
    }
    let at = &operand.constraint_at;
    Some(if operand.output {
        let message = format!("missing `=` or `+` in output constraint `\"{constraint}\"`");
        let help =
            format!("write \"={constraint}\" for a written operand, \"+{constraint}\" for a read and written one");
        ["=", "+"].iter().fold(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message).help(help), |found, sign| {
            let text = format!("\"{sign}{constraint}\"");
            found.fix(format!("Replace with `{text}`"), [replace(at.clone(), text)])
        })
    } else {
        let letter = constraint.trim_start_matches(['=', '+', '&']);
        let message = format!("output constraint `\"{constraint}\"` on an input");
        let help = format!("write \"{letter}\", or move the operand to the outputs, after the first colon");
        let text = format!("\"{letter}\"");
        Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message)
            .help(help)
            .fix(format!("Replace with `{text}`"), [replace(at.clone(), text)])
    })
}

/// Checks for one supported letter.
fn letter(operand: &AsmOperand, constraint: &str) -> Option<Diagnostic> {
    let letters = if operand.output { constraint.trim_start_matches(['=', '+', '&']) } else { constraint };
    let at = &operand.constraint_at;
    let mut each = letters.chars();
    match (each.next(), each.next()) {
        (None, _) => {
            Some(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), "empty constraint").help(format!("write {LETTERS}")))
        }
        (Some('h' | 'r' | 'l' | 'q' | 'f' | 'd'), None) => None,
        (Some('n' | 'C'), None) if !operand.output => None,
        (Some(letter @ ('n' | 'C')), None) => {
            let message = format!("constant constraint `\"{letter}\"` on an output");
            Some(
                Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message)
                    .help("write a register constraint, such as \"=r\", \"=l\" or \"=f\""),
            )
        }
        (Some(letter), None) => {
            let message = format!("unsupported constraint `\"{letter}\"` in device code");
            Some(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message).help(format!("write {LETTERS}")))
        }
        (Some(_), Some(_)) => {
            let message = format!("unsupported constraint `\"{letters}\"` with more than one letter in device code");
            Some(Diagnostic::new(&ASM_CONSTRAINT, at.clone(), message).help(format!("write {LETTERS}")))
        }
    }
}

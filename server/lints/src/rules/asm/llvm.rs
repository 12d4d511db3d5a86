//! Checks the operands and the template of a statement that LLVM reads.
//!
//! Its rules are not nvcc's: operands may be tied or unused, and any name may be clobbered. What it rejects was measured with LLVM 22.

use crate::rules::asm::operand_number;
use diagnostics::Diagnostic;
use diagnostics::registry::{ASM_CONSTRAINT, ASM_OPERAND_NUMBER, ASM_TEMPLATE};
use hosts::inline_asm::{AsmFragment, AsmOperand, TemplateError};

/// Checks a statement.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let is_certain = fragment.statement.groups.len() < 2;
    let mut is_right = true;
    for (number, operand) in fragment.operands.iter().enumerate() {
        let Some(constraint) = operand.constraint.as_deref() else { continue };
        if let Some((message, help)) = wrong_constraint(&fragment.operands, number, constraint) {
            diagnostics.push(Diagnostic::new(&ASM_CONSTRAINT, operand.constraint_at.clone(), message).help(help));
            is_right = false;
        }
    }
    for (range, mistake) in &fragment.template.mistakes {
        let (message, help) = wrong_template(*mistake, fragment.host.get(range.clone()).unwrap_or_default());
        diagnostics.push(Diagnostic::new(&ASM_TEMPLATE, range.clone(), message).help(help));
    }
    if fragment.statement.open || !is_certain {
        return;
    }
    diagnostics.extend(wrong_count(fragment).filter(|_| is_right));
    for (range, message) in operand_number::unknown(fragment, '$') {
        let help = "add a constraint, or use an existing operand";
        diagnostics.push(Diagnostic::new(&ASM_OPERAND_NUMBER, range, message).help(help));
    }
}

/// Values that are more or fewer than the inputs.
fn wrong_count(fragment: &AsmFragment) -> Option<Diagnostic> {
    let values = fragment.statement.values.as_ref()?;
    // An indirect output takes a value, too.
    let is_indirect = |operand: &&AsmOperand| operand.constraint.as_deref().is_none_or(|text| text.contains('*'));
    if fragment.operands.iter().any(is_indirect) {
        return None;
    }
    let inputs = fragment.operands.iter().filter(|operand| !operand.output).count();
    if values.count == inputs || values.count < inputs && !values.is_one_each {
        return None;
    }
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let message = format!("{} for {}", counted(values.count, "value"), counted(inputs, "input constraint"));
    let help = "write a constraint without `=` for each value, after those of the results";
    Some(Diagnostic::new(&ASM_CONSTRAINT, values.range.clone(), message).help(help))
}

const LETTERS: &str = "write \"h\" (16 bits), \"r\" (32), \"l\" (64), \"q\" (128), \"f\" (float), \"d\" (double), \"b\" (a predicate) or \"n\" (a constant)";
/// Letters that no constraint of NVPTX has.
const UNKNOWN: &str = "aegjktuvwxyzACGHQRSTUWYZ";

/// What is wrong with a constraint, and what to write.
fn wrong_constraint(operands: &[&AsmOperand], number: usize, constraint: &str) -> Option<(String, String)> {
    let operand = operands[number];
    if operand.output && operands[..number].iter().any(|before| !before.output) {
        let message = format!("output constraint `{constraint}` after an input");
        return Some((message, "write the outputs before the inputs".to_owned()));
    }
    if !operand.output && constraint.starts_with('&') {
        let message = format!("early clobber in input constraint `{constraint}`");
        return Some((message, "write `&` in the constraint of an output".to_owned()));
    }
    let code = constraint.trim_start_matches(['=', '+', '&', '%', '*', ' ']);
    if code.is_empty() {
        return Some(("empty constraint".to_owned(), LETTERS.to_owned()));
    }
    if let Ok(tied) = code.parse::<usize>() {
        let is_output = operands.get(tied).is_some_and(|operand| operand.output);
        return (!is_output).then(|| {
            let help = "write the number of an output: outputs are numbered from 0";
            (format!("constraint `{constraint}` does not name an output"), help.to_owned())
        });
    }
    let mut letters = code.chars();
    let letter = letters.next().filter(|letter| letters.next().is_none() && UNKNOWN.contains(*letter))?;
    Some((format!("unknown constraint `{letter}`"), LETTERS.to_owned()))
}

/// What is wrong with a sequence of a template, and what to write.
fn wrong_template(mistake: TemplateError, written: &str) -> (String, String) {
    match mistake {
        TemplateError::Modifier => {
            (format!("unknown operand modifier in `{written}`"), "write only the number of the operand".to_owned())
        }
        TemplateError::Nested => {
            ("nested alternatives in the template".to_owned(), "close `$(` with `$)` first".to_owned())
        }
        TemplateError::Braces => {
            (format!("invalid operand `{written}`"), "write `${0}` with the number of an operand".to_owned())
        }
        TemplateError::Lonely | TemplateError::Named => (
            "unexpected `$` in the template".to_owned(),
            "write `$$` for a dollar, or the number of an operand".to_owned(),
        ),
    }
}

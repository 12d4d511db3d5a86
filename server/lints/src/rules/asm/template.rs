//! `asm-template`: what nvcc does not do with `%`, and strings that it does not take.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_TEMPLATE;
use hosts::cpp::AsmFragment;
use hosts::cpp::PercentError;

/// Checks the literals.
pub(super) fn check(embedded: &AsmFragment, findings: &mut Vec<Diagnostic>) {
    for (range, mistake) in &embedded.template.mistakes {
        let written = &embedded.host[range.clone()];
        let (message, help) = match mistake {
            PercentError::Named => (
                "nvcc has no named operands in code for devices".to_owned(),
                "write the operand's number, such as `%0`".to_owned(),
            ),
            PercentError::Modifier => (
                format!("nvcc knows no modifier `{written}` of operands"),
                format!("write `%{written}` for a name of PTX, or the number alone for an operand"),
            ),
            PercentError::Lonely => {
                ("a `%` at the end of the text stands for nothing".to_owned(), "write `%%`".to_owned())
            }
        };
        findings.push(Diagnostic::new(&ASM_TEMPLATE, range.clone(), message).help(help));
    }
    for part in &embedded.statement.template {
        if part.literal.as_ref().is_some_and(|literal| !literal.narrow) {
            let message = "nvcc takes no wide string in an asm statement".to_owned();
            findings.push(
                Diagnostic::new(&ASM_TEMPLATE, part.range.clone(), message).help("take the prefix away, or write `u8`"),
            );
        }
    }
}

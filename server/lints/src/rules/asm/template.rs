//! `asm-template`: unsupported `%` sequences and wide strings.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_TEMPLATE;
use hosts::inline_asm::{AsmFragment, LiteralForm, TemplateError};

/// Checks the template.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    for (range, mistake) in &fragment.template.mistakes {
        let written = &fragment.host[range.clone()];
        let (message, help) = match mistake {
            TemplateError::Named => (
                "unsupported named operand in device code".to_owned(),
                "use the number of the operand, such as `%0`".to_owned(),
            ),
            TemplateError::Modifier => (
                format!("unknown operand modifier `{written}`"),
                format!("write `%{written}` for a PTX name, or only the number for an operand"),
            ),
            TemplateError::Lonely | TemplateError::Braces | TemplateError::Nested => {
                ("unexpected `%` at the end of the template".to_owned(), "write `%%`".to_owned())
            }
        };
        diagnostics.push(Diagnostic::new(&ASM_TEMPLATE, range.clone(), message).help(help));
    }
    for part in &fragment.statement.template {
        if part.literal.as_ref().is_some_and(|literal| matches!(literal.form, LiteralForm::Cpp { narrow: false, .. })) {
            let message = "unsupported wide string literal in an asm statement".to_owned();
            diagnostics.push(
                Diagnostic::new(&ASM_TEMPLATE, part.range.clone(), message).help("remove the prefix, or write `u8`"),
            );
        }
    }
}

//! What depends on the language of the host and on who reads the template.

use super::substitution::Substituted;
use super::template_char::TemplateChar;
use crate::inline_asm::dialect::AsmDialect;
use crate::inline_asm::literal::{LiteralForm, PartLiteral};
use crate::inline_asm::statement::AsmOperand;
use crate::{braces, cpp, escapes, llvm, python};

/// The decoded characters of a literal.
pub(super) fn decode(host: &str, literal: &PartLiteral, units: &mut Vec<TemplateChar>) {
    match literal.form {
        LiteralForm::Cpp { raw, .. } => cpp::literal::decode(host, &literal.inner, raw, units),
        LiteralForm::Python(form) => python::literal::decode(host, &literal.inner, form, units),
        LiteralForm::Escaped(style) => escapes::decode(host, &literal.inner, style, units),
        LiteralForm::Attributes => python::attribute_chains::decode(host, &literal.inner, units),
    }
}

/// Encodes a text for a literal, without quotes; `None` if it cannot be encoded.
pub(super) fn encode(text: &str, literal: &PartLiteral) -> Option<String> {
    match literal.form {
        LiteralForm::Cpp { raw, .. } => cpp::literal::encode(text, raw),
        LiteralForm::Python(form) => python::literal::encode(text, form),
        LiteralForm::Escaped(style) => escapes::encode(text, style),
        LiteralForm::Attributes => Some(python::attribute_chains::encode(text)),
    }
}

/// Replaces operands in a template.
pub(super) fn substitute(
    dialect: AsmDialect,
    units: &[TemplateChar],
    operands: &[&AsmOperand],
    host: &str,
) -> Substituted {
    match dialect {
        AsmDialect::Nvcc => cpp::percent::substitute(units, operands, host),
        AsmDialect::Llvm => llvm::substitute(units, operands),
        AsmDialect::Cute => python::cute::substitute(units, operands),
        AsmDialect::Rust => braces::substitute(units, operands, host),
        AsmDialect::Attributes => python::attribute_chains::substitute(units),
        AsmDialect::Module | AsmDialect::Excerpt => Substituted { units: units.to_vec(), ..Substituted::default() },
    }
}

/// A PTX text as a template spells it.
pub(super) fn written(dialect: AsmDialect, text: &str) -> String {
    match dialect {
        AsmDialect::Nvcc => doubled(text, '%'),
        AsmDialect::Llvm => doubled(text, '$'),
        AsmDialect::Cute => python::cute::written(text),
        AsmDialect::Rust => braces::written(text),
        AsmDialect::Attributes | AsmDialect::Module | AsmDialect::Excerpt => text.to_owned(),
    }
}

/// Doubles every sign of operands that is not followed by a number.
fn doubled(text: &str, sign: char) -> String {
    let mut written = String::with_capacity(text.len() + 4);
    for (at, c) in text.char_indices() {
        written.push(c);
        if c == sign && !text[at + 1..].starts_with(|next: char| next.is_ascii_digit()) {
            written.push(sign);
        }
    }
    written
}

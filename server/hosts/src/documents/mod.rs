//! Documents that contain texts in other languages: notebooks and Markdown.

pub(crate) mod markdown;
pub(crate) mod notebook;
#[cfg(test)]
mod tests;

use crate::inline_asm::{
    AsmStatement, EmbeddedText, LiteralEscapes, LiteralForm, LiteralSource, PartLiteral, TemplatePart,
};
use std::ops::Range;
use std::sync::Arc;

/// A piece of an embedded text, such as a line.
fn piece(inner: Range<usize>, style: LiteralEscapes) -> TemplatePart {
    let literal = PartLiteral { inner: inner.clone(), form: LiteralForm::Escaped(style), closed: true };
    TemplatePart { range: inner, literal: Some(literal), branches: Vec::new(), via: LiteralSource::Written }
}

/// The statements of an embedded text.
fn statements(
    document: &str,
    pieces: &[TemplatePart],
    scan: impl FnOnce(&str) -> Vec<AsmStatement>,
) -> Vec<AsmStatement> {
    let embedded = Arc::new(EmbeddedText::new(document, pieces));
    let inner = scan(embedded.text());
    embedded.statements(inner).collect()
}

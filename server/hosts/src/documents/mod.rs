//! Documents that contain texts in other languages: notebooks and Markdown.

pub(crate) mod markdown;
pub(crate) mod notebook;
#[cfg(test)]
mod tests;

use crate::inline_asm::{
    EmbeddedText, FoundStatements, LiteralEscapes, LiteralForm, LiteralSource, PartLiteral, TemplatePart, UnreadCode,
};
use std::ops::Range;
use std::sync::Arc;

/// A piece of an embedded text, such as a line.
fn piece(inner: Range<usize>, style: LiteralEscapes) -> TemplatePart {
    let literal = PartLiteral { inner: inner.clone(), form: LiteralForm::Escaped(style), closed: true };
    TemplatePart { range: inner, literal: Some(literal), branches: Vec::new(), via: LiteralSource::Written }
}

/// The statements of an embedded text.
fn statements<F: Into<FoundStatements>>(
    document: &str,
    pieces: &[TemplatePart],
    scan: impl FnOnce(&str) -> F,
) -> FoundStatements {
    in_document(&Arc::new(EmbeddedText::new(document, pieces)), scan)
}

/// The statements of an embedded text, with their places in the document.
fn in_document<F: Into<FoundStatements>>(
    embedded: &Arc<EmbeddedText>,
    scan: impl FnOnce(&str) -> F,
) -> FoundStatements {
    let FoundStatements { statements, unread, unread_statements } = scan(embedded.text()).into();
    let to_document = |code: UnreadCode| {
        let start = code.range.start;
        let range = embedded.to_host(&code.range).or_else(|| embedded.to_host(&(start..start)));
        UnreadCode { range: range.unwrap_or_default(), ..code }
    };
    FoundStatements {
        statements: embedded.statements(statements).collect(),
        unread: unread.into_iter().map(to_document).collect(),
        unread_statements,
    }
}

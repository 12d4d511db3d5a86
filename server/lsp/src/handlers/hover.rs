//! `textDocument/hover`.

use crate::document_snapshot::DocumentSnapshot;
use tower_lsp::ls_types as lsp;

/// What is known of the thing under the cursor.
pub fn hover(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::Hover> {
    let hover = snapshot.source.hover(snapshot.offset(position))?;
    let kind = if snapshot.features.markdown { lsp::MarkupKind::Markdown } else { lsp::MarkupKind::PlainText };
    Some(lsp::Hover {
        contents: lsp::HoverContents::Markup(lsp::MarkupContent { kind, value: hover.markdown }),
        range: Some(snapshot.range(&hover.range)),
    })
}

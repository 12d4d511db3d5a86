//! `textDocument/hover`.

use crate::document_snapshot::DocumentSnapshot;
use crate::plain_text::markup;
use tower_lsp::ls_types as lsp;

/// What is known of the thing under the cursor.
pub fn hover(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::Hover> {
    let hover = snapshot.source.hover(snapshot.offset(position))?;
    Some(lsp::Hover {
        contents: lsp::HoverContents::Markup(markup(hover.markdown, snapshot.features.markdown)),
        range: Some(snapshot.range(&hover.range)),
    })
}

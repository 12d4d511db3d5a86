//! `textDocument/hover`.

use crate::view::View;
use tower_lsp::ls_types as lsp;

/// What is known of the thing under the cursor.
pub fn hover(view: &View, position: lsp::Position) -> Option<lsp::Hover> {
    let hover = view.source.hover(view.offset(position))?;
    let kind = if view.features.markdown { lsp::MarkupKind::Markdown } else { lsp::MarkupKind::PlainText };
    Some(lsp::Hover {
        contents: lsp::HoverContents::Markup(lsp::MarkupContent { kind, value: hover.markdown }),
        range: Some(view.range(&hover.range)),
    })
}

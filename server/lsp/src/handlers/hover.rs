//! `textDocument/hover`.

use crate::document_snapshot::DocumentSnapshot;
use crate::plain_text::markup;
use tower_lsp::ls_types as lsp;

/// What is known of the thing under the cursor.
pub fn hover(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::Hover> {
    let mut hover = snapshot.source.hover(snapshot.offset(position))?;
    if let Some(topic) = &hover.page {
        hover.markdown += &page(snapshot, topic);
    }
    Some(lsp::Hover {
        contents: lsp::HoverContents::Markup(markup(&hover.markdown, snapshot.features.hover_format)),
        range: Some(snapshot.range(&hover.range)),
    })
}

/// The last line of a hover that is not all there is: a link to the page, or the command that prints it.
fn page(snapshot: &DocumentSnapshot, topic: &str) -> String {
    match &snapshot.pages {
        Some(pages) => format!("\n\n[All forms of `{topic}`]({})", pages.replace("{code}", topic)),
        None => format!("\n\nAll forms: `ptx-atomics explain {topic}`"),
    }
}

//! `textDocument/hover`.

use crate::client::plain_text::markup;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::source_lines::sources_hover;
use ide::Hover;
use tower_lsp::ls_types as lsp;

/// What is known of the thing under the cursor.
pub fn hover(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::Hover> {
    let offset = snapshot.offset(position);
    let (sources, hover) = (sources_hover(snapshot, offset), snapshot.source.hover(offset));
    let (range, sources) = sources.unzip();
    let range = hover.as_ref().map(|hover| hover.range.clone()).or(range)?;
    let hover = hover.unwrap_or(Hover { range, error: None, markdown: String::new(), page: None });
    let error = hover.error.filter(|_| !snapshot.features.diagnostics_in_hover);
    let page = hover.page.map(|topic| page(snapshot, &topic));
    let parts = [error, sources, Some(hover.markdown).filter(|text| !text.is_empty()), page];
    let markdown = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    // A client that shows the diagnostic itself may need nothing else.
    (!markdown.is_empty()).then(|| lsp::Hover {
        contents: lsp::HoverContents::Markup(markup(&markdown, snapshot.features.hover_format)),
        range: Some(snapshot.range(&hover.range)),
    })
}

/// The last line of a hover that is not all there is: a link to the page, or the command that prints it.
fn page(snapshot: &DocumentSnapshot, topic: &str) -> String {
    match &snapshot.pages {
        Some(pages) => format!("[All forms of `{topic}`]({})", pages.replace("{code}", topic)),
        None => format!("All forms: `ptx-atomics explain {topic}`"),
    }
}

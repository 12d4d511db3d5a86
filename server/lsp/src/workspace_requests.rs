//! Requests whose answer is in other documents than the one at the cursor.

use crate::handlers;
use crate::handlers::source_lines;
use crate::scheduling::work::CancelFlag;
use crate::server::Server;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;

impl Server {
    /// What is known of the thing at a position: by its document, else the PTX that was generated from its line.
    pub(crate) async fn hover_at(&self, place: lsp::TextDocumentPositionParams) -> Result<Option<lsp::Hover>> {
        let found = self.requests.at(place.clone(), handlers::hover::hover).await?;
        if found.is_some() {
            return Ok(found);
        }
        let Ok(workspace) = self.queue.workspace_snapshot().await else { return Ok(None) };
        let lsp::TextDocumentPositionParams { text_document, position } = place;
        let handler =
            move |_: &CancelFlag| source_lines::generated_hover(&workspace, text_document.uri.as_str(), position.line);
        self.requests.work(handler).await
    }

    /// The PTX that was generated from the line of a position.
    pub(crate) async fn generated_ptx(&self, place: lsp::TextDocumentPositionParams) -> Result<Vec<lsp::Location>> {
        let Ok(workspace) = self.queue.workspace_snapshot().await else { return Ok(Vec::new()) };
        let lsp::TextDocumentPositionParams { text_document, position } = place;
        let handler = move |cancel: &CancelFlag| {
            source_lines::generated(&workspace, text_document.uri.as_str(), position.line, cancel)
        };
        Ok(self.requests.work(handler).await?.unwrap_or_default())
    }
}

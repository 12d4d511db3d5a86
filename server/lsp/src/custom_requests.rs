//! The requests `ptxAtomics/…`, which are not part of the protocol.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers;
use crate::scheduling::work::CancelFlag;
use crate::server::Server;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;

impl Server {
    /// The server's text of a document.
    pub async fn view_file_text(&self, params: lsp::DocumentSymbolParams) -> Result<Option<Value>> {
        self.requests
            .on(&params.text_document.uri, |snapshot, _| {
                Some(handlers::execution::view_file_text::view_file_text(snapshot))
            })
            .await
    }

    /// The targets that override those of a document, and where they are set.
    pub async fn target(&self, params: lsp::DocumentSymbolParams) -> Result<Option<Value>> {
        self.requests.on(&params.text_document.uri, |snapshot, _| handlers::target::target(snapshot)).await
    }

    /// The executions of the litmus test at a position.
    pub async fn executions(&self, params: lsp::TextDocumentPositionParams) -> Result<Option<Value>> {
        let position = params.position;
        let handler = move |snapshot: &DocumentSnapshot, cancel: &CancelFlag| {
            handlers::execution::executions::executions(snapshot, position, cancel)
        };
        self.requests.on(&params.text_document.uri, handler).await
    }
}

//! The requests and notifications `ptxAtomics/…`, which are not part of the protocol.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers;
use crate::scheduling::event_queue::ServerEvent;
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

    /// The client's cursor has moved. What is withheld while its user types is shown once the cursor has left the statement.
    pub async fn cursor(&self, params: lsp::TextDocumentPositionParams) {
        let uri = params.text_document.uri.as_str().to_owned();
        self.queue.post(ServerEvent::Cursor { uri, position: params.position });
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

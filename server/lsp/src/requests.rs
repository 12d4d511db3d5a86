//! What a request is given: a document as it is when the request arrives, and a worker.
//!
//! Must not know what is asked.

use crate::mailbox::Mailbox;
use crate::view::View;
use crate::work::{Cancel, Workers};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types as lsp;

/// The way from a request to its handler.
pub struct Requests {
    mailbox: Mailbox,
    workers: Workers,
}

impl Requests {
    /// Documents come out of a mailbox, and handlers run on workers.
    pub fn new(mailbox: Mailbox, workers: Workers) -> Self {
        Requests { mailbox, workers }
    }

    /// What a handler makes of a document as it is when this is called, not when it is awaited; nothing if there is no such document. When
    /// nobody waits for the answer any more, the handler's flag is set.
    pub fn on<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&View, &Cancel) -> Option<R> + Send + 'static,
    {
        self.run(self.mailbox.look(uri, false), handler)
    }

    /// The same for a handler that asks what lies at a position, and is done soon.
    pub fn at<R, F>(
        &self,
        place: lsp::TextDocumentPositionParams,
        handler: F,
    ) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&View, lsp::Position) -> Option<R> + Send + 'static,
    {
        let lsp::TextDocumentPositionParams { text_document, position } = place;
        self.on(&text_document.uri, move |view, _| handler(view, position))
    }

    /// The same for one who asks for diagnostics, so that they need not be pushed any more.
    pub fn pulling<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&View, &Cancel) -> Option<R> + Send + 'static,
    {
        self.run(self.mailbox.look(uri, true), handler)
    }

    /// Work on no document in particular.
    pub async fn work<R, F>(&self, work: F) -> Result<R>
    where
        R: Send + 'static,
        F: FnOnce(&Cancel) -> R + Send + 'static,
    {
        self.workers.run(work).await.map_err(|_| Error::internal_error())
    }

    /// Runs a handler on a view once that is there.
    async fn run<R, F>(&self, view: oneshot::Receiver<View>, handler: F) -> Result<Option<R>>
    where
        R: Send + 'static,
        F: FnOnce(&View, &Cancel) -> Option<R> + Send + 'static,
    {
        let Ok(view) = view.await else { return Ok(None) };
        self.work(move |cancel| handler(&view, cancel)).await
    }
}

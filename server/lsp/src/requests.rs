//! What a request is given: a document as it is when the request arrives, and a worker.
//!
//! Must not know what is asked.

use crate::document_snapshot::DocumentSnapshot;
use crate::event_queue::EventQueue;
use crate::work::{CancelFlag, WorkerPool};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types as lsp;

/// The way from a request to its handler.
pub struct RequestRunner {
    event_queue: EventQueue,
    workers: WorkerPool,
}

impl RequestRunner {
    /// Documents come out of a event_queue, and handlers run on workers.
    pub fn new(event_queue: EventQueue, workers: WorkerPool) -> Self {
        RequestRunner { event_queue, workers }
    }

    /// What a handler makes of a document as it is when this is called, not when it is awaited; nothing if there is no such document. When
    /// nobody waits for the answer any more, the handler's flag is set.
    pub fn on<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
    {
        self.run(self.event_queue.snapshot(uri, false), handler)
    }

    /// The same for a handler that asks what lies at a position, and is done soon.
    pub fn at<R, F>(
        &self,
        place: lsp::TextDocumentPositionParams,
        handler: F,
    ) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, lsp::Position) -> Option<R> + Send + 'static,
    {
        let lsp::TextDocumentPositionParams { text_document, position } = place;
        self.on(&text_document.uri, move |snapshot, _| handler(snapshot, position))
    }

    /// The same for one who asks for diagnostics, so that they need not be pushed any more.
    pub fn pulling<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
    {
        self.run(self.event_queue.snapshot(uri, true), handler)
    }

    /// Work on no document in particular.
    pub async fn work<R, F>(&self, work: F) -> Result<R>
    where
        R: Send + 'static,
        F: FnOnce(&CancelFlag) -> R + Send + 'static,
    {
        self.workers.run(work).await.map_err(|_| Error::internal_error())
    }

    /// Runs a handler on a snapshot once that is there.
    async fn run<R, F>(&self, snapshot: oneshot::Receiver<DocumentSnapshot>, handler: F) -> Result<Option<R>>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
    {
        let Ok(snapshot) = snapshot.await else { return Ok(None) };
        self.work(move |cancel| handler(&snapshot, cancel)).await
    }
}

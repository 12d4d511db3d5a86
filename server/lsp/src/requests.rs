//! Runs request handlers on a snapshot of the document, in the worker pool.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::event_queue::{DiagnosticsMode, EventQueue};
use crate::scheduling::work::{CancelFlag, WorkerPool};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types as lsp;

/// Runs request handlers.
pub struct RequestRunner {
    event_queue: EventQueue,
    /// For requests at a key or a click.
    workers: WorkerPool,
    /// For diagnostics and for all files of a workspace: many wait at a time, for the check of a document or for a slow worker.
    patient: WorkerPool,
    /// For launches, which take long: one at a time beside the other requests.
    launches: WorkerPool,
}

impl RequestRunner {
    /// Takes snapshots from the event queue and runs handlers on the workers.
    pub fn new(event_queue: EventQueue, workers: WorkerPool) -> Self {
        let patient = workers.beside(1);
        RequestRunner { event_queue, workers, patient, launches: WorkerPool::new(1) }
    }

    /// The result of a handler on a document as of this call, not of awaiting it; `None` if the document is not open. If
    /// the future is dropped, the handler's cancellation flag is set.
    pub fn on<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
    {
        run(&self.workers, self.event_queue.snapshot(uri, DiagnosticsMode::Unchanged), handler)
    }

    /// As [`Self::on`], for a quick handler with a position.
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

    /// As [`Self::on`], for a client that pulls diagnostics: they are no longer pushed.
    pub fn pulling<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
    {
        run(&self.patient, self.event_queue.snapshot(uri, DiagnosticsMode::Pulled), handler)
    }

    /// As [`Self::on`], for launches of kernels, which have a thread of their own.
    pub fn launching<R, F>(&self, uri: &lsp::Uri, handler: F) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
    {
        run(&self.launches, self.event_queue.snapshot(uri, DiagnosticsMode::Unchanged), handler)
    }

    /// Runs work on all documents of a workspace.
    pub async fn work<R, F>(&self, work: F) -> Result<R>
    where
        R: Send + 'static,
        F: FnOnce(&CancelFlag) -> R + Send + 'static,
    {
        self.patient.run(work).await.map_err(|_| Error::internal_error())
    }
}

/// Runs a handler on a snapshot once it has arrived.
async fn run<R, F>(workers: &WorkerPool, snapshot: oneshot::Receiver<DocumentSnapshot>, handler: F) -> Result<Option<R>>
where
    R: Send + 'static,
    F: FnOnce(&DocumentSnapshot, &CancelFlag) -> Option<R> + Send + 'static,
{
    let Ok(snapshot) = snapshot.await else { return Ok(None) };
    workers.run(move |cancel| handler(&snapshot, cancel)).await.map_err(|_| Error::internal_error())
}

/// The error of a valid request that cannot be fulfilled, with a message for the user.
pub fn request_failed(reason: String) -> Error {
    const REQUEST_FAILED: i64 = -32803;
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message: reason.into(), data: None }
}

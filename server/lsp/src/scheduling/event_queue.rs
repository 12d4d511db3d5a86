//! The queue of events for the server's state: many writers, one reader.

use crate::client::client_features::ClientFeatures;
use crate::documents::checked_document::CheckedDocument;
use crate::documents::document::Document;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::documents::workspace_snapshot::WorkspaceSnapshot;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tower_lsp::ls_types as lsp;

/// An event for the server's state.
pub enum ServerEvent {
    /// The client disconnected.
    End,
    /// The client sent `initialize`.
    Start {
        /// Its capabilities.
        features: ClientFeatures,
        /// Its `initializationOptions`.
        options: Value,
        /// Its workspace folders.
        roots: Vec<PathBuf>,
    },
    /// The workspace folders changed.
    Folders {
        /// Added folders.
        added: Vec<PathBuf>,
        /// Removed folders.
        removed: Vec<PathBuf>,
    },
    /// A document was opened.
    Open {
        /// Its URI.
        uri: String,
        /// The client's language id.
        language: String,
        /// Its version.
        version: i32,
        /// Its text.
        text: String,
    },
    /// A long text was parsed.
    Parsed {
        /// Of this document.
        uri: String,
        /// The document; `None` if that failed.
        document: Option<Box<Document>>,
    },
    /// A document was changed.
    Change {
        /// Its URI.
        uri: String,
        /// Its version after the changes.
        version: i32,
        /// The changes, in order; a range refers to the text after the changes before it.
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    },
    /// A document was closed.
    Close {
        /// Its URI.
        uri: String,
    },
    /// The client's configuration arrived.
    Configure {
        /// Sequence number of the request: answers may arrive out of order.
        request: u64,
        /// The section `ptxAtomics`.
        section: Value,
    },
    /// Settings files changed.
    Reconfigure,
    /// A request needs a snapshot of a document.
    Snapshot {
        /// Its URI.
        uri: String,
        /// Whether diagnostics of the document are still pushed.
        diagnostics: DiagnosticsMode,
        /// Receives the snapshot; dropped if the document is not open.
        reply: oneshot::Sender<DocumentSnapshot>,
    },
    /// A request needs a snapshot of all documents.
    WorkspaceSnapshot {
        /// Receives the snapshot, in the order of URIs.
        reply: oneshot::Sender<WorkspaceSnapshot>,
    },
    /// Semantic tokens were sent, and are kept for a delta.
    Tokens {
        /// Of this document.
        uri: String,
        /// Of this revision.
        revision: u64,
        /// Encoded.
        tokens: Arc<[u32]>,
    },
    /// The user may have paused: there was time for another edit.
    TypingPaused {
        /// In this document.
        uri: String,
        /// The number of the last edit then.
        edit: u64,
    },
    /// The client reports its cursor.
    Cursor {
        /// In this document.
        uri: String,
        /// There.
        position: lsp::Position,
    },
    /// A client that can pull diagnostics has had time to do so.
    PushDue {
        /// Of this document.
        uri: String,
    },
    /// A check finished.
    CheckFinished {
        /// Of this document.
        uri: String,
        /// Of this revision.
        revision: u64,
        /// The result; `None` if it failed or was cancelled.
        outcome: Option<CheckedDocument>,
    },
}

impl ServerEvent {
    /// The document that it is about; `None` if it is about none, or all.
    pub fn uri(&self) -> Option<&str> {
        match self {
            ServerEvent::Open { uri, .. }
            | ServerEvent::Parsed { uri, .. }
            | ServerEvent::Change { uri, .. }
            | ServerEvent::Close { uri }
            | ServerEvent::Snapshot { uri, .. }
            | ServerEvent::Tokens { uri, .. }
            | ServerEvent::TypingPaused { uri, .. }
            | ServerEvent::Cursor { uri, .. }
            | ServerEvent::PushDue { uri }
            | ServerEvent::CheckFinished { uri, .. } => Some(uri),
            ServerEvent::End
            | ServerEvent::Start { .. }
            | ServerEvent::Configure { .. }
            | ServerEvent::Folders { .. }
            | ServerEvent::Reconfigure
            | ServerEvent::WorkspaceSnapshot { .. } => None,
        }
    }
}

/// What a request shows of how the client gets diagnostics.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DiagnosticsMode {
    /// Nothing: they are pushed until the client pulls.
    Unchanged,
    /// The client pulls them, so they are no longer pushed.
    Pulled,
}

/// The writing end of the queue.
#[derive(Clone)]
pub struct EventQueue(mpsc::UnboundedSender<ServerEvent>);

impl EventQueue {
    /// The queue and its reading end.
    pub fn new() -> (Self, mpsc::UnboundedReceiver<ServerEvent>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (EventQueue(sender), receiver)
    }

    /// Posts an event. Ignored when the server is shutting down.
    pub fn post(&self, event: ServerEvent) {
        let _ = self.0.send(event);
    }

    /// Requests a snapshot of a document after all earlier events. The request is posted by the call, not by awaiting it.
    pub fn snapshot(&self, uri: &lsp::Uri, diagnostics: DiagnosticsMode) -> oneshot::Receiver<DocumentSnapshot> {
        let (reply, snapshot) = oneshot::channel();
        self.post(ServerEvent::Snapshot { uri: uri.as_str().to_owned(), diagnostics, reply });
        snapshot
    }

    /// Requests a snapshot of all documents, in the same way.
    pub fn workspace_snapshot(&self) -> oneshot::Receiver<WorkspaceSnapshot> {
        let (reply, workspace) = oneshot::channel();
        self.post(ServerEvent::WorkspaceSnapshot { reply });
        workspace
    }
}

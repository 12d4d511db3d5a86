//! What may happen to the server's state, and the way in: one queue, one reader.
//!
//! Must not know how an event is handled.

use crate::checked_document::CheckedDocument;
use crate::client_features::ClientFeatures;
use crate::document_snapshot::DocumentSnapshot;
use crate::workspace_snapshot::WorkspaceSnapshot;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tower_lsp::ls_types as lsp;

/// Something that happens.
pub enum ServerEvent {
    /// The client has gone.
    End,
    /// A client introduced itself.
    Start {
        /// What it can do.
        features: ClientFeatures,
        /// Its `initializationOptions`.
        options: Value,
        /// Its folders.
        roots: Vec<PathBuf>,
    },
    /// The client works with other folders than before.
    Folders {
        /// Those that came.
        added: Vec<PathBuf>,
        /// Those that went.
        removed: Vec<PathBuf>,
    },
    /// A document was opened.
    Open {
        /// Which one.
        uri: String,
        /// What the client calls its language.
        language: String,
        /// Its version.
        version: i32,
        /// Its text.
        text: String,
    },
    /// A document was changed.
    Change {
        /// Which one.
        uri: String,
        /// Its version after the changes.
        version: i32,
        /// The changes, each in the text that the former ones left.
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    },
    /// A document was closed.
    Close {
        /// Which one.
        uri: String,
    },
    /// The configuration is known or has changed.
    Configure {
        /// The how-manieth question this answers: answers may overtake each other.
        asked: u64,
        /// Our section.
        section: Value,
    },
    /// Files that settings are read from have changed.
    Reconfigure,
    /// A request wants to see a document as it is now.
    Snapshot {
        /// Which one.
        uri: String,
        /// Whether it asks for diagnostics, so that they need not be pushed any more.
        pulls: bool,
        /// Where to send it; nothing is sent if there is no such document.
        reply: oneshot::Sender<DocumentSnapshot>,
    },
    /// A request wants to see all documents as they are now.
    WorkspaceSnapshot {
        /// Where to send them, in the order of their names.
        reply: oneshot::Sender<WorkspaceSnapshot>,
    },
    /// A client is told a document's semantic tokens.
    Tokens {
        /// Of which document.
        uri: String,
        /// Of which state of it.
        revision: u64,
        /// As the client gets them.
        tokens: Arc<[u32]>,
    },
    /// A check ended.
    CheckFinished {
        /// Of which document.
        uri: String,
        /// Of which state of it.
        revision: u64,
        /// What it found; nothing if it failed or was cancelled.
        outcome: Option<CheckedDocument>,
    },
}

/// The way in.
#[derive(Clone)]
pub struct EventQueue(mpsc::UnboundedSender<ServerEvent>);

impl EventQueue {
    /// A event_queue and the end that reads it.
    pub fn new() -> (Self, mpsc::UnboundedReceiver<ServerEvent>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (EventQueue(sender), receiver)
    }

    /// Posts an event. When nobody reads any more, the server is ending and it does not matter.
    pub fn post(&self, event: ServerEvent) {
        let _ = self.0.send(event);
    }

    /// Asks for a document as it is when all that was posted before is done. The question is posted by the call, not by awaiting it.
    pub fn snapshot(&self, uri: &lsp::Uri, pulls: bool) -> oneshot::Receiver<DocumentSnapshot> {
        let (reply, snapshot) = oneshot::channel();
        self.post(ServerEvent::Snapshot { uri: uri.as_str().to_owned(), pulls, reply });
        snapshot
    }

    /// Asks for all documents in the same way.
    pub fn workspace_snapshot(&self) -> oneshot::Receiver<WorkspaceSnapshot> {
        let (reply, workspace) = oneshot::channel();
        self.post(ServerEvent::WorkspaceSnapshot { reply });
        workspace
    }
}

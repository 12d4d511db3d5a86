//! Documents with a long text that a worker parses, so that the state's thread goes on with the others.
//!
//! What happens to such a document meanwhile waits until it is back, in order. Requests about all documents wait until all are.

use crate::documents::document::Document;
use crate::scheduling::event_queue::{EventQueue, ServerEvent};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::runtime::Handle;

/// The documents that are with a worker.
#[derive(Default)]
pub struct LentDocuments {
    /// What waits for each of them.
    waiting: BTreeMap<String, VecDeque<ServerEvent>>,
    /// What waits for all of them.
    for_all: VecDeque<ServerEvent>,
    /// Whether settings files have changed while a document was with a worker.
    reconfigured: bool,
}

impl LentDocuments {
    /// Keeps an event for later if its document is with a worker; returns it otherwise.
    pub fn defer(&mut self, event: ServerEvent) -> Option<ServerEvent> {
        match &event {
            ServerEvent::Parsed { .. } => return Some(event),
            ServerEvent::WorkspaceSnapshot { .. } if !self.waiting.is_empty() => self.for_all.push_back(event),
            _ => match event.uri().and_then(|uri| self.waiting.get_mut(uri)) {
                Some(waiting) => waiting.push_back(event),
                None => return Some(event),
            },
        }
        None
    }

    /// Has a worker make a document.
    pub fn lend(
        &mut self,
        uri: &str,
        (runtime, queue): (&Handle, &EventQueue),
        make: impl FnOnce() -> Document + Send + 'static,
    ) {
        self.waiting.entry(uri.to_owned()).or_default();
        let (uri, queue) = (uri.to_owned(), queue.clone());
        runtime.spawn_blocking(move || {
            let document = catch_unwind(AssertUnwindSafe(make)).ok().map(Box::new);
            queue.post(ServerEvent::Parsed { uri, document });
        });
    }

    /// Settings files have changed.
    pub fn note_reconfigured(&mut self) {
        self.reconfigured |= !self.waiting.is_empty();
    }

    /// Whether settings files have changed, after the last document is back.
    pub fn take_reconfigured(&mut self) -> bool {
        self.waiting.is_empty() && std::mem::take(&mut self.reconfigured)
    }

    /// A document is back: what has waited for it, and for all if it was the last one.
    pub fn take(&mut self, uri: &str) -> VecDeque<ServerEvent> {
        let mut events = self.waiting.remove(uri).unwrap_or_default();
        if self.waiting.is_empty() {
            events.append(&mut self.for_all);
        }
        events
    }
}

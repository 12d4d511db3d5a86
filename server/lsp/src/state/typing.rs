//! Documents in which the user types: when that begins, and when it ends.

use crate::client::publisher::ClientMessage;
use crate::convert;
use crate::scheduling::event_queue::ServerEvent;
use crate::state::ServerState;
use crate::typing::{EarlierDiagnostics, Replacement, Typing};
use tower_lsp::ls_types as lsp;

impl ServerState {
    /// Notes what a change of a document has replaced. If it may be typed, a pause is waited for; otherwise all that is found is shown.
    pub(super) fn note_edit(&mut self, uri: &str, replaced: Option<Vec<Replacement>>) {
        let (delay, can_wait) = (self.sources.diagnostics_delay(), self.can_show_later());
        let Some(document) = self.documents.get_mut(uri) else { return };
        let is_typed = |edits: &Vec<Replacement>| edits.iter().all(Replacement::is_typed);
        if replaced.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let Some(edits) = replaced.filter(|edits| !delay.is_zero() && can_wait && is_typed(edits)) else {
            document.typing = None;
            document.shown = EarlierDiagnostics::default();
            return;
        };
        document.shown.note(&edits);
        let edit = document.revision;
        document.typing = Some(Typing::after(edit, &edits, document.typing.take()));
        let (event_queue, uri) = (self.event_queue.clone(), uri.to_owned());
        self.runtime.spawn(async move {
            tokio::time::sleep(delay).await;
            event_queue.post(ServerEvent::TypingPaused { uri, edit });
        });
    }

    /// Whether the client shows what is found without a change of the text: one that pulls has to be told to pull again.
    fn can_show_later(&self) -> bool {
        !self.features.pulls || self.features.refreshes_diagnostics
    }

    /// Shows all that is found in a document, if its last edit is still this one.
    pub(super) fn typing_paused(&mut self, uri: &str, edit: u64) {
        let is_last = |typing: &Typing| typing.edit == edit;
        if self.documents.get(uri).and_then(|document| document.typing.as_ref()).is_some_and(is_last) {
            self.show_all(uri);
        }
    }

    /// Shows all that is found in a document, if the cursor has left the statement that is typed.
    pub(super) fn cursor_moved(&mut self, uri: &str, position: lsp::Position) {
        let Some(document) = self.documents.get(uri) else { return };
        let rope = document.rope();
        let cursor = convert::offset(rope, self.features.encoding, position);
        let line_of = |offset: usize| rope.byte_to_line(offset.min(rope.len_bytes()));
        if document.typing.as_ref().is_some_and(|typing| typing.is_elsewhere(cursor, line_of)) {
            self.show_all(uri);
        }
    }

    /// Ends the typing in a document. What was found already is shown under a new revision.
    fn show_all(&mut self, uri: &str) {
        self.revisions += 1;
        let revision = self.revisions;
        let Some(document) = self.documents.get_mut(uri) else { return };
        let Some(typing) = document.typing.take() else { return };
        let found = document.found.take_if(|(of, _)| *of == document.revision);
        document.outdate(revision);
        document.found = found.map(|(_, found)| (revision, found));
        if document.pulled && typing.may_withhold() {
            self.publisher.post(ClientMessage::RefreshDiagnostics);
        }
    }
}

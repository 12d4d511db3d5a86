//! Checks of the documents, the diagnostics that clients are pushed, and when those of a statement that is typed are shown.

use crate::client::publisher::ClientMessage;
use crate::convert;
use crate::documents::checked_document::CheckedDocument;
use crate::scheduling::event_queue::ServerEvent;
use crate::scheduling::work::CancelFlag;
use crate::state::ServerState;
use crate::typing::{EarlierDiagnostics, Replacement, Typing};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use tower_lsp::ls_types as lsp;

/// Time for a client that can pull diagnostics to pull those of a document it has opened, before they are pushed.
const PULL_PATIENCE: Duration = Duration::from_secs(1);

impl ServerState {
    /// Clients show pushed and pulled diagnostics side by side, so every diagnostic would appear twice. A client that can pull but
    /// never does still gets pushed ones.
    pub(super) fn stop_pushing(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri).filter(|document| self.features.pulls && !document.pulled)
        else {
            return;
        };
        document.pulled = true;
        document.unpublished = None;
        if document.published.take().is_some() {
            self.publisher.post(ClientMessage::Diagnostics(uri.to_owned(), Vec::new(), Some(document.version)));
        }
    }

    pub(super) fn start_checks(&mut self) {
        let due: Vec<String> =
            self.documents.iter().filter(|(_, document)| document.wants_check()).map(|(uri, _)| uri.clone()).collect();
        for uri in due {
            if self.lend(&uri) {
                continue;
            }
            let snapshot = catch_unwind(AssertUnwindSafe(|| self.snapshot(&uri))).ok().flatten();
            let cancel = CancelFlag::default();
            if let Some(document) = self.documents.get_mut(&uri) {
                document.check = Some((document.revision, snapshot.is_some().then(|| cancel.clone())));
            }
            let Some(snapshot) = snapshot else { continue };
            let (event_queue, checks, revision) = (self.event_queue.clone(), self.checks.clone(), snapshot.revision);
            self.runtime.spawn(async move {
                let outcome = checks
                    .run_unless(cancel, move |cancel| CheckedDocument::of(&snapshot, cancel))
                    .await
                    .ok()
                    .flatten();
                event_queue.post(ServerEvent::CheckFinished { uri, revision, outcome });
            });
        }
    }

    pub(super) fn checked(&mut self, uri: &str, revision: u64, outcome: Option<CheckedDocument>) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        // The document may have been closed and opened again since this check started.
        if document.check.as_ref().is_none_or(|(checked, _)| *checked != revision) {
            return;
        }
        document.check = Some((revision, None));
        if document.revision != revision {
            return;
        }
        let Some(checked) = outcome else {
            self.publisher.post(ClientMessage::LogError(format!(
                "{uri}: check failed; the diagnostics are those of an earlier version"
            )));
            return;
        };
        if let Some(typing) = &mut document.typing {
            typing.checked(&checked.shown);
        }
        document.found = Some((revision, checked.diagnostics));
        document.shown = EarlierDiagnostics::of(checked.shown.diagnostics);
        let news = (document.version, checked.digest);
        if document.pulled || document.published == Some(news) {
            return;
        }
        document.unpublished = Some((news, checked.converted));
        // A client that can pull mostly does, after it has opened the document.
        if !self.features.pulls || document.published.is_some() {
            return self.push_due(uri);
        }
        let (event_queue, uri) = (self.event_queue.clone(), uri.to_owned());
        self.runtime.spawn(async move {
            tokio::time::sleep(PULL_PATIENCE).await;
            event_queue.post(ServerEvent::PushDue { uri });
        });
    }

    /// Pushes the latest diagnostics of a document that the client does not pull.
    pub(super) fn push_due(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri).filter(|document| !document.pulled) else { return };
        if let Some((news, diagnostics)) = document.unpublished.take() {
            document.published = Some(news);
            self.publisher.post(ClientMessage::Diagnostics(uri.to_owned(), diagnostics, Some(news.0)));
        }
    }

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

//! Checks of the documents, and the diagnostics that clients are pushed.

use crate::client::publisher::ClientMessage;
use crate::documents::checked_document::CheckedDocument;
use crate::scheduling::event_queue::ServerEvent;
use crate::scheduling::work::CancelFlag;
use crate::state::ServerState;
use crate::typing::EarlierDiagnostics;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

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
}

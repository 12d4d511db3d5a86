//! The server's state. One thread owns it and handles one event at a time.
//!
//! Checks run on snapshots in a worker pool, at most one per document. While one runs, a change only marks it as outdated, so a burst of changes
//! costs two checks. The thread never waits for the client or for a check.

use crate::checked_document::CheckedDocument;
use crate::client_features::ClientFeatures;
use crate::document::{Document, ProjectSettings, SHORT_TEXT};
use crate::document_snapshot::DocumentSnapshot;
use crate::event_queue::{DiagnosticsMode, EventQueue, ServerEvent};
use crate::lent_documents::LentDocuments;
use crate::memory::MemoryRelease;
use crate::publisher::{ClientMessage, Publisher};
use crate::read_projects::ReadProjects;
use crate::settings::{self, SettingsSources, described};
use crate::settings_files::{SettingsFileDiagnostics, is_settings_file};
use crate::uri;
use crate::work::{CancelFlag, WorkerPool};
use crate::workspace_snapshot::WorkspaceSnapshot;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use ide::features::HintOptions;
use project::InvalidConfig;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::ls_types as lsp;

/// Whether settings files are read again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SettingsFiles {
    Cached,
    ReadAgain,
}

/// Time for a client that can pull diagnostics to pull those of a document it has opened, before they are pushed.
const PULL_PATIENCE: Duration = Duration::from_secs(1);

/// All state of the server.
pub struct ServerState {
    documents: BTreeMap<String, Document>,
    sources: SettingsSources,
    errors: BTreeSet<String>,
    settings_files: SettingsFileDiagnostics,
    /// The lines of the log that are written once.
    logged: BTreeSet<String>,
    configured: u64,
    hints: HintOptions,
    features: ClientFeatures,
    roots: Vec<PathBuf>,
    revisions: u64,
    event_queue: EventQueue,
    publisher: Publisher,
    checks: WorkerPool,
    memory: MemoryRelease,
    runtime: Handle,
    /// The documents that are parsed by a worker.
    lent: LentDocuments,
}

impl ServerState {
    /// An empty state with settings from the command line. Must be called inside a tokio runtime, which runs the checks.
    pub fn new(given: Settings, event_queue: EventQueue, publisher: Publisher, checks: WorkerPool) -> Self {
        ServerState {
            documents: BTreeMap::new(),
            errors: BTreeSet::new(),
            settings_files: SettingsFileDiagnostics::default(),
            logged: BTreeSet::new(),
            sources: SettingsSources { given, ..SettingsSources::default() },
            configured: 0,
            hints: HintOptions::default(),
            features: ClientFeatures::default(),
            roots: Vec::new(),
            revisions: 0,
            event_queue,
            publisher,
            checks,
            memory: MemoryRelease::default(),
            runtime: Handle::current(),
            lent: LentDocuments::default(),
        }
    }

    /// Handles events until the client disconnects. Checks start when the queue is empty, so a burst of changes is checked once.
    pub fn run(mut self, mut events: UnboundedReceiver<ServerEvent>) {
        while let Some(event) = events.blocking_recv() {
            let mut next = Some(event);
            while let Some(event) = next {
                if matches!(event, ServerEvent::End) {
                    return;
                }
                next = events.try_recv().ok();
                // Editors report each of many files.
                let is_repeated = matches!((&event, &next), (ServerEvent::Reconfigure, Some(ServerEvent::Reconfigure)));
                if !is_repeated {
                    self.handle_or_close(event);
                }
            }
            self.start_checks();
        }
    }

    /// Handles an event. If that panics, its document is closed, because its text may be wrong.
    fn handle_or_close(&mut self, event: ServerEvent) {
        self.lend_for(&event);
        let Some(event) = self.lent.defer(event) else { return };
        let uri = event.uri().unwrap_or_default().to_owned();
        if catch_unwind(AssertUnwindSafe(|| self.handle(event))).is_err() && self.documents.remove(&uri).is_some() {
            self.report_lost(uri);
        }
    }

    /// Says that a document was closed because of an internal error.
    fn report_lost(&mut self, uri: String) {
        let message = format!("{uri}: internal error in this document; close and open it again");
        self.publisher.post(ClientMessage::Diagnostics(uri, Vec::new(), None));
        self.publisher.post(ClientMessage::LogError(message));
    }

    /// Has workers parse the long texts that an event needs.
    fn lend_for(&mut self, event: &ServerEvent) {
        let wanted: Vec<String> = match event {
            ServerEvent::Snapshot { uri, .. } => vec![uri.clone()],
            ServerEvent::WorkspaceSnapshot { .. } => self.documents.keys().cloned().collect(),
            _ => return,
        };
        wanted.iter().for_each(|uri| _ = self.lend(uri));
    }

    /// Has a worker parse the text of a document if it is long and has changed. Returns whether it does.
    fn lend(&mut self, uri: &str) -> bool {
        if !self.documents.get(uri).is_some_and(Document::wants_long_parse) {
            return false;
        }
        let Some(mut document) = self.documents.remove(uri) else { return false };
        self.lent.lend(uri, (&self.runtime, &self.event_queue), move || {
            document.text();
            document
        });
        true
    }

    /// A document is back from its worker: the settings may have changed, and what was asked of it is done.
    fn parsed(&mut self, uri: String, document: Option<Box<Document>>) {
        let waiting = self.lent.take(&uri);
        match document {
            Some(document) => {
                self.documents.insert(uri.clone(), *document);
                let were_read = self.lent.take_reconfigured();
                self.configure(if were_read { SettingsFiles::ReadAgain } else { SettingsFiles::Cached });
            }
            None => self.report_lost(uri),
        }
        waiting.into_iter().for_each(|event| self.handle_or_close(event));
    }

    fn handle(&mut self, event: ServerEvent) {
        match event {
            ServerEvent::End => {}
            ServerEvent::Start { features, options, roots } => {
                self.features = features;
                self.roots = roots;
                self.sources.options = settings::read(&options);
                self.log(format!("ptx-atomics {}", env!("CARGO_PKG_VERSION")));
                self.configure(SettingsFiles::Cached);
            }
            ServerEvent::Configure { request, section } => {
                if request >= self.configured {
                    self.configured = request;
                    self.sources.configured = settings::read(&section);
                    self.configure(SettingsFiles::Cached);
                }
            }
            ServerEvent::Reconfigure => {
                self.lent.note_reconfigured();
                self.configure(SettingsFiles::ReadAgain);
            }
            ServerEvent::Folders { added, removed } => {
                self.roots.retain(|root| !removed.contains(root));
                self.roots.extend(added);
            }
            ServerEvent::Open { uri, language, version, text } => self.open(uri, &language, version, text),
            ServerEvent::Parsed { uri, document } => self.parsed(uri, document),
            ServerEvent::Change { uri, version, changes } => self.change(&uri, version, changes),
            ServerEvent::Close { uri } => self.close(uri),
            ServerEvent::Snapshot { uri, diagnostics, reply } => {
                if diagnostics == DiagnosticsMode::Pulled {
                    self.stop_pushing(&uri);
                }
                if let Some(snapshot) = self.snapshot(&uri) {
                    let _ = reply.send(snapshot);
                }
            }
            ServerEvent::WorkspaceSnapshot { reply } => {
                let _ = reply.send(self.workspace_snapshot());
            }
            ServerEvent::Tokens { uri, revision, tokens } => {
                if let Some(document) = self.documents.get_mut(&uri) {
                    document.tokens = Some((revision, tokens));
                }
            }
            ServerEvent::PushDue { uri } => self.push_due(&uri),
            ServerEvent::CheckFinished { uri, revision, outcome } => self.checked(&uri, revision, outcome),
        }
    }

    fn open(&mut self, uri: String, language: &str, version: i32, text: String) {
        if is_settings_file(&uri) {
            let message = self.settings_files.open(self.features.encoding, uri, version, &text);
            return self.publisher.post(message);
        }
        let path = uri.split(['?', '#']).next().unwrap_or_default();
        if let Some(language) = Language::of(language, path) {
            let revision = self.next_revision();
            let project = ReadProjects::default().settings(&uri).unwrap_or_else(|invalid| {
                self.report_invalid(&invalid);
                ProjectSettings::default()
            });
            self.log_project(&project);
            let settings = self.sources.effective().or(&project.settings);
            let (of, is_long) = (uri.clone(), text.len() > SHORT_TEXT);
            let make = move || {
                let macros = uri::path_of(&of).map(|path| project::including_macros(&path, &text)).unwrap_or_default();
                let text = Text::parse(language, &text).included_with(macros.into());
                Document::open(version, revision, text, project, settings)
            };
            if is_long {
                self.lent.lend(&uri, (&self.runtime, &self.event_queue), make);
            } else {
                self.documents.insert(uri, make());
            }
        }
    }

    fn change(&mut self, uri: &str, version: i32, changes: Vec<lsp::TextDocumentContentChangeEvent>) {
        let settings_file = self.settings_files.change(self.features.encoding, uri, version, &changes);
        settings_file.into_iter().for_each(|message| self.publisher.post(message));
        let revision = self.next_revision();
        if let Some(document) = self.documents.get_mut(uri) {
            document.change(self.features.encoding, changes);
            document.version = version;
            document.outdate(revision);
        }
    }

    fn close(&mut self, uri: String) {
        if is_settings_file(&uri) {
            self.settings_files.close(&uri).into_iter().for_each(|message| self.publisher.post(message));
            return self.configure(SettingsFiles::ReadAgain);
        }
        if let Some(document) = self.documents.remove(&uri) {
            document.stop();
            if document.is_long() {
                self.runtime.spawn_blocking(move || drop(document));
            }
            self.memory.release_later(&self.runtime);
            self.publisher.post(ClientMessage::Diagnostics(uri, Vec::new(), None));
        }
    }

    fn next_revision(&mut self) -> u64 {
        self.revisions += 1;
        self.revisions
    }

    fn snapshot(&mut self, uri: &str) -> Option<DocumentSnapshot> {
        let document = self.documents.get_mut(uri)?;
        let text = document.text().clone();
        let source = text.under(document.settings.clone());
        Some(DocumentSnapshot {
            uri: uri.to_owned(),
            version: document.version,
            revision: document.revision,
            source,
            features: self.features,
            hints: self.hints,
            target_override: self.sources.target_override(),
            pages: self.sources.pages().map(Arc::from),
            tokens: document.tokens.clone(),
            found: document.current_diagnostics(),
            checker: document.checker.clone(),
        })
    }

    fn workspace_snapshot(&mut self) -> WorkspaceSnapshot {
        let uris: Vec<String> = self.documents.keys().cloned().collect();
        let documents = uris.iter().filter_map(|uri| self.snapshot(uri)).collect();
        let (roots, settings) = (self.roots.clone(), self.sources.effective());
        let pages = self.sources.pages().map(Arc::from);
        WorkspaceSnapshot { documents, roots, settings, hosts: self.sources.hosts(), pages, features: self.features }
    }

    /// Updates the settings of every document. Changed settings start a new revision.
    fn configure(&mut self, files: SettingsFiles) {
        let settings = self.sources.effective();
        self.log(format!("settings of the command line and the editor: {}", described(&settings)));
        let hints = std::mem::replace(&mut self.hints, self.sources.hints());
        let (mut pulled_changed, mut hints_changed) = (false, hints != self.hints && !self.documents.is_empty());
        let (mut invalid, mut used) = (Vec::new(), Vec::new());
        let mut read = ReadProjects::default();
        for (uri, document) in &mut self.documents {
            let was_excluded = document.project.is_excluded;
            if files == SettingsFiles::ReadAgain {
                match read.settings(uri) {
                    Ok(project) => {
                        used.push(project.clone());
                        document.project = project;
                    }
                    Err(error) => invalid.push(error),
                }
            }
            let settings = settings.clone().or(&document.project.settings);
            if settings != document.settings || document.project.is_excluded != was_excluded {
                document.settings = settings;
                self.revisions += 1;
                document.outdate(self.revisions);
                pulled_changed |= document.pulled;
                hints_changed = true;
            }
        }
        self.warn(self.sources.errors().cloned().collect::<Vec<_>>());
        used.iter().for_each(|project| self.log_project(project));
        if files == SettingsFiles::ReadAgain {
            invalid.sort_by(|a, b| a.file.cmp(&b.file));
            invalid.dedup();
            invalid.iter().for_each(|invalid| self.report_invalid(invalid));
            self.settings_files.retain(&invalid).into_iter().for_each(|message| self.publisher.post(message));
        }
        if pulled_changed && self.features.refreshes_diagnostics {
            self.publisher.post(ClientMessage::RefreshDiagnostics);
        }
        // Hints show the default modifiers of the target.
        if hints_changed && self.features.refreshes_inlay_hints {
            self.publisher.post(ClientMessage::RefreshInlayHints);
        }
    }

    /// Reports an invalid settings file: in the file, in the log, and once to the user.
    fn report_invalid(&mut self, invalid: &InvalidConfig) {
        let (file, messages) = (invalid.file.display(), invalid.messages());
        let more = match messages.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        self.warn([format!("{file}: {}{more}", messages[0])]);
        messages.iter().for_each(|message| self.log(format!("{file}: {message}")));
        self.settings_files
            .invalid(self.features.encoding, invalid)
            .into_iter()
            .for_each(|message| self.publisher.post(message));
    }

    /// Logs the settings of a project's file.
    fn log_project(&mut self, project: &ProjectSettings) {
        if let Some(file) = &project.file {
            self.log(format!("{}: {}", file.display(), described(&project.settings)));
        }
    }

    /// Writes a line to the client's log, once.
    fn log(&mut self, line: String) {
        if self.logged.insert(line.clone()) {
            self.publisher.post(ClientMessage::Log(line));
        }
    }

    /// Shows warnings to the user, each once.
    fn warn(&mut self, errors: impl IntoIterator<Item = String>) {
        for error in errors {
            if self.errors.insert(error.clone()) {
                self.publisher.post(ClientMessage::ShowWarning(error));
            }
        }
    }

    /// Clients show pushed and pulled diagnostics side by side, so every diagnostic would appear twice. A client that can pull but
    /// never does still gets pushed ones.
    fn stop_pushing(&mut self, uri: &str) {
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

    fn start_checks(&mut self) {
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

    fn checked(&mut self, uri: &str, revision: u64, outcome: Option<CheckedDocument>) {
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
        document.found = Some((revision, checked.diagnostics));
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
    fn push_due(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri).filter(|document| !document.pulled) else { return };
        if let Some((news, diagnostics)) = document.unpublished.take() {
            document.published = Some(news);
            self.publisher.post(ClientMessage::Diagnostics(uri.to_owned(), diagnostics, Some(news.0)));
        }
    }
}

#[cfg(test)]
mod tests;

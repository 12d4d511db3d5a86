//! The server's state. One thread owns it and handles one event at a time.
//!
//! Checks run on snapshots in a worker pool, at most one per document. While one runs, a change only marks it as outdated, so a burst of changes
//! costs two checks. The thread never waits for the client or for a check.

use crate::checked_document::CheckedDocument;
use crate::client_features::ClientFeatures;
use crate::document::{Document, ProjectSettings};
use crate::document_snapshot::DocumentSnapshot;
use crate::event_queue::{DiagnosticsMode, EventQueue, ServerEvent};
use crate::memory::MemoryRelease;
use crate::publisher::{ClientMessage, Publisher};
use crate::settings::{self, SettingsSources, described};
use crate::settings_files::{SettingsFileDiagnostics, is_settings_file};
use crate::uri;
use crate::work::{CancelFlag, WorkerPool};
use crate::workspace_snapshot::WorkspaceSnapshot;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use ide::features::HintOptions;
use project::{InvalidConfig, ProjectConfig};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::ls_types as lsp;

/// Whether settings files are read again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SettingsFiles {
    Cached,
    ReadAgain,
}

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
                self.handle_or_close(event);
                next = events.try_recv().ok();
            }
            self.start_checks();
        }
    }

    /// Handles an event. If that panics, its document is closed, because its text may be wrong.
    fn handle_or_close(&mut self, event: ServerEvent) {
        let uri = match &event {
            ServerEvent::Open { uri, .. }
            | ServerEvent::Change { uri, .. }
            | ServerEvent::Snapshot { uri, .. }
            | ServerEvent::CheckFinished { uri, .. } => uri.clone(),
            ServerEvent::End
            | ServerEvent::Start { .. }
            | ServerEvent::Configure { .. }
            | ServerEvent::Folders { .. }
            | ServerEvent::Reconfigure
            | ServerEvent::Close { .. }
            | ServerEvent::WorkspaceSnapshot { .. }
            | ServerEvent::Tokens { .. } => String::new(),
        };
        if catch_unwind(AssertUnwindSafe(|| self.handle(event))).is_err() && self.documents.remove(&uri).is_some() {
            self.publisher.post(ClientMessage::Diagnostics(uri.clone(), Vec::new(), None));
            self.publisher.post(ClientMessage::LogError(format!(
                "{uri}: internal error in this document; close and open it again"
            )));
        }
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
            ServerEvent::Reconfigure => self.configure(SettingsFiles::ReadAgain),
            ServerEvent::Folders { added, removed } => {
                self.roots.retain(|root| !removed.contains(root));
                self.roots.extend(added);
            }
            ServerEvent::Open { uri, language, version, text } => self.open(uri, &language, version, &text),
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
            ServerEvent::CheckFinished { uri, revision, outcome } => self.checked(&uri, revision, outcome),
        }
    }

    fn open(&mut self, uri: String, language: &str, version: i32, text: &str) {
        if is_settings_file(&uri) {
            let message = self.settings_files.open(self.features.encoding, uri, version, text);
            return self.publisher.post(message);
        }
        let path = uri.split(['?', '#']).next().unwrap_or_default();
        if let Some(language) = Language::of(language, path) {
            let revision = self.next_revision();
            let project = project_settings(&uri).unwrap_or_else(|invalid| {
                self.report_invalid(&invalid);
                ProjectSettings::default()
            });
            self.log_project(&project);
            let settings = self.sources.effective().or(&project.settings);
            let macros = uri::path_of(&uri).map(|path| project::including_macros(&path, text)).unwrap_or_default();
            let text = Text::parse(language, text).included_with(macros.into());
            self.documents.insert(uri, Document::open(version, revision, text, project, settings));
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
        for (uri, document) in &mut self.documents {
            let was_excluded = document.project.is_excluded;
            if files == SettingsFiles::ReadAgain {
                match project_settings(uri) {
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
        if document.published.take().is_some() {
            self.publisher.post(ClientMessage::Diagnostics(uri.to_owned(), Vec::new(), Some(document.version)));
        }
    }

    fn start_checks(&mut self) {
        let due: Vec<String> =
            self.documents.iter().filter(|(_, document)| document.wants_check()).map(|(uri, _)| uri.clone()).collect();
        for uri in due {
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
        if !document.pulled && document.published != Some(news) {
            document.published = Some(news);
            self.publisher.post(ClientMessage::Diagnostics(uri.to_owned(), checked.converted, Some(document.version)));
        }
    }
}

/// The settings of the project's file for a document.
fn project_settings(uri: &str) -> Result<ProjectSettings, InvalidConfig> {
    let Some(path) = uri::path_of(uri) else { return Ok(ProjectSettings::default()) };
    let config = ProjectConfig::near(path.parent().unwrap_or(&path))?;
    let settings = config.settings_for(&path);
    Ok(ProjectSettings { settings, is_excluded: !config.includes(&path), file: config.file })
}

#[cfg(test)]
mod tests;

//! The server's state. One thread owns it and handles one event at a time.
//!
//! Checks run on snapshots in a worker pool, at most one per document. While one runs, a change only marks it as outdated, so a burst of changes
//! costs two checks. The thread never waits for the client or for a check.

mod checks;
mod configuration;

use crate::client::client_features::ClientFeatures;
use crate::client::publisher::{ClientMessage, Publisher};
use crate::configuration::read_projects::ReadProjects;
use crate::configuration::settings;
use crate::configuration::settings::SettingsSources;
use crate::configuration::settings_files::{SettingsFileDiagnostics, is_settings_file};
use crate::documents::document::{Document, ProjectSettings, SHORT_TEXT};
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::documents::lent_documents::LentDocuments;
use crate::documents::workspace_snapshot::WorkspaceSnapshot;
use crate::memory::MemoryRelease;
use crate::scheduling::event_queue::{DiagnosticsMode, EventQueue, ServerEvent};
use crate::scheduling::work::WorkerPool;
use crate::state::configuration::SettingsFiles;
use crate::uri;
use diagnostics::Settings;
use hosts::Language;
use hosts::inline_asm::HostLanguage;
use ide::Text;
use ide::features::HintOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::ls_types as lsp;

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
            ServerEvent::TypingPaused { uri, edit } => self.typing_paused(&uri, edit),
            ServerEvent::Cursor { uri, position } => self.cursor_moved(&uri, position),
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
            // For C++, other files are read.
            let takes_long = text.len() > SHORT_TEXT || language == Language::Host(HostLanguage::Cpp);
            let of = uri.clone();
            let make = move || {
                let macros = uri::path_of(&of).map(|path| project::including_macros(&path, &text)).unwrap_or_default();
                let text = Text::parse(language, &text).included_with(macros.into());
                Document::open(version, revision, text, project, settings)
            };
            if takes_long {
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
            let replaced = document.change(self.features.encoding, changes);
            document.version = version;
            document.outdate(revision);
            self.note_edit(uri, replaced);
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
            typing: document.typing.clone().map(|typing| (typing, document.shown.clone())),
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
}

#[cfg(test)]
mod tests;

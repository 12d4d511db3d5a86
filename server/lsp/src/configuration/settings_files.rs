//! The diagnostics of settings files: of open ones while they are edited, and of the files on disk that documents use.

use crate::client::publisher::ClientMessage;
use crate::connection::surrogates::without_marks;
use crate::convert;
use crate::convert::Encoding;
use crate::documents::checked_document::SOURCE;
use crate::uri;
use diagnostics::config::{ConfigError, FILE_NAME};
use project::{InvalidConfig, config_errors};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syntax::Rope;
use tower_lsp::ls_types as lsp;

/// The open settings files, and those on disk with published diagnostics.
#[derive(Debug, Default)]
pub struct SettingsFileDiagnostics {
    open: BTreeMap<String, Rope>,
    on_disk: BTreeSet<String>,
}

/// Whether a document is a settings file, by its name.
pub fn is_settings_file(uri: &str) -> bool {
    uri::path_of(uri).is_some_and(|path| path.file_name().is_some_and(|name| name == FILE_NAME))
}

impl SettingsFileDiagnostics {
    /// The diagnostics of a newly opened file.
    pub fn open(&mut self, encoding: Encoding, uri: String, version: i32, text: &str) -> ClientMessage {
        let rope = Rope::from_str(text);
        let diagnostics = diagnostics(encoding, &rope, &config_errors(text));
        self.on_disk.remove(&uri);
        self.open.insert(uri.clone(), rope);
        ClientMessage::Diagnostics(uri, diagnostics, Some(version))
    }

    /// The diagnostics after changes; `None` if the file is not open.
    pub fn change(
        &mut self,
        encoding: Encoding,
        uri: &str,
        version: i32,
        changes: &[lsp::TextDocumentContentChangeEvent],
    ) -> Option<ClientMessage> {
        let rope = self.open.get_mut(uri)?;
        for change in changes {
            let text = without_marks(&change.text);
            match change.range {
                Some(range) => syntax::replace(rope, convert::bytes(rope, encoding, range), &text),
                None => *rope = Rope::from_str(&text),
            }
        }
        let diagnostics = diagnostics(encoding, rope, &config_errors(&rope.to_string()));
        Some(ClientMessage::Diagnostics(uri.to_owned(), diagnostics, Some(version)))
    }

    /// Removes the diagnostics of a closed file; `None` if it was not open. Those of the file on disk are published when it is read again.
    pub fn close(&mut self, uri: &str) -> Option<ClientMessage> {
        self.open.remove(uri)?;
        Some(ClientMessage::Diagnostics(uri.to_owned(), Vec::new(), None))
    }

    /// The diagnostics of an invalid file on disk; `None` if it is open.
    pub fn invalid(&mut self, encoding: Encoding, invalid: &InvalidConfig) -> Option<ClientMessage> {
        if self.is_open(&invalid.file) {
            return None;
        }
        let uri = uri::uri_of(&invalid.file)?.to_string();
        let diagnostics = diagnostics(encoding, &Rope::from_str(&invalid.text), &invalid.errors);
        self.on_disk.insert(uri.clone());
        Some(ClientMessage::Diagnostics(uri, diagnostics, None))
    }

    /// Removes the diagnostics of files on disk that are no longer among the invalid ones.
    pub fn retain(&mut self, invalid: &[InvalidConfig]) -> Vec<ClientMessage> {
        let kept: BTreeSet<String> =
            invalid.iter().filter_map(|invalid| Some(uri::uri_of(&invalid.file)?.to_string())).collect();
        let gone: Vec<String> = self.on_disk.difference(&kept).cloned().collect();
        self.on_disk.retain(|uri| kept.contains(uri));
        gone.into_iter().map(|uri| ClientMessage::Diagnostics(uri, Vec::new(), None)).collect()
    }

    fn is_open(&self, file: &Path) -> bool {
        self.open.keys().any(|uri| uri::path_of(uri).is_some_and(|path| path == file))
    }
}

fn diagnostics(encoding: Encoding, text: &Rope, errors: &[ConfigError]) -> Vec<lsp::Diagnostic> {
    let diagnostic = |error: &ConfigError| lsp::Diagnostic {
        range: convert::range(text, encoding, &error.range),
        severity: Some(lsp::DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: error.message.clone(),
        ..lsp::Diagnostic::default()
    };
    errors.iter().map(diagnostic).collect()
}

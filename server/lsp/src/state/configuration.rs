//! The settings of the documents, and what is said about settings that are wrong.

use crate::client::publisher::ClientMessage;
use crate::configuration::read_projects::ReadProjects;
use crate::configuration::settings::described;
use crate::documents::document::ProjectSettings;
use crate::state::ServerState;
use project::InvalidConfig;

/// Whether settings files are read again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsFiles {
    Cached,
    ReadAgain,
}

impl ServerState {
    /// Updates the settings of every document. Changed settings start a new revision.
    pub(super) fn configure(&mut self, files: SettingsFiles) {
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
    pub(super) fn report_invalid(&mut self, invalid: &InvalidConfig) {
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
    pub(super) fn log_project(&mut self, project: &ProjectSettings) {
        if let Some(file) = &project.file {
            self.log(format!("{}: {}", file.display(), described(&project.settings)));
        }
    }

    /// Writes a line to the client's log, once.
    pub(super) fn log(&mut self, line: String) {
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
}

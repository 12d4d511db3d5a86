//! A cache of settings files, by folder.

use crate::project_config::{InvalidConfig, ProjectConfig};
use diagnostics::Settings;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether the settings select a file in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSelection {
    /// Whether the file is included and not excluded.
    pub is_included: bool,
    /// Whether the settings have patterns of included files. A file that matches one may have any extension.
    pub has_patterns: bool,
}

type LoadedConfig = Result<Arc<ProjectConfig>, Vec<String>>;

/// The settings files of sources, or the one from the command line.
pub struct ConfigCache {
    only: Option<Arc<ProjectConfig>>,
    known: Mutex<HashMap<PathBuf, LoadedConfig>>,
}

impl ConfigCache {
    /// With an optional file for all sources; the errors are user-facing messages.
    pub fn new(only: Option<&Path>) -> Result<Self, Vec<String>> {
        let only = only.map(|file| ProjectConfig::at(file).map(Arc::new).map_err(invalid_file)).transpose()?;
        Ok(ConfigCache { only, known: Mutex::default() })
    }

    /// The settings file of a source; the errors are user-facing messages.
    pub fn of(&self, source: &Path) -> LoadedConfig {
        if let Some(only) = &self.only {
            return Ok(only.clone());
        }
        let path = absolute(source);
        let folder = path.parent().unwrap_or(&path).to_owned();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known
            .entry(folder)
            .or_insert_with_key(|folder| ProjectConfig::near(folder).map(Arc::new).map_err(invalid_file));
        found.clone()
    }

    /// The settings of a source. Overrides take precedence over the file. Also returns user-facing messages if the file is invalid.
    pub fn settings(&self, overrides: &Settings, source: &Path) -> (Settings, Vec<String>) {
        match self.of(source) {
            Ok(config) => (overrides.clone().or(&config.settings_for(&absolute(source))), Vec::new()),
            Err(messages) => (overrides.clone(), messages),
        }
    }

    /// Whether the settings select a file in a folder. Without valid settings, every file is selected.
    pub fn selection(&self, source: &Path) -> FileSelection {
        match self.of(source) {
            Ok(config) => FileSelection {
                is_included: config.includes(&absolute(source)),
                has_patterns: !config.contents.include.is_empty(),
            },
            Err(_) => FileSelection { is_included: true, has_patterns: false },
        }
    }
}

fn invalid_file(invalid: InvalidConfig) -> Vec<String> {
    let messages = invalid.messages().into_iter();
    messages.map(|message| format!("cannot use {}: {message}", invalid.file.display())).collect()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

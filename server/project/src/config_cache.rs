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
    /// By folder.
    known: Mutex<HashMap<PathBuf, LoadedConfig>>,
    /// The folder that relative paths begin at.
    current: PathBuf,
}

impl ConfigCache {
    /// With an optional file for all sources; the errors are user-facing messages.
    pub fn new(only: Option<&Path>) -> Result<Self, Vec<String>> {
        let only = only.map(|file| ProjectConfig::at(file).map(Arc::new).map_err(invalid_file)).transpose()?;
        let current = std::env::current_dir().unwrap_or_default();
        Ok(ConfigCache { only, known: Mutex::default(), current })
    }

    /// The settings file of a source; the errors are user-facing messages.
    pub fn of(&self, source: &Path) -> LoadedConfig {
        self.at(&self.absolute(source))
    }

    /// The settings file of an absolute path.
    fn at(&self, path: &Path) -> LoadedConfig {
        if let Some(only) = &self.only {
            return Ok(only.clone());
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        near(&mut known, path.parent().unwrap_or(path))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        // Without the parts that are `.`, as `std::path::absolute` makes it, which asks for the current folder each time.
        self.current.join(path).components().collect()
    }

    /// The settings of a source. Overrides take precedence over the file. Also returns user-facing messages if the file is invalid.
    pub fn settings(&self, overrides: &Settings, source: &Path) -> (Settings, Vec<String>) {
        let path = self.absolute(source);
        match self.at(&path) {
            Ok(config) => (overrides.clone().or(&config.settings_for(&path)), Vec::new()),
            Err(messages) => (overrides.clone(), messages),
        }
    }

    /// Whether the settings select a file in a folder. Without valid settings, every file is selected.
    pub fn selection(&self, source: &Path) -> FileSelection {
        let path = self.absolute(source);
        match self.at(&path) {
            Ok(config) => {
                FileSelection { is_included: config.includes(&path), has_patterns: !config.contents.include.is_empty() }
            }
            Err(_) => FileSelection { is_included: true, has_patterns: false },
        }
    }
}

fn invalid_file(invalid: InvalidConfig) -> Vec<String> {
    let messages = invalid.messages().into_iter();
    messages.map(|message| format!("cannot use {}: {message}", invalid.file.display())).collect()
}

/// What applies to a folder: what applies to the one around it, unless it has files of its own.
fn near(known: &mut HashMap<PathBuf, LoadedConfig>, folder: &Path) -> LoadedConfig {
    if let Some(found) = known.get(folder) {
        return found.clone();
    }
    let found = match folder.parent().filter(|_| !ProjectConfig::has_files(folder)) {
        Some(parent) => near(known, parent),
        None => ProjectConfig::near(folder).map(Arc::new).map_err(invalid_file),
    };
    known.insert(folder.to_owned(), found.clone());
    found
}

//! Which settings file speaks for which source, each read once.
//!
//! Must not know what the settings are for.

use crate::project_config::ProjectConfig;
use diagnostics::Settings;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

type LoadedConfig = Result<Arc<ProjectConfig>, String>;

/// The files beside the sources, or the one that the command line names.
pub struct ConfigCache {
    only: Option<Arc<ProjectConfig>>,
    known: Mutex<HashMap<PathBuf, LoadedConfig>>,
}

impl ConfigCache {
    /// With a certain file for all sources, or none; the error is a sentence for people.
    pub fn new(only: Option<&Path>) -> Result<Self, String> {
        let only = only.map(|file| ProjectConfig::at(file).map(Arc::new).map_err(complaint)).transpose()?;
        Ok(ConfigCache { only, known: Mutex::default() })
    }

    /// What speaks for a source; the error is a sentence for people.
    pub fn of(&self, source: &Path) -> LoadedConfig {
        if let Some(only) = &self.only {
            return Ok(only.clone());
        }
        let path = absolute(source);
        let folder = path.parent().unwrap_or(&path).to_owned();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known
            .entry(folder)
            .or_insert_with_key(|folder| ProjectConfig::near(folder).map(Arc::new).map_err(complaint));
        found.clone()
    }

    /// What the command line says, and where that says nothing, what the file says. With a complaint about a file that cannot be used.
    pub fn settings(&self, overrides: &Settings, source: &Path) -> (Settings, Option<String>) {
        match self.of(source) {
            Ok(config) => (overrides.clone().or(&config.settings_for(&absolute(source))), None),
            Err(complaint) => (overrides.clone(), Some(complaint)),
        }
    }

    /// Whether a file that was found in a folder shall be looked at, and whether somebody asked for files like it by name.
    pub fn wants(&self, source: &Path) -> (bool, bool) {
        self.of(source)
            .map_or((true, false), |config| (config.wants(&absolute(source)), !config.contents.include.is_empty()))
    }
}

fn complaint((file, reason): (PathBuf, String)) -> String {
    format!("cannot use {}: {reason}", file.display())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

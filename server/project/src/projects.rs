//! Which settings file speaks for which source, each read once.
//!
//! Must not know what the settings are for.

use crate::speaker::Speaker;
use diagnostics::Settings;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

type LoadedConfig = Result<Arc<Speaker>, String>;

/// The files beside the sources, or the one that the command line names.
pub struct Projects {
    only: Option<Arc<Speaker>>,
    known: Mutex<HashMap<PathBuf, LoadedConfig>>,
}

impl Projects {
    /// With a certain file for all sources, or none; the error is a sentence for people.
    pub fn new(only: Option<&Path>) -> Result<Self, String> {
        let only = only.map(|file| Speaker::at(file).map(Arc::new).map_err(complaint)).transpose()?;
        Ok(Projects { only, known: Mutex::default() })
    }

    /// What speaks for a source; the error is a sentence for people.
    pub fn of(&self, source: &Path) -> LoadedConfig {
        if let Some(only) = &self.only {
            return Ok(only.clone());
        }
        let path = absolute(source);
        let folder = path.parent().unwrap_or(&path).to_owned();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found =
            known.entry(folder).or_insert_with_key(|folder| Speaker::near(folder).map(Arc::new).map_err(complaint));
        found.clone()
    }

    /// What the command line says, and where that says nothing, what the file says. With a complaint about a file that cannot be used.
    pub fn settings(&self, overrides: &Settings, source: &Path) -> (Settings, Option<String>) {
        match self.of(source) {
            Ok(speaker) => (overrides.clone().or(&speaker.settings_for(&absolute(source))), None),
            Err(complaint) => (overrides.clone(), Some(complaint)),
        }
    }

    /// Whether a file that was found in a folder shall be looked at, and whether somebody asked for files like it by name.
    pub fn wants(&self, source: &Path) -> (bool, bool) {
        self.of(source)
            .map_or((true, false), |speaker| (speaker.wants(&absolute(source)), !speaker.project.include.is_empty()))
    }
}

fn complaint((file, reason): (PathBuf, String)) -> String {
    format!("cannot use {}: {reason}", file.display())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

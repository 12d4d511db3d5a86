//! The settings files of projects, for documents.

use crate::documents::document::ProjectSettings;
use crate::uri;
use project::{InvalidConfig, ProjectConfig};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The settings files of projects, each read once for all documents of its folder.
#[derive(Default)]
pub struct ReadProjects(BTreeMap<PathBuf, Result<ProjectConfig, InvalidConfig>>);

impl ReadProjects {
    /// The settings of the project's file for a document.
    pub fn settings(&mut self, uri: &str) -> Result<ProjectSettings, InvalidConfig> {
        let Some(path) = uri::path_of(uri) else { return Ok(ProjectSettings::default()) };
        let folder = path.parent().unwrap_or(&path).to_owned();
        let config = self.0.entry(folder).or_insert_with_key(|folder| ProjectConfig::near(folder)).as_ref();
        let config = config.map_err(Clone::clone)?;
        let settings = config.settings_for(&path);
        Ok(ProjectSettings { settings, is_excluded: !config.includes(&path), file: config.file.clone() })
    }
}

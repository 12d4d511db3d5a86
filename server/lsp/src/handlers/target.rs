//! `ptxAtomics/target`, an extension of the protocol: the targets that override the module's, and where they are set.

use crate::configuration::settings::TargetOverride;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::uri;
use project::ProjectConfig;
use serde_json::{Value, json};

/// `{targets, source, file}`, where `source` is `command line`, `editor`, `file` or `compile commands`. Only `file` has a URI in `file`. Null if the
/// module's `.target` is used.
pub fn target(snapshot: &DocumentSnapshot) -> Option<Value> {
    let settings = snapshot.source.settings();
    let targets = settings.target.iter().chain(&settings.additional_targets);
    let targets: Vec<String> = targets.map(|target| target.name().to_string()).collect();
    if targets.is_empty() {
        return None;
    }
    let (source, file) = match snapshot.target_override {
        TargetOverride::CommandLine => ("command line", None),
        TargetOverride::Editor => ("editor", None),
        TargetOverride::ProjectFile => match project_file(&snapshot.uri) {
            Some(file) => ("file", Some(file)),
            None => ("compile commands", None),
        },
    };
    Some(json!({"targets": targets, "source": source, "file": file}))
}

/// The URI of the project's file for a document.
fn project_file(document: &str) -> Option<String> {
    let path = uri::path_of(document)?;
    let config = ProjectConfig::near(path.parent()?).ok()?;
    Some(uri::uri_of(&config.file?)?.to_string())
}

//! The command that applies a fix, for clients that support code actions only as commands.

use crate::documents::document_snapshot::DocumentSnapshot;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types as lsp;

/// The command. Its argument is `{uri, version, edit}`.
pub const COMMAND: &str = "ptxAtomics.applyEdit";

/// An edit of one version of a document.
#[derive(Deserialize, Serialize)]
pub struct EditOfVersion {
    /// The document.
    pub uri: lsp::Uri,
    version: i32,
    /// The edit.
    pub edit: lsp::WorkspaceEdit,
}

impl EditOfVersion {
    /// Parses the command's arguments; `None` if they are invalid.
    pub fn read(arguments: &[Value]) -> Option<Self> {
        serde_json::from_value(arguments.first()?.clone()).ok()
    }

    /// Whether it was made for the present text.
    pub fn is_current(&self, snapshot: &DocumentSnapshot) -> bool {
        self.version == snapshot.version
    }
}

/// A code action as a command; `None` if it has no edit.
pub fn command(snapshot: &DocumentSnapshot, action: lsp::CodeAction) -> Option<lsp::Command> {
    let edit = EditOfVersion { uri: snapshot.uri.parse().ok()?, version: snapshot.version, edit: action.edit? };
    let arguments = Some(vec![serde_json::to_value(edit).ok()?]);
    Some(lsp::Command { title: action.title, command: COMMAND.to_owned(), arguments })
}

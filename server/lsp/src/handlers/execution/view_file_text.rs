//! `ptxAtomics/viewFileText`, an extension of the protocol: the server's text of a document.
//!
//! Use it when an editor and the server disagree about a position.

use crate::documents::document_snapshot::DocumentSnapshot;
use serde_json::{Value, json};

/// `{version, text}`.
pub fn view_file_text(snapshot: &DocumentSnapshot) -> Value {
    json!({"version": snapshot.version, "text": snapshot.source.rope().to_string()})
}

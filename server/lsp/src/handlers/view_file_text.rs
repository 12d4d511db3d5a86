//! `ptxAtomics/viewFileText`, a request of our own: the text that the server believes a document to have.
//!
//! The first thing to ask for when an editor and the server disagree about a position.

use crate::document_snapshot::DocumentSnapshot;
use serde_json::{Value, json};

/// `{version, text}`.
pub fn view_file_text(snapshot: &DocumentSnapshot) -> Value {
    json!({"version": snapshot.version, "text": snapshot.source.rope().to_string()})
}

//! `ptxAtomics/viewFileText`, a request of our own: the text that the server believes a document to have.
//!
//! The first thing to ask for when an editor and the server disagree about a position.

use crate::view::View;
use serde_json::{Value, json};

/// `{version, text}`.
pub fn view_file_text(view: &View) -> Value {
    json!({"version": view.version, "text": view.source.rope().to_string()})
}

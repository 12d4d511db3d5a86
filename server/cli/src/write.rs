//! Edits of files: applied to the text, and put in place in one step.
//!
//! Must not know why a file changes.

use analysis::Edit;
use std::fs;
use std::io;
use std::path::Path;

/// A text after edits that are ordered and do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        result.push_str(&text[at..edit.range.start]);
        result.push_str(&edit.text);
        at = edit.range.end;
    }
    result + &text[at..]
}

/// Puts a new text in a file's place in one step: whatever happens, either the old or the new text is there.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let new = path.with_file_name(name);
    let written = fs::write(&new, text)
        .and_then(|()| fs::set_permissions(&new, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

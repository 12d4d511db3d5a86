//! Edits of files: applied to the text, and put in place in one step.
//!
//! Must not know why a file changes.

use analysis::Edit;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
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

/// Puts a new text in a file's place in one step: whatever happens, either the old or the new text is there. Only if what the new text was made
/// from is there still: what somebody else wrote meanwhile is not lost.
pub fn replace(path: &Path, old: &[u8], text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let new = path.with_file_name(name);
    // Never through a link that somebody put there.
    let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| fs::set_permissions(&new, fs::metadata(&path)?.permissions()))
        .and_then(|()| {
            if fs::read(&path)? == old { Ok(()) } else { Err(io::Error::other("it changed meanwhile; try again")) }
        })
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

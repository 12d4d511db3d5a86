//! Words, lists of them and edits, as messages show them.
//!
//! Must not know causes.

use crate::form::Role;
use crate::reason::{SpellingEdit, SpellingFix};

/// A word of the source as a message shows it: cut, if it is longer than any word has a right to be.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// `.a`, `.b` and no more than so many.
pub(super) fn list(words: &[&str], most: usize) -> String {
    let mut names: Vec<String> = words.iter().take(most).map(|word| format!("`.{word}`")).collect();
    if words.len() > most {
        names.push("…".to_string());
    }
    names.join(", ")
}

/// The edit that takes a modifier away, and with the cache hint its operand.
pub(super) fn remove(at: usize, text: &str, slot: Option<&str>) -> SpellingFix {
    let mut edits = vec![SpellingEdit::Remove { at }];
    if slot == Some("hint") && text == "L2::cache_hint" {
        edits.push(SpellingEdit::RemoveOperand { role: Role::Policy });
    }
    SpellingFix { title: format!("Remove `.{}`", shown(text)), edits }
}

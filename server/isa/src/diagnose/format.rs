//! Words, lists and fixes as messages show them.

use crate::reason::{SpellingEdit, SpellingFix};
use crate::tables::form::Role;

/// A word of the source as a message shows it, cut after 40 characters.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The article of a title: "a" or "an".
pub(super) fn article(title: &str) -> &'static str {
    if title.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// `VERB one of .a, .b`; without "one of" where there is no choice.
pub(super) fn choice(verb: &str, words: &[&str], most: usize) -> String {
    format!("{verb} {}", alternatives(words, most))
}

/// `one of .a, .b`, or the only word.
pub(super) fn alternatives(words: &[&str], most: usize) -> String {
    let one_of = if words.len() > 1 { "one of " } else { "" };
    format!("{one_of}{}", list(words, most))
}

/// `.a`, `.b` and at most so many.
pub(super) fn list(words: &[&str], most: usize) -> String {
    let mut names: Vec<String> = words.iter().take(most).map(|word| format!("`.{word}`")).collect();
    if words.len() > most {
        names.push("…".to_string());
    }
    names.join(", ")
}

/// The fix that removes a modifier; a cache hint is removed with its operand.
pub(super) fn remove(at: usize, text: &str, slot: Option<&str>) -> SpellingFix {
    let mut edits = vec![SpellingEdit::Remove { at }];
    if slot == Some("hint") && text == "L2::cache_hint" {
        edits.push(SpellingEdit::RemoveOperand { role: Role::Policy });
    }
    SpellingFix { title: format!("Remove `.{}`", shown(text)), edits }
}

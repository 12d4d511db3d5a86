//! The words for a name that no instruction has.
//!
//! Must not know rows.

use super::format::shown;
use crate::names;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::spelling::Spelling;

/// How many names a message lists.
const LISTED: usize = 8;

/// Why a spelling has no name, when it has none.
pub(crate) fn unknown(spelling: &Spelling) -> Reason {
    let shared = names::shared(spelling);
    let near = names::near(spelling);
    let start = start(spelling, shared);
    let wrong = shared.checked_sub(1).filter(|at| *at < spelling.modifiers.len());
    if let Some(at) = wrong
        && let Some((later, word)) = belated(spelling, shared)
    {
        return Reason {
            at: Some(later),
            message: format!("`.{word}` belongs right after `{start}`"),
            help: format!("write `{start}.{word}`; the other modifiers follow it in any order"),
            fixes: vec![SpellingFix {
                title: format!("Write `{start}.{word}`"),
                edits: vec![SpellingEdit::Insert { at, word }, SpellingEdit::Remove { at: later }],
            }],
            ..reason()
        };
    }
    let message = match wrong {
        Some(at) => format!("there is no instruction `{start}.{}`", shown(spelling.modifiers[at])),
        None if shared > 0 => format!("`{start}` alone is no instruction"),
        None => format!("there is no instruction `{}`", shown(spelling.mnemonic)),
    };
    let help = match &near[..] {
        [] if shared > 0 => format!("the instructions are {}", list(names::beginning(spelling, shared))),
        [] => "no instruction of PTX has a similar name".to_owned(),
        near => format!("did you mean {}?", alternatives(near)),
    };
    let fixes = match &near[..] {
        [name] => vec![renamed(spelling, name)],
        _ => Vec::new(),
    };
    Reason { at: wrong, message, help, fixes, ..reason() }
}

/// Why a word behind a name is none, if it is none.
pub(crate) fn foreign(spelling: &Spelling, name: &str) -> Option<Reason> {
    let (at, near) = names::foreign(spelling, name)?;
    let word = shown(spelling.modifiers[at]);
    let (help, fixes) = match &near[..] {
        [] => {
            let edits = vec![SpellingEdit::Remove { at }];
            ("leave it out".to_owned(), vec![SpellingFix { title: format!("Remove `.{word}`"), edits }])
        }
        [word] => (
            format!("did you mean `.{word}`?"),
            vec![SpellingFix { title: format!("Write `.{word}`"), edits: vec![SpellingEdit::Replace { at, word }] }],
        ),
        near => {
            let near: Vec<String> = near.iter().map(|word| format!(".{word}")).collect();
            (format!("did you mean {}?", alternatives(&near)), Vec::new())
        }
    };
    let message = format!("there is no modifier `.{word}`");
    Some(Reason { code: ReasonCode::UnknownModifier, at: Some(at), message, help, fixes, ..reason() })
}

fn reason() -> Reason {
    Reason {
        code: ReasonCode::UnknownInstruction,
        at: None,
        other: None,
        message: String::new(),
        help: String::new(),
        requires: None,
        fixes: Vec::new(),
    }
}

/// The first words, as they are written.
fn start(spelling: &Spelling, count: usize) -> String {
    let modifiers = spelling.modifiers.iter().take(count.saturating_sub(1));
    modifiers.fold(spelling.mnemonic.to_owned(), |text, word| text + "." + word)
}

/// A modifier that would make a name of the first words if it stood right after them.
fn belated(spelling: &Spelling, shared: usize) -> Option<(usize, &'static str)> {
    let next: Vec<&'static str> =
        names::beginning(spelling, shared).filter_map(|name| name.split('.').nth(shared)).collect();
    spelling
        .modifiers
        .iter()
        .enumerate()
        .skip(shared)
        .find_map(|(at, modifier)| next.iter().find(|word| *word == modifier).map(|word| (at, *word)))
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        names.truncate(LISTED);
        names.push("…".to_owned());
    }
    names.join(", ")
}

fn alternatives<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(" or ")
}

/// The fix that writes a name instead of the words that stand for it.
fn renamed(spelling: &Spelling, name: &'static str) -> SpellingFix {
    let mut edits = Vec::new();
    for (index, word) in name.split('.').enumerate() {
        match index.checked_sub(1) {
            None if word == spelling.mnemonic => {}
            None => edits.push(SpellingEdit::Rename { word }),
            Some(at) if at >= spelling.modifiers.len() => {
                edits.push(SpellingEdit::Insert { at: spelling.modifiers.len(), word })
            }
            Some(at) if spelling.modifiers[at] == word => {}
            Some(at) => edits.push(SpellingEdit::Replace { at, word }),
        }
    }
    SpellingFix { title: format!("Write `{name}`"), edits }
}

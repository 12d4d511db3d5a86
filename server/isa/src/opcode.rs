//! Which family an opcode is of, or why it is none.
//!
//! Must not know rows, nor any modifier that is not part of an opcode.

use crate::form::Family;
use crate::likeness::edit_distance;
use crate::reason::{Code, Edit, Fix, Reason};
use crate::resolve::Spelling;
use crate::table::{PARTLY, families};

/// What stands in the tables under an opcode.
pub(crate) enum Found {
    /// Its rows.
    Family(&'static Family),
    /// No rows, so nothing can be said.
    Nothing,
    /// No instruction: the mnemonic wants a word after it that is not there.
    Broken(Reason),
}

/// Looks up the opcode, the longest one that fits.
pub(crate) fn find(spelling: &Spelling) -> Found {
    let fitting = families().iter().filter(|family| begins(spelling, family.name) && family.is_meant(spelling));
    match fitting.max_by_key(|family| family.name.len()) {
        Some(family) => Found::Family(family),
        None => broken(spelling).map_or(Found::Nothing, Found::Broken),
    }
}

impl Family {
    /// Whether the spelling is of this family and not of one that it shares its opcode with.
    fn is_meant(&self, spelling: &Spelling) -> bool {
        self.only == 0 || spelling.modifiers.iter().any(|word| self.texts(self.only).any(|only| only == *word))
    }
}

/// The family of the longest opcode that a spelling begins with, though it may still become one that has no rows.
pub(crate) fn begun(spelling: &Spelling) -> Option<&'static Family> {
    families().iter().filter(|family| begins(spelling, family.name)).max_by_key(|family| family.name.len())
}

fn begins(spelling: &Spelling, opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    parts.next() == Some(spelling.mnemonic)
        && parts.enumerate().all(|(at, part)| spelling.modifiers.get(at).is_some_and(|modifier| *modifier == part))
}

/// Why there is no opcode, if the mnemonic alone is ours.
fn broken(spelling: &Spelling) -> Option<Reason> {
    let continuation = |family: &'static Family| family.name.strip_prefix(spelling.mnemonic)?.strip_prefix('.');
    let words: Vec<&'static str> = families().iter().filter_map(continuation).collect();
    if words.is_empty() || PARTLY.contains(&spelling.mnemonic) {
        return None;
    }
    let mnemonic = spelling.mnemonic;
    let list = words.iter().map(|word| format!("`{mnemonic}.{word}`")).collect::<Vec<_>>().join(", ");
    let later = spelling.modifiers.iter().position(|m| words.contains(m));
    let help =
        format!("the instructions are {list}; that word stands first, the other modifiers in any order after it");
    Some(match later.and_then(|at| Some((at, *words.iter().find(|w| **w == spelling.modifiers[at])?))) {
        Some((at, word)) => Reason {
            code: Code::IllegalModifier,
            at: Some(at),
            other: None,
            message: format!("`.{word}` belongs right after `{mnemonic}`"),
            help,
            fixes: vec![Fix {
                title: format!("Write `{mnemonic}.{word}`"),
                edits: vec![Edit::Insert { at: 0, word }, Edit::Remove { at }],
            }],
        },
        None => match spelling.modifiers.first() {
            Some(wrong) => Reason {
                code: Code::UnknownModifier,
                at: Some(0),
                other: None,
                message: format!("there is no instruction `{mnemonic}.{wrong}`"),
                help,
                fixes: typo(wrong, &words),
            },
            None => Reason {
                code: Code::MissingModifier,
                at: None,
                other: None,
                message: format!("`{mnemonic}` alone is no instruction"),
                help,
                fixes: Vec::new(),
            },
        },
    })
}

/// The fix for a typo in the second word of an opcode.
fn typo(wrong: &str, words: &[&'static str]) -> Vec<Fix> {
    let near = words.iter().filter(|word| edit_distance(wrong, word) <= 2);
    near.map(|word| Fix { title: format!("Write `.{word}`"), edits: vec![Edit::Replace { at: 0, word }] }).collect()
}

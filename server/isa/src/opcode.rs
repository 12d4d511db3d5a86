//! Which family an opcode is of, or why it is none.
//!
//! Must not know rows, nor any modifier that is not part of an opcode.

use crate::explain;
use crate::form::Family;
use crate::names;
use crate::reason::Reason;
use crate::resolve::Spelling;
use crate::table::families;

/// What stands in the tables under an opcode.
pub(crate) enum Found {
    /// Its rows.
    Family(&'static Family),
    /// No rows, so nothing can be said.
    Nothing,
    /// No instruction: nobody knows the name.
    Unnamed,
    /// No instruction: a word behind the name is no modifier of anything.
    Broken(Reason),
}

/// Looks up the opcode, the longest one that fits.
pub(crate) fn find(spelling: &Spelling) -> Found {
    let fitting = families().iter().filter(|family| begins(spelling, family.name) && family.is_meant(spelling));
    if let Some(family) = fitting.max_by_key(|family| family.name.len()) {
        return Found::Family(family);
    }
    match names::name(spelling) {
        None => Found::Unnamed,
        Some(name) => explain::name::foreign(spelling, name).map_or(Found::Nothing, Found::Broken),
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

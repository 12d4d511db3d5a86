//! Which family an opcode is of, or why it is none.

use crate::diagnose;
use crate::form::Family;
use crate::names;
use crate::reason::Reason;
use crate::spelling::Spelling;
use crate::table::{self, TableEntry};
use std::collections::HashSet;
use std::sync::LazyLock;

/// What stands in the tables under an opcode.
pub(crate) enum OpcodeLookup {
    /// Its rows.
    Family(&'static Family),
    /// No rows, so nothing can be said.
    Nothing,
    /// No instruction: nobody knows the name.
    Unnamed,
    /// No instruction: a word behind the name is no modifier of anything, or one is missing there.
    Broken(Box<Reason>),
}

/// The names without rows that go on where one with rows ends: `multimem.red.async`.
static LONGER: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let opcodes: HashSet<&str> = table::opcodes().collect();
    let goes_on = |name: &&str| {
        let dots = name.match_indices('.').map(|(at, _)| at);
        !opcodes.contains(name) && dots.rev().any(|at| opcodes.contains(&name[..at]))
    };
    names::instructions().filter(goes_on).collect()
});

/// Looks up the opcode, the longest one that fits.
pub(crate) fn find(spelling: &Spelling) -> OpcodeLookup {
    if let Some(family) = begun(spelling) {
        let longer = |name: &&str| name.len() > family.name.len() && begins(spelling, name);
        if !LONGER.iter().any(longer) {
            return OpcodeLookup::Family(family);
        }
    }
    match names::name(spelling) {
        None => OpcodeLookup::Unnamed,
        Some(name) => {
            let incomplete = diagnose::unknown_name::incomplete(name);
            let reason = incomplete.or_else(|| diagnose::unknown_name::unknown_modifier(spelling, name));
            reason.map_or(OpcodeLookup::Nothing, |reason| OpcodeLookup::Broken(Box::new(reason)))
        }
    }
}

/// The family of the longest opcode that a spelling begins with, though it may still become one that has no rows.
pub(crate) fn begun(spelling: &Spelling) -> Option<&'static Family> {
    longest(spelling).map(TableEntry::family)
}

/// The longest opcode with rows that a spelling begins with: `multimem.red` of `multimem.red.add.u32`.
pub fn opcode_of(spelling: &Spelling) -> Option<&'static str> {
    longest(spelling).map(|entry| entry.name)
}

fn longest(spelling: &Spelling) -> Option<&'static TableEntry> {
    let fitting = table::of_mnemonic(spelling.mnemonic).iter().filter(|entry| begins(spelling, entry.name));
    fitting.max_by_key(|entry| entry.name.len())
}

fn begins(spelling: &Spelling, opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    parts.next() == Some(spelling.mnemonic)
        && parts.enumerate().all(|(at, part)| spelling.modifiers.get(at).is_some_and(|modifier| *modifier == part))
}

//! Finds the family of an opcode, or the reason why there is none.

use crate::diagnose;
use crate::names;
use crate::reason::Reason;
use crate::spelling::Spelling;
use crate::tables::form::Family;
use crate::tables::table;
use crate::tables::table::TableEntry;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The result of looking up an opcode in the tables.
pub(crate) enum OpcodeLookup {
    /// Its family.
    Family(&'static Family),
    /// No rows; the instruction is not checked.
    Nothing,
    /// No instruction has this name.
    Unnamed,
    /// A word after the name is missing, or is not a modifier of any instruction.
    Broken(Box<Reason>),
}

/// The names without rows that begin with a name that has rows: `multimem.red.async`.
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
            let incomplete = diagnose::unknown_name::incomplete(spelling, name);
            let reason = incomplete
                .or_else(|| diagnose::unknown_name::unexpected_suffix(spelling, name))
                .or_else(|| diagnose::unknown_name::unknown_modifier(spelling, name));
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

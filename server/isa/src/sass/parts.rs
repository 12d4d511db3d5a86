//! The parts of an opcode behind the mnemonic, and their order.
//!
//! Must not know which of them go together.

use super::reason::{fail, unknown};
use super::size::{ALMOST, SIZES};
use super::words::{CACHE, SCOPE, STRENGTH, all_ops};
use super::{Extended, Family, Reason};
use crate::reason::Code;
use std::ops::Range;

/// The parts of an opcode behind the mnemonic, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Extended,
    Op,
    Cache,
    Size,
    Strength,
    Scope,
    Private,
}

impl Slot {
    const fn name(self) -> &'static str {
        match self {
            Slot::Extended => "the width of the address",
            Slot::Op => "the operation",
            Slot::Cache => "the cache hint",
            Slot::Size => "the size",
            Slot::Strength => "the strength",
            Slot::Scope => "the scope",
            Slot::Private => "the word for private memory",
        }
    }
}

/// The part that begins at a word, and how many words it takes; the longest that fits.
pub(super) fn part(words: &[&str], at: usize) -> Option<(Slot, usize)> {
    let taken = |count: usize| words.get(at..at + count).map(|words| words.join("."));
    for count in (1..=3).rev() {
        let Some(text) = taken(count) else { continue };
        if all_ops().any(|op| op == text) {
            return Some((Slot::Op, count));
        }
        if SIZES.iter().map(|size| size.name).chain(ALMOST.iter().copied()).any(|name| name == text) {
            return Some((Slot::Size, count));
        }
    }
    let word = words[at];
    let slot = match word {
        "E" => Slot::Extended,
        "PRIVATE" => Slot::Private,
        _ if CACHE.contains(&word) => Slot::Cache,
        _ if STRENGTH.contains(&word) => Slot::Strength,
        _ if SCOPE.contains(&word) => Slot::Scope,
        _ => return None,
    };
    Some((slot, 1))
}

/// The words of each slot, by their places.
pub(super) type Parts = [Option<Range<usize>>; 7];

/// The parts of an opcode, each once and in order, as far as the family has them.
pub(super) fn parts(family: &Family, words: &[&str]) -> Result<Parts, Box<Reason>> {
    let mut parts: Parts = Default::default();
    let (mut at, mut last) = (0, None);
    while at < words.len() {
        let Some((slot, count)) = part(words, at) else {
            return Err(Box::new(unknown(words[at], at)));
        };
        let here = at..at + count;
        let word = words[here.clone()].join(".");
        if let Some(before) = &parts[slot as usize] {
            let earlier = words[before.clone()].join(".");
            let (code, message) = if earlier == word {
                (Code::DuplicateModifier, format!("`.{word}` stands twice"))
            } else {
                (
                    Code::ConflictingModifiers,
                    format!("`.{earlier}` and `.{word}` exclude each other: both say {}", slot.name()),
                )
            };
            return fail(code, here, message, "keep the one that you mean".to_owned(), Some(String::new()));
        }
        let fits = match slot {
            Slot::Extended => family.extended != Extended::Never,
            Slot::Op | Slot::Size => true,
            Slot::Cache | Slot::Strength | Slot::Scope | Slot::Private => family.scoped,
        };
        if !fits {
            let why = match slot {
                Slot::Extended => "an address in shared memory has 32 bits".to_owned(),
                _ => format!("it stands in no opcode of `{}`", family.name),
            };
            return fail(
                Code::IllegalModifier,
                here,
                format!("`{}` does not take `.{word}`: {why}", family.name),
                format!("remove `.{word}`"),
                Some(String::new()),
            );
        }
        if let Some(behind) = last.filter(|last: &Slot| *last > slot) {
            let order = format!("{} stands before {}", slot.name(), behind.name());
            return fail(
                Code::IllegalModifier,
                here,
                format!("`.{word}` stands in the wrong place: {order}"),
                format!("write `{}`", ordered(family, words)),
                None,
            );
        }
        last = Some(slot);
        parts[slot as usize] = Some(here);
        at += count;
    }
    Ok(parts)
}

/// The opcode with its parts in their order.
fn ordered(family: &Family, words: &[&str]) -> String {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let (slot, count) = part(words, at).map_or((Slot::Private, 1), |part| part);
        found.push((slot, words[at..at + count].join(".")));
        at += count;
    }
    found.sort_by_key(|(slot, _)| *slot);
    found.iter().fold(family.name.to_owned(), |text, (_, word)| text + "." + word)
}

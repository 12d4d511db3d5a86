//! The parts of an opcode after the mnemonic, and their order.

use crate::reason::ReasonCode;
use crate::sass::reason::{fail, unknown};
use crate::sass::size::{ALMOST, SIZES};
use crate::sass::words::{CACHE, SCOPE, STRENGTH, all_ops};
use crate::sass::{ExtendedAddress, SassFamily, SassReason};
use std::ops::Range;

/// The parts of an opcode after the mnemonic, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SassSlot {
    Extended,
    Op,
    Cache,
    Size,
    Strength,
    Scope,
    Private,
}

impl SassSlot {
    const fn name(self) -> &'static str {
        match self {
            SassSlot::Extended => "the width of the address",
            SassSlot::Op => "the operation",
            SassSlot::Cache => "the cache hint",
            SassSlot::Size => "the size",
            SassSlot::Strength => "the strength",
            SassSlot::Scope => "the scope",
            SassSlot::Private => "the mark of private memory",
        }
    }
}

/// The part that begins at a word, and its number of words; the longest match.
pub(super) fn part(words: &[&str], at: usize) -> Option<(SassSlot, usize)> {
    let taken = |count: usize| words.get(at..at + count).map(|words| words.join("."));
    for count in (1..=3).rev() {
        let Some(text) = taken(count) else { continue };
        if all_ops().any(|op| op == text) {
            return Some((SassSlot::Op, count));
        }
        if SIZES.iter().map(|size| size.name).chain(ALMOST.iter().copied()).any(|name| name == text) {
            return Some((SassSlot::Size, count));
        }
    }
    let word = words[at];
    let slot = match word {
        "E" => SassSlot::Extended,
        "PRIVATE" => SassSlot::Private,
        _ if CACHE.contains(&word) => SassSlot::Cache,
        _ if STRENGTH.contains(&word) => SassSlot::Strength,
        _ if SCOPE.contains(&word) => SassSlot::Scope,
        _ => return None,
    };
    Some((slot, 1))
}

/// The words of each slot, by their places.
pub(super) type Parts = [Option<Range<usize>>; 7];

/// The parts of an opcode, each once and in order, as far as the family has them.
pub(super) fn parts(family: &SassFamily, words: &[&str]) -> Result<Parts, Box<SassReason>> {
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
                (ReasonCode::DuplicateModifier, format!("duplicate `.{word}`"))
            } else {
                (
                    ReasonCode::ConflictingModifiers,
                    format!("conflicting modifiers `.{earlier}` and `.{word}`: both set {}", slot.name()),
                )
            };
            return fail(code, here, message, "keep one of them".to_owned(), Some(String::new()));
        }
        let fits = match slot {
            SassSlot::Extended => family.extended != ExtendedAddress::Never,
            SassSlot::Op | SassSlot::Size => true,
            SassSlot::Cache | SassSlot::Strength | SassSlot::Scope | SassSlot::Private => family.scoped,
        };
        if !fits {
            let why = if slot == SassSlot::Extended { ": an address in shared memory has 32 bits" } else { "" };
            return fail(
                ReasonCode::IllegalModifier,
                here,
                format!("`.{word}` is not allowed on `{}`{why}", family.name),
                format!("remove `.{word}`"),
                Some(String::new()),
            );
        }
        if let Some(behind) = last.filter(|last: &SassSlot| *last > slot) {
            let order = format!("{} precedes {}", slot.name(), behind.name());
            return fail(
                ReasonCode::IllegalModifier,
                here,
                format!("misplaced `.{word}`: {order}"),
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
fn ordered(family: &SassFamily, words: &[&str]) -> String {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let (slot, count) = part(words, at).map_or((SassSlot::Private, 1), |part| part);
        found.push((slot, words[at..at + count].join(".")));
        at += count;
    }
    found.sort_by_key(|(slot, _)| *slot);
    found.iter().fold(family.name.to_owned(), |text, (_, word)| text + "." + word)
}

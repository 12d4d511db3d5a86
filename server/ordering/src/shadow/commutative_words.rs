//! The words of global memory that were only ever updated in one way whose order does not matter.

use crate::shadow::row::ROW;
use crate::shadow::shadow_access::WORD;
use crate::{CheckedAccess, Races, WriteEffect};
use program::memory::commutative_update::CommutativeUpdate;
use program::memory::location::RacedMemory;
use std::collections::BTreeMap;

/// Rows of a page.
const PAGE: usize = 32;

/// How a word was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordUse {
    /// Not yet.
    None,
    /// By one kind of update, of which it is the part with this number.
    Combined(CommutativeUpdate, usize),
    /// In another way, too.
    Other,
}

impl WordUse {
    /// The word with the other half of an update of 64 bits, which is aligned, as allocations and pages are.
    const fn other_half(self, at: usize) -> Option<usize> {
        match self {
            Self::Combined(update, _) if update.bytes() as usize > WORD => Some(at ^ 1),
            _ => None,
        }
    }
}

/// The words of some rows.
type WordUses = [WordUse; PAGE * ROW];

/// How words were accessed, in pages with an update. Pages are counted by allocation, then in it.
#[derive(Clone, Debug, Default)]
pub struct CommutativeWords(BTreeMap<(usize, usize), Box<WordUses>>);

impl CommutativeWords {
    /// The words of a row that were only updated in one way, a bit each.
    pub fn of_row(&self, allocation: usize, row: usize) -> u32 {
        let Some(page) = self.0.get(&(allocation, row / PAGE)) else { return 0 };
        let words = &page[row % PAGE * ROW..][..ROW];
        let bit = |(at, word): (usize, &WordUse)| u32::from(matches!(word, WordUse::Combined(..))) << at;
        words.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
    }

    /// The places that were only updated in one way: allocations, and offsets in bytes.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize, CommutativeUpdate)> {
        let words = self.0.iter().flat_map(|((allocation, page), words)| {
            words.iter().enumerate().map(move |(at, word)| (*allocation, page * PAGE * ROW + at, *word))
        });
        words.filter_map(|(allocation, word, usage)| match usage {
            WordUse::Combined(update, 0) => Some((allocation, word * WORD, update)),
            _ => None,
        })
    }

    /// Adds the updates of another run. Returns whether no word was updated in two ways.
    pub fn add(&mut self, other: &Self) -> bool {
        for (place, words) in &other.0 {
            let own = self.0.entry(*place).or_insert_with(|| Box::new([WordUse::None; PAGE * ROW]));
            for (own, new) in own.iter_mut().zip(&**words) {
                match (*own, *new) {
                    (_, WordUse::None | WordUse::Other) => {}
                    (WordUse::None | WordUse::Other, new) => *own = new,
                    (known, new) if known == new => {}
                    _ => return false,
                }
            }
        }
        true
    }
}

/// Notes from now on which words are only updated in one way.
pub fn note_commutative(races: &mut Races) {
    races.used.combined = Some(CommutativeWords::default());
}

/// Whether that is noted.
pub const fn notes_commutative(races: &Races) -> bool {
    races.used.combined.is_some()
}

/// Notes how an access uses its words.
#[inline]
pub fn note_words(races: &mut Races, access: &CheckedAccess, bytes: usize) {
    let (Some(combined), RacedMemory::Global(allocation)) = (&mut races.used.combined, access.region) else { return };
    let update = match access.effect {
        WriteEffect::Combines(update) => Some(update),
        WriteEffect::None | WriteEffect::Changes => None,
    };
    if update.is_none() && combined.0.is_empty() {
        return;
    }
    let first = access.offset / WORD;
    for word in first..(access.offset + bytes).div_ceil(WORD) {
        let place = (allocation, word / (PAGE * ROW));
        let shadow = races.global.get(allocation);
        let page = match update {
            None => combined.0.get_mut(&place),
            Some(_) => Some(combined.0.entry(place).or_insert_with(|| {
                let touched = shadow.map(|shadow| shadow.touched(place.1 * PAGE..(place.1 + 1) * PAGE));
                let is_touched = |at: usize| touched.as_ref().is_some_and(|rows| rows[at / ROW] >> (at % ROW) & 1 == 1);
                Box::new(std::array::from_fn(|at| if is_touched(at) { WordUse::Other } else { WordUse::None }))
            })),
        };
        let Some(page) = page else { continue };
        let at = word % (PAGE * ROW);
        let known = page[at];
        let new = update.map_or(WordUse::Other, |update| WordUse::Combined(update, word - first));
        if known != new {
            page[at] = if known == WordUse::None { new } else { WordUse::Other };
            if page[at] == WordUse::Other {
                // The halves of an update are merged together or not at all.
                let halves = [known, new].into_iter().filter_map(|usage| usage.other_half(at));
                halves.for_each(|half| page[half] = WordUse::Other);
            }
        }
    }
}

/// The words that were only updated in one way.
pub const fn combined(races: &Races) -> Option<&CommutativeWords> {
    races.used.combined.as_ref()
}

//! The words of a spelling, and the matching rows of its family.

use crate::since::Since;
use crate::spelling::Spelling;
use crate::tables::form::{Family, FormRow, Pair};
use crate::tables::word_set::WordSet;
use std::iter;

/// The maximum number of modifiers. An instruction with more is illegal, because it has two words of one slot.
pub(crate) const MODIFIERS: usize = 24;

/// The index of an absent word.
pub(crate) const ABSENT: u8 = u8::MAX;

/// Whether further modifiers may be added to a set of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpcodeCompleteness {
    /// It is a part of an instruction.
    Partial,
    /// It is a whole instruction.
    Complete,
}

/// A spelling with the indices of its words.
pub(crate) struct ParsedSpelling<'a> {
    pub spelling: Spelling<'a>,
    /// The index of the first modifier that is not part of the opcode.
    pub first: usize,
    /// The word of each modifier, [`ABSENT`] where the family has no such word.
    pub ids: [u8; MODIFIERS],
    /// All words that occur.
    pub words: WordSet,
    /// Whether each modifier is a word of the family and none is a duplicate.
    pub clean: bool,
}

impl<'a> ParsedSpelling<'a> {
    pub fn new(family: &Family, spelling: Spelling<'a>) -> ParsedSpelling<'a> {
        let first = family.opcode_modifiers();
        let mut parsed =
            ParsedSpelling { spelling, first, ids: [ABSENT; MODIFIERS], words: WordSet::EMPTY, clean: true };
        parsed.clean = spelling.modifiers.len() <= MODIFIERS;
        for (at, text) in spelling.modifiers.iter().enumerate().take(MODIFIERS).skip(first) {
            let taken = |id: usize, words: WordSet| words.intersects(family.slots[family.words[id].slot].words);
            let found = family.find(text);
            let mut slots = iter::successors(found, |id| family.find_again(*id));
            match slots.find(|id| !taken(*id, parsed.words)).or(found) {
                Some(id) if !parsed.words.contains(id) => {
                    parsed.ids[at] = id as u8;
                    parsed.words |= WordSet::of(id);
                }
                Some(id) => {
                    parsed.ids[at] = id as u8;
                    parsed.clean &= family.repeatable.contains(id);
                }
                None => parsed.clean = false,
            }
        }
        parsed.clean &= family.orders.iter().all(|pair| parsed.out_of_order(pair).is_none());
        parsed
    }

    /// The last modifier of the left set and the first one of the right set, if that is before it.
    pub fn out_of_order(&self, pair: &Pair) -> Option<(usize, usize)> {
        let of = |set: WordSet| move |id: &u8| *id != ABSENT && set.contains(usize::from(*id));
        let last = self.ids.iter().rposition(of(pair.left));
        let first = self.ids.iter().position(of(pair.right));
        last.zip(first).filter(|(last, first)| last > first)
    }

    /// The word of a modifier, if the family has it.
    pub fn id(&self, at: usize) -> Option<usize> {
        self.ids.get(at).filter(|id| **id != ABSENT).map(|id| usize::from(*id))
    }
}

impl Family {
    /// How many modifiers belong to the opcode: 1 for `multimem.red`. Optional ones are printed after them.
    pub fn opcode_modifiers(&self) -> usize {
        self.name.bytes().filter(|b| *b == b'.').count()
    }

    /// Whether the words satisfy the rules of all rows: one word per slot, no conflicting words, and, in a complete
    /// instruction, all required words.
    pub(crate) fn coherent(&self, words: WordSet, completeness: OpcodeCompleteness) -> bool {
        self.slots.iter().all(|slot| (words & slot.words).len() <= 1)
            && self.conflicts.iter().all(|pair| !words.intersects(pair.left) || !words.intersects(pair.right))
            && (completeness == OpcodeCompleteness::Partial
                || self.requirements.iter().all(|pair| !words.intersects(pair.left) || words.intersects(pair.right)))
    }

    /// The rows that the words match, with their requirements. The rows do not overlap, so there is at most one.
    pub(crate) fn matches(&'static self, words: WordSet) -> impl Iterator<Item = (&'static FormRow, Since)> {
        let rows = if self.coherent(words, OpcodeCompleteness::Complete) { &self.rows[..] } else { &[] };
        rows.iter().filter(move |row| row.fits(words)).map(move |row| (row, self.demand(row, words)))
    }

    /// What the words require in this row.
    pub(crate) fn demand(&self, row: &FormRow, words: WordSet) -> Since {
        let mut since = row.since;
        for id in words.iter() {
            since = since.and(self.words[id].since);
        }
        for place in &row.places {
            if !words.intersects(place.words) {
                since = since.and(self.slots[place.slot].default_since);
            }
        }
        for (words_of, demand) in &row.with {
            if words.intersects(*words_of) {
                since = since.and(*demand);
            }
        }
        since
    }
}

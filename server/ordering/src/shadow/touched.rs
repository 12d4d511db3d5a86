//! Which words of global memory a run has accessed and written, to tell whether two runs have to do with each other.

use crate::Races;
use crate::shadow::commutative_words;
use crate::shadow::commutative_words::CommutativeWords;
use crate::shadow::row::ROW;
use crate::shadow::shadow_access::WORD;
use crate::summary::access_summaries::AccessSummaries;
use std::collections::BTreeMap;
use std::ops::Range;

/// The words of global memory that several runs have accessed.
#[derive(Debug, Default)]
pub struct TouchedWords {
    /// The words of the rows of each allocation.
    rows: Vec<Vec<RowUse>>,
    /// The words that were only updated in one way whose order does not matter.
    combined: CommutativeWords,
    /// The allocations of which it is not known which words were read: whether they were, and whether they were written.
    whole: BTreeMap<usize, (bool, bool)>,
}

/// What runs have done to the words of a row, as bits.
#[derive(Clone, Copy, Debug, Default)]
struct RowUse {
    /// Those that were accessed, and not only combined.
    accessed: u32,
    /// Those of them that were written.
    written: u32,
    combined: u32,
}

impl TouchedWords {
    /// Adds the words of a run. Returns whether it has written none that earlier ones have accessed, nor accessed one that they have written, but for
    /// updates of one kind whose order does not matter.
    pub fn add(&mut self, races: &Races) -> bool {
        if has_combined_and_weak(races) || !self.add_whole(races) {
            return false;
        }
        for (at, row) in races.touched_rows() {
            let combined = commutative_words::combined(races).map_or(0, |combined| combined.of_row(at, row.row));
            let (accessed, written) = (row.accessed & !combined, row.written & !combined);
            let known = self.row(at, row.row);
            if written & known.accessed | accessed & (known.written | known.combined) | combined & known.accessed != 0 {
                return false;
            }
            known.accessed |= accessed;
            known.written |= written;
            known.combined |= combined;
        }
        commutative_words::combined(races).is_none_or(|combined| self.combined.add(combined))
    }

    /// Adds the allocations of which it is not known which words were read. Returns whether none is read by one run and written by another.
    fn add_whole(&mut self, races: &Races) -> bool {
        races.summaries().into_iter().flat_map(AccessSummaries::whole).all(|(at, is_read, is_written)| {
            let (was_read, was_written) = self.whole.entry(at).or_default();
            let is_apart = !(*was_read && is_written || *was_written && is_read);
            (*was_read, *was_written) = (*was_read || is_read, *was_written || is_written);
            is_apart
        })
    }

    fn row(&mut self, allocation: usize, row: usize) -> &mut RowUse {
        if allocation >= self.rows.len() {
            self.rows.resize_with(allocation + 1, Vec::new);
        }
        let rows = &mut self.rows[allocation];
        if row >= rows.len() {
            rows.resize(row + 1, RowUse::default());
        }
        &mut rows[row]
    }
}

/// Whether words that are combined were accessed in another way, too, which is noted where all accesses are kept.
fn has_combined_and_weak(races: &Races) -> bool {
    let (Some(summaries), Some(combined)) = (races.summaries(), commutative_words::combined(races)) else {
        return false;
    };
    summaries.rows().any(|(at, row, words)| (words.read | words.written) & combined.of_row(at, row) != 0)
}

/// What was written and not only combined: allocations, and ranges of bytes in them, in whole words.
pub fn written(races: &Races) -> impl Iterator<Item = (usize, Range<usize>)> {
    races.touched_rows().flat_map(|(at, row)| {
        let start = row.row * ROW;
        let written =
            row.written & !commutative_words::combined(races).map_or(0, |combined| combined.of_row(at, row.row));
        let all = (written == u32::MAX).then_some(start..start + ROW);
        let each = if all.is_some() { 0 } else { written };
        let each = program::lanes::lanes_of(each).map(move |word| start + word..start + word + 1);
        all.into_iter().chain(each).map(move |words| (at, words.start * WORD..words.end * WORD))
    })
}

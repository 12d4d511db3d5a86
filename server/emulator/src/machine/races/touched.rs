//! Which words of global memory a run has accessed and written, to tell whether two runs have to do with each other.

use super::Races;
use super::row::ROW;
use super::shadow::WORD;
use std::collections::HashMap;
use std::ops::Range;

/// The words of global memory that several runs have accessed.
#[derive(Debug, Default)]
pub struct TouchedWords {
    /// The words of a row of an allocation that were accessed, and those that were written, as bits.
    rows: HashMap<(usize, usize), (u32, u32)>,
}

impl TouchedWords {
    /// Adds the words of a run. Returns whether it has written none that earlier ones have accessed, nor accessed one that they have written.
    pub fn add(&mut self, races: &Races) -> bool {
        let rows = races.global.iter().enumerate().flat_map(|(at, shadow)| shadow.rows().map(move |row| (at, row)));
        for (at, row) in rows {
            let (accessed, written) = self.rows.entry((at, row.row)).or_default();
            if row.written & *accessed != 0 || row.accessed & *written != 0 {
                return false;
            }
            *accessed |= row.accessed;
            *written |= row.written;
        }
        true
    }
}

impl Races {
    /// What was written: allocations, and ranges of bytes in them, in whole words.
    pub fn written(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let rows = self.global.iter().enumerate().flat_map(|(at, shadow)| shadow.rows().map(move |row| (at, row)));
        rows.flat_map(|(at, row)| {
            let start = row.row * ROW;
            let all = (row.written == u32::MAX).then_some(start..start + ROW);
            let each = if all.is_some() { 0 } else { row.written };
            let each = super::super::lanes::lanes_of(each).map(move |word| start + word..start + word + 1);
            all.into_iter().chain(each).map(move |words| (at, words.start * WORD..words.end * WORD))
        })
    }
}

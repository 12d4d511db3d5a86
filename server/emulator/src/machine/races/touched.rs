//! Which words of global memory a run has accessed and written, to tell whether two runs have to do with each other.

use super::Races;
use super::row::ROW;
use super::shadow::{Shadow, WORD};
use std::ops::Range;

impl Races {
    /// Whether one of the two has written a word of global memory that the other one has accessed.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        self.global.iter().zip(&other.global).any(|(one, two)| conflict(one, two))
    }

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

fn conflict(one: &Shadow, two: &Shadow) -> bool {
    let mut others = two.rows().peekable();
    one.rows().any(|row| {
        while others.next_if(|other| other.row < row.row).is_some() {}
        let other = others.peek().filter(|other| other.row == row.row);
        other.is_some_and(|other| row.written & other.accessed != 0 || row.accessed & other.written != 0)
    })
}

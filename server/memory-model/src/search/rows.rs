//! Outcomes as rows of values without duplicates: while they are collected, and sorted.
//!
//! All rows are in one allocation, because there may be tens of thousands.

use crate::Bits;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

/// Rows of the same width without duplicates, numbered in the order of insertion.
#[derive(Debug, Default)]
pub struct OutcomeRows {
    width: usize,
    count: usize,
    cells: Vec<Bits>,
    /// Per digest: the last row with it.
    last: HashMap<u64, usize, FixedState>,
    /// Per row: the previous row with the same digest, or `NONE`.
    before: Vec<usize>,
    /// Per column: the bits that are set in any row.
    set: Vec<Bits>,
}

/// No row.
const NONE: usize = usize::MAX;

impl OutcomeRows {
    /// No rows.
    pub fn new(width: usize) -> Self {
        OutcomeRows { width, set: vec![0; width], ..OutcomeRows::default() }
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The row with a number.
    pub fn row(&self, number: usize) -> &[Bits] {
        &self.cells[number * self.width..][..self.width]
    }

    /// Whether it contains a row.
    pub fn contains(&self, row: &[Bits]) -> bool {
        let last = self.last.get(&digest(row)).copied().unwrap_or(NONE);
        self.is_in_chain(last, row)
    }

    /// Adds a row; returns whether it is new.
    pub fn add(&mut self, row: &[Bits]) -> bool {
        let digest = digest(row);
        let last = self.last.get(&digest).copied().unwrap_or(NONE);
        if self.is_in_chain(last, row) {
            return false;
        }
        self.last.insert(digest, self.count);
        self.before.push(last);
        self.cells.extend_from_slice(row);
        self.set.iter_mut().zip(row).for_each(|(set, value)| *set |= value);
        self.count += 1;
        true
    }

    /// Whether a row is equal to the row with a number, or to a previous one with the same digest.
    fn is_in_chain(&self, mut number: usize, row: &[Bits]) -> bool {
        while number != NONE {
            if self.row(number) == row {
                return true;
            }
            number = self.before[number];
        }
        false
    }

    /// All rows, sorted.
    pub fn sorted(self) -> SortedOutcomes {
        // The first columns are packed into one integer, as many as fit, and compared at once.
        let widths = self.set.iter().map(|set| Bits::BITS - set.leading_zeros());
        let mut left = Bits::BITS;
        let packed: Vec<u32> = widths
            .map_while(|width| {
                left = left.checked_sub(width)?;
                Some(width)
            })
            .collect();
        let key = |number: usize| {
            self.row(number).iter().zip(&packed).fold(0, |key: Bits, (value, width)| key.unbounded_shl(*width) | value)
        };
        let mut keys: Vec<(Bits, usize)> = (0..self.count).map(|number| (key(number), number)).collect();
        keys.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| self.row(*x).cmp(self.row(*y))));
        let numbers = keys.into_iter().map(|(_, number)| number).collect();
        SortedOutcomes { width: self.width, cells: self.cells, numbers }
    }
}

/// Sorted rows of the same width, without duplicates.
#[derive(Debug)]
pub struct SortedOutcomes {
    width: usize,
    cells: Vec<Bits>,
    numbers: Vec<usize>,
}

impl SortedOutcomes {
    /// The number of rows.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// All rows.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &[Bits]> {
        self.numbers.iter().map(|number| self.row(*number))
    }

    /// The row at an index. Panics if the index is out of bounds.
    pub fn get(&self, index: usize) -> &[Bits] {
        self.row(self.numbers[index])
    }

    /// Whether it contains a row.
    pub fn contains(&self, row: &[Bits]) -> bool {
        self.numbers.binary_search_by(|number| self.row(*number).cmp(row)).is_ok()
    }

    fn row(&self, number: usize) -> &[Bits] {
        &self.cells[number * self.width..][..self.width]
    }

    /// The insertion number of the row at an index.
    pub(crate) fn number(&self, index: usize) -> Option<usize> {
        self.numbers.get(index).copied()
    }
}

/// A hash of a row. Rows with equal digests are compared.
fn digest(row: &[Bits]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    row.iter().for_each(|value| hasher.write_u64(*value as u64 ^ (value >> 64) as u64));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_deduplicated_and_sorted() {
        let all = [[3, 0], [0, Bits::MAX], [3, 1], [0, 7], [1 << 64, 0], [3, 0], [0, 7], [1, 0]];
        let mut rows = OutcomeRows::new(2);
        let added: Vec<bool> = all.iter().map(|row| rows.add(row)).collect();
        assert_eq!(added, [true, true, true, true, true, false, false, true]);
        // 1 and 2^64 have the same digest.
        assert!(rows.contains(&[1 << 64, 0]) && rows.contains(&[1, 0]) && !rows.contains(&[0, 1 << 64]));
        let mut expected: Vec<Vec<Bits>> = all.iter().map(|row| row.to_vec()).collect();
        expected.sort();
        expected.dedup();
        let sorted = rows.sorted();
        assert_eq!(sorted.all().map(<[Bits]>::to_vec).collect::<Vec<_>>(), expected);
        assert!(sorted.contains(&[0, Bits::MAX]) && !sorted.contains(&[2, 0]));
        assert_eq!(sorted.number(0), Some(3), "the number as it came");
    }

    #[test]
    fn without_columns_there_is_one_row() {
        let mut rows = OutcomeRows::new(0);
        assert_eq!((rows.add(&[]), rows.add(&[]), rows.count()), (true, false, 1));
        assert_eq!(rows.sorted().all().collect::<Vec<_>>(), [&[0; 0]]);
    }
}

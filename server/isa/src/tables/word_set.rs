//! Sets of the words of one family.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

/// The maximum number of words of a family: indices are bytes, and 255 is reserved for an absent word.
pub(crate) const WORDS: usize = 255;

/// A set of words of one family, by their index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordSet([u128; 2]);

impl WordSet {
    /// The empty set.
    pub(crate) const EMPTY: WordSet = WordSet([0; 2]);

    /// The set of one word.
    pub(crate) fn of(id: usize) -> WordSet {
        let mut set = WordSet::EMPTY;
        set.0[id / 128] = 1 << (id % 128);
        set
    }

    pub(crate) fn contains(self, id: usize) -> bool {
        self.0[id / 128] >> (id % 128) & 1 == 1
    }

    pub(crate) fn is_empty(self) -> bool {
        self == WordSet::EMPTY
    }

    /// Whether two sets have a word in common.
    pub(crate) fn intersects(self, other: WordSet) -> bool {
        !(self & other).is_empty()
    }

    pub(crate) fn is_subset(self, other: WordSet) -> bool {
        (self - other).is_empty()
    }

    pub(crate) fn len(self) -> usize {
        self.0.iter().map(|part| part.count_ones() as usize).sum()
    }

    /// The lowest index.
    pub(crate) fn first(self) -> Option<usize> {
        let part = self.0.iter().position(|part| *part != 0)?;
        Some(part * 128 + self.0[part].trailing_zeros() as usize)
    }

    /// The indices, in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let id = rest.first()?;
            rest -= WordSet::of(id);
            Some(id)
        })
    }
}

impl BitOr for WordSet {
    type Output = WordSet;

    fn bitor(self, other: WordSet) -> WordSet {
        WordSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitOrAssign for WordSet {
    fn bitor_assign(&mut self, other: WordSet) {
        *self = *self | other;
    }
}

impl BitAnd for WordSet {
    type Output = WordSet;

    fn bitand(self, other: WordSet) -> WordSet {
        WordSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl Sub for WordSet {
    type Output = WordSet;

    fn sub(self, other: WordSet) -> WordSet {
        WordSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }
}

impl SubAssign for WordSet {
    fn sub_assign(&mut self, other: WordSet) {
        *self = *self - other;
    }
}

impl FromIterator<usize> for WordSet {
    fn from_iter<I: IntoIterator<Item = usize>>(ids: I) -> WordSet {
        ids.into_iter().fold(WordSet::EMPTY, |set, id| set | WordSet::of(id))
    }
}

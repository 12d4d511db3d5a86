//! CTAs and clusters by the order in which they began, without those at the front that have ended.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

/// A list whose first items can be dropped: the others keep their numbers.
#[derive(Clone, Debug)]
pub struct Slots<T> {
    dropped: usize,
    kept: VecDeque<T>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { dropped: 0, kept: VecDeque::new() }
    }
}

impl<T> Slots<T> {
    /// The number of the next item.
    pub fn next(&self) -> usize {
        self.dropped + self.kept.len()
    }

    /// Adds an item.
    pub fn push(&mut self, item: T) {
        self.kept.push_back(item);
    }

    /// The first item that was not dropped.
    pub fn first(&self) -> Option<&T> {
        self.kept.front()
    }

    /// Drops that item.
    pub fn drop_first(&mut self) {
        self.dropped += usize::from(self.kept.pop_front().is_some());
    }

    /// The items that were not dropped.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.kept.iter()
    }

    /// The same, to change them.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        self.kept.iter_mut()
    }
}

impl<T> Index<usize> for Slots<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: usize) -> &T {
        &self.kept[number - self.dropped]
    }
}

impl<T> IndexMut<usize> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.kept[number - self.dropped]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_numbers() {
        let mut slots = Slots::default();
        for item in ["a", "b", "c"] {
            slots.push(item);
        }
        slots.drop_first();
        slots.push("d");
        slots[2] = "e";
        assert_eq!((slots[1], slots[2], slots[3], slots.next()), ("b", "e", "d", 4));
        assert_eq!(slots.iter().copied().collect::<String>(), "bed");
        assert_eq!(slots.first(), Some(&"b"));
    }
}

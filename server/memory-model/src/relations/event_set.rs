//! Sets of events, as bit sets.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

/// The maximum number of events in an execution.
pub const MAX_EVENTS: usize = 128;

/// A set of events, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EventSet(u128);

impl EventSet {
    /// No event.
    pub const EMPTY: Self = EventSet(0);
    /// All events.
    pub const ALL: Self = EventSet(u128::MAX);

    /// One event.
    pub fn of(event: usize) -> Self {
        EventSet(1 << event)
    }

    /// Whether an event is in it.
    pub fn contains(self, event: usize) -> bool {
        self.0 >> event & 1 == 1
    }

    /// Whether it has no event.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many events it has.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The event with the smallest index.
    pub fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }

    /// Adds an event.
    pub fn insert(&mut self, event: usize) {
        self.0 |= 1 << event;
    }

    /// Removes an event.
    pub fn remove(&mut self, event: usize) {
        self.0 &= !(1 << event);
    }

    /// The set without an event.
    pub fn without(self, event: usize) -> Self {
        self - EventSet::of(event)
    }

    /// The events with a property.
    pub fn filter(self, holds: impl Fn(usize) -> bool) -> Self {
        self.into_iter().filter(|event| holds(*event)).collect()
    }

    /// The union of a set for each event.
    pub fn union_of(self, set: impl Fn(usize) -> EventSet) -> Self {
        self.into_iter().fold(EventSet::EMPTY, |all, event| all | set(event))
    }

    /// A bit for each event.
    pub(crate) fn bits(self) -> u128 {
        self.0
    }
}

impl BitOr for EventSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        EventSet(self.0 | other.0)
    }
}

impl BitAnd for EventSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        EventSet(self.0 & other.0)
    }
}

impl Sub for EventSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        EventSet(self.0 & !other.0)
    }
}

impl BitOrAssign for EventSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAndAssign for EventSet {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl SubAssign for EventSet {
    fn sub_assign(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl FromIterator<usize> for EventSet {
    fn from_iter<I: IntoIterator<Item = usize>>(events: I) -> Self {
        events.into_iter().fold(EventSet::EMPTY, |all, event| all | EventSet::of(event))
    }
}

impl IntoIterator for EventSet {
    type Item = usize;
    type IntoIter = Events;
    fn into_iter(self) -> Events {
        Events(self)
    }
}

/// The events of a set, ascending.
#[derive(Clone, Debug)]
pub struct Events(EventSet);

impl Iterator for Events {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        let event = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(event)
    }
}

//! Reads that read no message: they have any value that is ever written to their location, and nothing is known of its writer.
//!
//! An execution without some of its reads is one of the program in which those have the values that they had, and the axioms forbid nothing more of
//! it. If each cycle of load buffering goes through one of them, it has none any more. So what no execution with such reads does, none with load
//! buffering does.

use program::memory::location::LocationKey;
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};

/// The values of each location.
pub type LocationValues = BTreeMap<LocationKey, BTreeSet<u128>>;

/// The reads, and what they may have read.
#[derive(Clone, Debug, Default)]
pub struct UnconstrainedReads {
    /// The instructions.
    pub places: BTreeSet<CodePlace>,
    /// The values.
    pub values: LocationValues,
}

impl UnconstrainedReads {
    /// The values of a read, the one of the last message at the end.
    pub fn values(&self, key: LocationKey, last: u128) -> Vec<u128> {
        let others = self.values.get(&key).into_iter().flatten().filter(|value| **value != last);
        others.copied().chain([last]).collect()
    }
}

/// The choice of a free read: one of its values, and the message after which the write of the same instruction is, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnconstrainedChoice {
    /// The number of the value.
    pub value: usize,
    /// The index of the message.
    pub after: usize,
}

impl UnconstrainedChoice {
    const AFTER_BITS: u32 = usize::BITS / 2;

    /// The choice as a number, as those of messages are.
    pub const fn number(self) -> usize {
        self.value << Self::AFTER_BITS | self.after
    }

    /// The choice with a number.
    pub const fn of_number(number: usize) -> Self {
        Self { value: number >> Self::AFTER_BITS, after: number & ((1 << Self::AFTER_BITS) - 1) }
    }
}

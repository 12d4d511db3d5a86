//! Fences and barriers that strong reads may decide about: an execution with load buffering may be without them, and still have the reads before
//! and the writes after them.

use crate::load_buffering::earlier_reads::{EarlierRead, ValueDependentOrder};
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet};

/// The fences and barriers of a program that strong reads may decide about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueDependentOrders {
    /// Each with the strong writes that no thread comes to from a strong read without it, if it comes to it at all.
    pub covered: BTreeMap<CodePlace, BTreeSet<CodePlace>>,
    /// The strong writes that a thread may come to from one of them, or without it.
    pub uncovered: BTreeSet<CodePlace>,
}

impl EarlierRead {
    /// The same after a fence or barrier.
    pub fn ordered_by(self, order: ValueDependentOrder, table: &ValueDependentOrders) -> Self {
        let is_decided = order.place.is_some_and(|place| table.covered.contains_key(&place));
        if is_decided { Self { decided: Some(order), ..self } } else { self.with(order) }
    }

    /// The same where a write is, which has the last fence or barrier that strong reads may decide about before it in each execution, or not.
    pub fn before_write(self, write: Option<CodePlace>, table: &ValueDependentOrders) -> Self {
        let is_covered = |order: &ValueDependentOrder| {
            let covered = order.place.and_then(|place| table.covered.get(&place));
            covered.zip(write).is_some_and(|(covered, write)| covered.contains(&write))
        };
        let known = self.decided.filter(is_covered).map_or(self, |order| self.with(order));
        Self { decided: None, released_at: None, ..known }
    }

    fn with(self, order: ValueDependentOrder) -> Self {
        Self {
            acquired: self.acquired.max(order.acquired),
            released: self.released.max(order.released),
            barrier: self.barrier.max(order.barrier),
            ..self
        }
    }
}

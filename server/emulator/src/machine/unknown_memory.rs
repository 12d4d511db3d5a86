//! Memory with results that are not computed.

use super::problem::CodePlace;
use super::races::{RacedMemory, WORD};
use std::collections::BTreeMap;
use std::ops::Range;

/// Words of memory whose value depends on the result of an instruction that is not computed, with the instruction.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct UnknownMemory(BTreeMap<(RacedMemory, usize), CodePlace>);

impl UnknownMemory {
    /// The instruction that a range depends on; `None` if the range is known.
    pub fn find(&self, memory: RacedMemory, bytes: Range<usize>) -> Option<CodePlace> {
        let words = (memory, bytes.start / WORD)..(memory, bytes.end.div_ceil(WORD));
        self.0.range(words).next().map(|(_, place)| *place)
    }

    /// What global memory depends on.
    pub fn of_global(&self) -> Option<CodePlace> {
        self.0.iter().find(|((memory, _), _)| matches!(memory, RacedMemory::Global(_))).map(|(_, place)| *place)
    }

    /// Notes what a range depends on.
    pub fn set(&mut self, memory: RacedMemory, bytes: Range<usize>, result: Option<CodePlace>) {
        for word in bytes.start / WORD..bytes.end.div_ceil(WORD) {
            match result {
                Some(place) => self.0.insert((memory, word), place),
                None => self.0.remove(&(memory, word)),
            };
        }
    }

    /// Whether all memory is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

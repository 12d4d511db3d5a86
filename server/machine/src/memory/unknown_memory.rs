//! Memory with results that are not computed.

use ordering::WORD;
use program::memory::location::RacedMemory;
use program::problem::CodePlace;
use std::collections::BTreeMap;
use std::ops::Range;

/// Words of memory whose value depends on the result of an instruction that is not computed, with the instruction.
#[derive(Clone, Debug, Default, Hash)]
pub struct UnknownMemory(BTreeMap<(RacedMemory, usize), CodePlace>);

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

    /// Notes what a range depends on. A word of which only a part becomes known stays unknown.
    pub fn set(&mut self, memory: RacedMemory, bytes: Range<usize>, result: Option<CodePlace>) {
        match result {
            Some(place) => {
                let words = bytes.start / WORD..bytes.end.div_ceil(WORD);
                self.0.extend(words.map(|word| ((memory, word), place)));
            }
            None => {
                for word in bytes.start.div_ceil(WORD)..bytes.end / WORD {
                    self.0.remove(&(memory, word));
                }
            }
        }
    }

    /// Whether all memory is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

//! What is known about a loop that waits.

use program::memory::location::LocationKey;

/// A loop that was found to wait.
#[derive(Clone, Debug)]
pub struct PolledLoop {
    /// The instruction, the registers as a hash, and the version of memory at the begin of the iteration that is watched.
    pub state: (u32, u64, u64),
    /// The jumps backwards since then.
    pub jumps: u32,
    /// What it has read so far; all of it once the lanes wait again. `None` if the iteration was not watched.
    pub reads: Option<Vec<PolledRead>>,
}

/// What an instruction has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolledRead {
    /// Memory that other threads can write, and its contents.
    Memory(LocationKey, Vec<u8>),
    /// The phase of an mbarrier, by the slot of its CTA and its offset; `None` if there is none.
    Mbarrier(usize, u32, Option<u64>),
}

impl PolledLoop {
    /// A loop that has come back to a state.
    pub fn new(state: (u32, u64, u64)) -> Box<Self> {
        Box::new(Self { state, jumps: 0, reads: None })
    }
}

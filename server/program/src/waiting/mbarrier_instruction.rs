//! mbarrier objects: phases, arrivals and expected bytes (PTX ISA, Parallel Synchronization: mbarrier).

use crate::operand::{AccessOrder, Destination, MachineAddress, Source};
use std::fmt;

/// The size of an mbarrier in bytes.
pub const MBARRIER_BYTES: u64 = 8;
/// A wrong use of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierMistake {
    /// It was not initialized, or was invalidated.
    NotInitialized,
    /// Its memory was written since it was initialized.
    Overwritten,
    /// It was initialized again while it was in use.
    InitializedTwice,
    /// A count that is zero or too large.
    InvalidCount,
    /// More arrivals than the phase expects.
    TooManyArrivals,
    /// More bytes than can be expected or completed.
    InvalidBytes,
}

impl fmt::Display for MbarrierMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotInitialized => "mbarrier is not initialized",
            Self::Overwritten => "mbarrier is used after its memory was overwritten",
            Self::InitializedTwice => "mbarrier is initialized again without `mbarrier.inval`",
            Self::InvalidCount => "count of an mbarrier is not between 1 and 1048575",
            Self::TooManyArrivals => "more arrivals than the phase of the mbarrier expects",
            Self::InvalidBytes => "transaction count of an mbarrier is out of range",
        })
    }
}

/// An instruction on an mbarrier.
#[derive(Debug)]
pub struct MbarrierInstruction {
    /// The address of the mbarrier.
    pub address: MachineAddress,
    /// What it does.
    pub operation: MbarrierAction,
    /// The order of an arrival or a wait.
    pub order: AccessOrder,
}

/// What an instruction does with an mbarrier.
#[derive(Debug)]
pub enum MbarrierAction {
    /// `init`, with the number of arrivals of a phase.
    Initialize(Source),
    /// `inval`
    Invalidate,
    /// `arrive` and `arrive_drop`, with `expect_tx` or not.
    Arrive {
        /// The number of arrivals.
        count: Source,
        /// Bytes that the phase expects in addition.
        bytes: Option<Source>,
        /// Whether the thread leaves the following phases too.
        participation: Participation,
        /// The register of the state before the arrival.
        state: Option<Destination>,
    },
    /// `expect_tx`, with the number of bytes.
    ExpectBytes(Source),
    /// `complete_tx`, with the number of bytes.
    CompleteBytes(Source),
    /// `test_wait` and `try_wait`, with the register of the answer.
    Test(Destination, TestedPhase),
    /// `cp.async.mbarrier.arrive`: an arrival once earlier copies of the thread have ended.
    ArriveAfterCopies(PendingCount),
}

/// What `cp.async.mbarrier.arrive` does with the count of pending arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingCount {
    /// It increments it first: the arrival is in addition to those that were expected.
    Incremented,
    /// `.noinc`: the arrival is one of those that were expected.
    Kept,
}

/// Whether a thread that arrives will arrive in the following phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participation {
    /// It will.
    Continues,
    /// It will not: `arrive_drop`.
    Ends,
}

/// The phase that a test is about.
#[derive(Clone, Copy, Debug)]
pub enum TestedPhase {
    /// That of a state that an arrival returned.
    State(Source),
    /// The current or the previous one, by its parity.
    Parity(Source),
}

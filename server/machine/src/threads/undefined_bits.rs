//! What is undefined of the value of a register.

use program::problem::{CodePlace, ProblemKind};

/// The most first reads that are remembered of a value.
const MAX_READS: usize = 4;

/// What is undefined of the value of a register in a lane.
#[derive(Clone, Debug, Default)]
pub struct UndefinedBits {
    /// The bits.
    pub bits: u64,
    /// The instructions that have read it from where nothing was written, or of which it is the result.
    pub reads: Vec<(UndefinedCause, CodePlace)>,
}

/// Why a value is not known.
#[derive(Clone, Debug, PartialEq)]
pub enum UndefinedCause {
    /// It was read where nothing was written.
    Problem(ProblemKind),
    /// It is the result of an instruction of which only the accesses are followed.
    Result,
}

impl UndefinedBits {
    /// The instruction whose result the value depends on, if there is one.
    pub fn result_of(&self) -> Option<CodePlace> {
        self.reads.iter().find(|(cause, _)| *cause == UndefinedCause::Result).map(|(_, place)| *place)
    }

    /// Adds the reads of another value that this one was computed from.
    pub fn add_reads(&mut self, other: Self) {
        for read in other.reads {
            // What is not known must not be taken for a mistake.
            if (self.reads.len() < MAX_READS || read.0 == UndefinedCause::Result)
                && !self.reads.iter().any(|known| known.1 == read.1)
            {
                self.reads.push(read);
            }
        }
    }
}

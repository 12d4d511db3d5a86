//! What is undefined of the value of a register.

use super::problem::{CodePlace, ProblemKind};

/// The most first reads that are remembered of a value.
const MAX_READS: usize = 4;

/// What is undefined of the value of a register in a lane.
#[derive(Clone, Debug, Default)]
pub struct UndefinedBits {
    /// The bits.
    pub bits: u64,
    /// The instructions that have read it from where nothing was written.
    pub reads: Vec<(ProblemKind, CodePlace)>,
}

impl UndefinedBits {
    /// Adds the reads of another value that this one was computed from.
    pub fn add_reads(&mut self, other: Self) {
        for read in other.reads {
            if self.reads.len() < MAX_READS && !self.reads.iter().any(|known| known.1 == read.1) {
                self.reads.push(read);
            }
        }
    }
}

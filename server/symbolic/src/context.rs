//! What threads of a block share while they are evaluated.

use crate::code::Code;
use crate::control::Control;
use crate::indexed::IndexedAccesses;
use crate::shadow::{Conflict, WordAccesses};
use crate::trial::TrialLaunch;
use crate::value::{SymbolicValue, ValueOrigin};
use crate::{BlockKernel, SharedVariable};

/// What threads of a block share while they are evaluated.
pub(crate) struct BlockContext<'p> {
    /// The kernel.
    pub kernel: &'p BlockKernel<'p>,
    /// Its code.
    pub code: &'p Code<'p>,
    /// Where ways meet.
    pub control: Control,
    /// The numbers in the block of the threads that are evaluated.
    pub numbers: Vec<u32>,
    /// The launch.
    pub launch: TrialLaunch,
    /// The accesses.
    pub shadow: WordAccesses,
    /// Whether there were accesses whose index is read from memory.
    pub has_indexed: bool,
    /// Whether they are compared with others.
    pub compares_indexed: bool,
    /// The accesses whose index is read from memory, and what may meet them.
    pub indexed: IndexedAccesses,
    /// The conflicts.
    pub conflicts: Vec<Conflict>,
    /// Whether an access was out of bounds: the kernel is not made for this launch.
    pub is_out_of_bounds: bool,
    /// Whether threads have accessed shared memory by each step.
    pub accesses: Vec<bool>,
    /// Whether a thread has written shared memory at an unknown address, or may have done so.
    pub has_unknown_writes: bool,
    /// Whether a thread was not followed to its end because of the number of its steps.
    pub is_incomplete: bool,
    /// The offsets of the integer parameters that were read.
    pub parameters: Vec<u64>,
}

impl BlockContext<'_> {
    /// The bytes of an access, if it is in bounds. One that is not ends the evaluation.
    pub fn in_bounds(&mut self, address: SymbolicValue, bytes: u64) -> Option<u32> {
        let end = address.bits.saturating_add(bytes);
        let kernel = self.kernel;
        let variable = match address.origin {
            ValueOrigin::Variable(index) => kernel.variables.get(usize::from(index)),
            _ => None,
        };
        let is_in = match variable {
            Some(SharedVariable { size: 0, .. }) => true,
            Some(variable) => {
                (variable.address..variable.address + variable.size).contains(&address.bits)
                    && end <= variable.address + variable.size
            }
            None => kernel.has_dynamic_memory || end <= kernel.static_bytes,
        };
        self.is_out_of_bounds |= !is_in;
        u32::try_from(bytes).ok().filter(|_| is_in)
    }
}

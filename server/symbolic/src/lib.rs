//! Threads of a block without a launch: accesses to shared memory that meet between two barriers.
//!
//! A kernel is tried in launches that it is made for. Some threads of one block are evaluated with the values that follow from their position and
//! from the parameters; what they read from memory is unknown. Where an unknown value decides, nothing is reported: see [`find_races`].

pub mod any_size;
mod arithmetic;
mod block;
mod code;
mod context;
mod control;
mod indexed;
mod launches;
mod shadow;
mod step;
mod thread;
mod trial;
mod value;

pub use launches::{AccessedBy, MissingBarrier, RaceOrder, SharedRace, find_races};

use program::{Dimensions, MachineFunction, ThreadScheduling};

/// A kernel, and what is known of its launches.
#[derive(Debug)]
pub struct BlockKernel<'p> {
    /// The kernel.
    pub function: &'p MachineFunction,
    /// The size of its blocks, by `.reqntid`.
    pub block: Option<Dimensions>,
    /// The most threads of a block, by `.maxntid`.
    pub most_threads: Option<u64>,
    /// Its variables in shared memory.
    pub variables: &'p [SharedVariable],
    /// The constants of the function that are addresses in variables, each with the index of the variable.
    pub addresses: &'p [(u32, u16)],
    /// The bytes of shared memory without dynamic memory.
    pub static_bytes: u64,
    /// Whether it uses dynamic shared memory.
    pub has_dynamic_memory: bool,
    /// How the lanes of a warp run.
    pub scheduling: ThreadScheduling,
}

/// A variable in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// The address of its first byte.
    pub address: u64,
    /// The bytes; 0 if they are not known.
    pub size: u64,
}

impl BlockKernel<'_> {
    /// The variable whose address a constant of the function is.
    fn variable_of(&self, constant: u32) -> Option<u16> {
        let at = self.addresses.binary_search_by_key(&constant, |(constant, _)| *constant).ok()?;
        Some(self.addresses[at].1)
    }
}

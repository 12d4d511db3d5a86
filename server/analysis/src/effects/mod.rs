//! What the instructions of a function do to memory and to its order, for the rules about synchronization. See [README.md](README.md).
//!
//! It is built only for functions with an instruction that such a rule checks (`Trigger`), in one pass over their opcodes.

pub mod answers;
pub mod calls;
mod classify;
pub mod conditions;
pub mod descriptors;
pub mod effect;
mod index_sources;
pub mod iterations;
mod loaded_pointers;
pub mod loops;
pub mod mapped;
pub mod open_sites;
pub mod overlap;
pub mod pending;
pub mod polls;
mod rounded_bounds;
pub mod sites;
pub mod solve;
pub mod threads;
pub mod trigger;
pub mod unrolled;

pub use crate::effects::calls::PassedAddress;
pub use crate::effects::conditions::LastExecution;
pub use crate::effects::effect::{
    AccessKind, AddressSpace, CopyGroup, FenceOrder, MbarrierOperation, MemoryEffect, ProxyFence, SyncAccess, SyncProxy,
};
pub use crate::effects::iterations::{Iterations, LoopValue, ValueBase};
pub use crate::effects::loops::{LoopBody, Loops};
pub use crate::effects::mapped::{is_of_other_cta, may_be_alone};
pub use crate::effects::open_sites::OpenSites;
pub use crate::effects::overlap::ByteRange;
pub use crate::effects::pending::{CopyKind, CopyState, PathLimit, PathPlace, follow_copy, is_diagnostic_call};
pub use crate::effects::polls::Poll;
pub use crate::effects::sites::SiteSet;
pub use crate::effects::solve::ForwardAnalysis;
pub use crate::effects::threads::lane_choice::LaneChoice;
pub use crate::effects::threads::lanes::LaneCondition;
pub use crate::effects::threads::thread_sets::ThreadSets;
pub use crate::effects::threads::uniformity::Uniformity;
pub use crate::effects::trigger::Trigger;
pub use crate::effects::unrolled::MAX_COPIES;
use crate::values::{FunctionValues, Provenance};
use std::cell::OnceCell;
use std::ops::Range;

/// The effects of the opcodes that a driver checks, by their numbers.
pub type OpcodeEffects = Vec<Option<Box<[MemoryEffect]>>>;

/// The effects of a function's instructions, in order.
pub struct FunctionEffects<'f, 'a> {
    /// The data flow that the effects are about.
    pub flow: &'f FunctionValues<'a>,
    /// What the instructions of the function contain.
    pub triggers: Trigger,
    /// The names and patterns of pointers and variables whose memory other GPUs or the host share.
    pub system_memory: Vec<String>,
    effects: Vec<(usize, MemoryEffect)>,
    /// The index of the first effect of each instruction, and the number of effects.
    starts: Vec<u32>,
    polls: OnceCell<Vec<Poll>>,
}

impl<'f, 'a> FunctionEffects<'f, 'a> {
    /// The effects of a function's instructions; `of_opcodes` keeps those of each opcode for other functions.
    pub fn new(
        flow: &'f FunctionValues<'a>,
        triggers: Trigger,
        system_memory: Vec<String>,
        of_opcodes: &mut OpcodeEffects,
    ) -> Self {
        let (mut effects, mut starts) = (Vec::new(), Vec::with_capacity(flow.len() + 1));
        of_opcodes.resize(flow.opcodes_len(), None);
        for at in 0..flow.len() {
            starts.push(effects.len() as u32);
            if flow.is_broken(at) {
                effects.push((at, MemoryEffect::Unknown));
                continue;
            }
            let of_opcode = of_opcodes[flow.opcode_number(at)].get_or_insert_with(|| classify::effects(flow, at));
            effects.extend(of_opcode.iter().map(|effect| (at, *effect)));
        }
        starts.push(effects.len() as u32);
        FunctionEffects { flow, triggers, system_memory, effects, starts, polls: OnceCell::new() }
    }

    /// All effects with the indices of their instructions.
    pub fn effects(&self) -> &[(usize, MemoryEffect)] {
        &self.effects
    }

    /// The effects of the instructions in a range.
    pub fn effects_in(&self, range: Range<usize>) -> &[(usize, MemoryEffect)] {
        &self.effects[self.starts[range.start] as usize..self.starts[range.end] as usize]
    }

    /// The accesses with the indices of their instructions.
    pub fn accesses(&self) -> impl Iterator<Item = (usize, &SyncAccess)> {
        self.effects.iter().filter_map(|(at, effect)| match effect {
            MemoryEffect::Access(access) => Some((*at, access)),
            _ => None,
        })
    }

    /// The provenance of the address in an operand of an instruction.
    pub fn address(&self, at: usize, operand: usize) -> Option<Provenance> {
        self.flow.operand_address(at, operand)
    }
}

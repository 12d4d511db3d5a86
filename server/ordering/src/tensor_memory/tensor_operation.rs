//! Operations on tensor memory, and which pairs of them are executed in the order of their issue.

use crate::agent::CopyAgent;
use crate::clock::Agent;
use program::problem::CodePlace;
use program::tensor::tensor_instruction::CtaGroup;
use program::tensor::tensor_mistake::TensorCompletion;
use program::tensor::tensor_region::{TensorRegion, TensorRole};

/// An operation on tensor memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorOperation {
    /// The first thread that executes it.
    pub agent: Agent,
    /// The lanes that execute it together.
    pub lanes: u32,
    /// The instruction.
    pub place: CodePlace,
    /// What it is.
    pub kind: TensorOperationKind,
    /// The CTAs that take part.
    pub group: CtaGroup,
    /// What it does.
    pub accesses: Vec<TensorAccess>,
}

/// The kinds of operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TensorOperationKind {
    /// `mma`, with all that two of them on one accumulator need to have in common: the descriptor of the instruction without its types, and the kind.
    Multiply(u32, Box<str>),
    /// `cp`
    Copy {
        /// Whether its shape is `.4x256b`.
        is_narrow: bool,
    },
    /// `shift`
    Shift,
    /// `ld`
    Load,
    /// `st`
    Store,
    /// `dealloc`, which is not asynchronous.
    Free,
    /// A change of what is allocated, or can be: `alloc`, with the columns that it allocates, `dealloc` or `relinquish_alloc_permit`.
    Allocation,
}

/// What an operation does with a part of the tensor memory of a CTA.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorAccess {
    /// The slot of the CTA.
    pub slot: usize,
    /// The part.
    pub region: TensorRegion,
    /// What is done.
    pub role: TensorRole,
}

impl TensorOperation {
    /// How its end is observed.
    pub const fn completion(&self) -> TensorCompletion {
        match self.kind {
            TensorOperationKind::Load => TensorCompletion::LoadWait,
            TensorOperationKind::Store => TensorCompletion::StoreWait,
            _ => TensorCompletion::Commit,
        }
    }

    /// Whether a warp executes it, and `tcgen05.wait` waits for it.
    pub fn is_of_warp(&self) -> bool {
        self.completion() != TensorCompletion::Commit
    }

    /// Loads and stores are counted by warp.
    pub fn issuer(&self) -> Agent {
        if self.is_of_warp() { Agent { lane: 0, ..self.agent } } else { self.agent }
    }

    /// Whether both are executed in the order of their issue, although they access the same in a way that conflicts.
    pub fn is_pipelined(&self, own: &TensorAccess, later: &Self, access: &TensorAccess) -> bool {
        use TensorOperationKind::{Copy, Multiply, Shift};
        self.group == later.group
            && match (&self.kind, &later.kind) {
                (Multiply(..), Multiply(..)) if own.role == TensorRole::Accumulator => {
                    // Masks leave out lanes of the same accumulator.
                    self.kind == later.kind
                        && (own.slot, own.role, own.region.columns())
                            == (access.slot, access.role, access.region.columns())
                }
                (Multiply(..), Copy { .. }) => own.role == TensorRole::Input,
                (Multiply(..), Multiply(..))
                | (Copy { .. } | Shift, Multiply(..))
                | (Multiply(..), Shift)
                | (Shift, Copy { is_narrow: true }) => true,
                _ => false,
            }
            // Memory that is freed is not written, so a load that was issued before has its values.
            || (&self.kind, &later.kind) == (&TensorOperationKind::Load, &TensorOperationKind::Free)
    }

    /// Those who see its end: an agent.
    pub fn end(&self) -> Agent {
        self.issuer().copying(match self.completion() {
            TensorCompletion::LoadWait => CopyAgent::TensorLoads,
            TensorCompletion::StoreWait => CopyAgent::TensorStores,
            TensorCompletion::Commit => CopyAgent::TensorOperations,
        })
    }
}

/// Whether the order of two accesses matters.
pub fn conflict(one: &TensorAccess, two: &TensorAccess) -> bool {
    one.slot == two.slot && (one.role.writes() || two.role.writes()) && one.region.meets(&two.region)
}

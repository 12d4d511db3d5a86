//! Accesses that are checked for data races, and what they race with.

use crate::clock::Agent;
use crate::relation::RaceRelation;
use crate::shadow::shadow_access::{ShadowAccess, WORD};
use isa::types::Scope;
use program::memory::commutative_update::CommutativeUpdate;
use program::memory::location::RacedMemory;
use program::problem::{CodePlace, MachineAccessKind};
use program::proxy::{AccessProxy, EarlierAgent, RaceCause};

/// An access to be checked.
#[derive(Clone, Copy, Debug)]
pub struct CheckedAccess {
    /// The memory.
    pub region: RacedMemory,
    /// The offset of the first byte.
    pub offset: usize,
    /// The number of bytes of all elements.
    pub bytes: usize,
    /// The bytes of an element.
    pub element: u32,
    /// What it does.
    pub kind: MachineAccessKind,
    /// The scope, if it is strong.
    pub scope: Option<Scope>,
    /// The instruction.
    pub place: CodePlace,
    /// What a write does to the value in memory.
    pub effect: WriteEffect,
    /// The proxy.
    pub proxy: AccessProxy,
}

/// Whether a write changes the value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteEffect {
    /// The value was the same before.
    None,
    /// The value was another one, or that is not known.
    Changes,
    /// It is an update whose order to its like does not matter, in global memory.
    Combines(CommutativeUpdate),
}

impl CheckedAccess {
    /// Whether it is a plain store of the value that an earlier store by the same instruction has left.
    pub fn stores_again(&self, earlier: &RacingAccess) -> bool {
        let both_write = (self.kind, earlier.kind) == (MachineAccessKind::Write, MachineAccessKind::Write);
        both_write && self.scope.is_none() && self.effect == WriteEffect::None && self.place == earlier.place
    }

    /// Whether it is a plain read of global memory.
    pub fn is_plain_read(&self) -> bool {
        let is_plain = self.kind == MachineAccessKind::Read && self.scope.is_none();
        let is_noted_proxy = matches!(self.proxy, AccessProxy::Generic | AccessProxy::NonCoherent);
        is_plain && is_noted_proxy && matches!(self.region, RacedMemory::Global(_))
    }

    /// The words that it touches.
    pub fn words(&self) -> std::ops::Range<usize> {
        self.offset / WORD..(self.offset + self.bytes).div_ceil(WORD)
    }

    /// Its part in one of them.
    #[inline]
    pub fn in_word(&self, word: usize, agent: Agent, epoch: u32, (instruction, time): (u32, u32)) -> ShadowAccess {
        let end = self.offset + self.bytes;
        let (from, to) = (self.offset.max(word * WORD) % WORD, end.min((word + 1) * WORD) - word * WORD);
        ShadowAccess {
            warp: agent.warp,
            lanes: 1 << agent.lane,
            epoch,
            instruction,
            bytes: (0xf << from & 0xf & !(0xf << to)) as u8,
            size: self.element as u8,
            kind: self.kind,
            scope: self.scope,
            time: if self.scope.is_some() { time } else { 0 },
        }
    }
}

/// The earlier access of a race, or of two accesses that are not ordered.
#[derive(Clone, Copy, Debug)]
pub struct RacingAccess {
    /// Its thread; of a copy the one that began it.
    pub thread: Agent,
    /// Who that is.
    pub by: EarlierAgent,
    /// Its instruction.
    pub place: CodePlace,
    /// What it does.
    pub kind: MachineAccessKind,
    /// The scope, if it is strong.
    pub scope: Option<Scope>,
    /// How it is related to the later one.
    pub relation: RaceRelation,
    /// Why they race, if they do.
    pub cause: RaceCause,
}

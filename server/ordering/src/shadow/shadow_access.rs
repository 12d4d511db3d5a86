//! An access to a word, as it is remembered.

use crate::clock::Agent;
use isa::types::Scope;
use program::problem::MachineAccessKind;

/// Bytes of a word.
pub const WORD: usize = 4;

/// An access of lanes of a warp, in the same epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowAccess {
    /// The agent's warp.
    pub warp: u32,
    /// The lanes; none in a record that is not used.
    pub lanes: u32,
    /// The epoch of the warp.
    pub epoch: u32,
    /// The instruction, counted through all functions.
    pub instruction: u32,
    /// The bytes of the word, as a mask.
    pub bytes: u8,
    /// The size of the access in bytes.
    pub size: u8,
    /// What it does.
    pub kind: MachineAccessKind,
    /// The scope of a strong access; `None` if it is weak.
    pub scope: Option<Scope>,
    /// The number of the last such access among all strong ones of a run; 0 if it is weak.
    pub time: u32,
}

impl ShadowAccess {
    /// A record that is not used.
    pub const NONE: Self = Self {
        warp: 0,
        lanes: 0,
        epoch: 0,
        instruction: 0,
        bytes: 0,
        size: 0,
        kind: MachineAccessKind::Read,
        scope: None,
        time: 0,
    };

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.kind != MachineAccessKind::Read
    }

    /// The offset of its memory, if it is as aligned as it is large: it has bytes of a word.
    pub fn offset(&self, word: usize) -> usize {
        let first = word * WORD + self.bytes.trailing_zeros() as usize;
        first - first % usize::from(self.size.max(1))
    }

    /// Whether it is a strong write, which others may observe.
    pub fn writes_strongly(&self) -> bool {
        self.scope.is_some() && self.writes()
    }

    /// Whether who observes a later write observes this one, too, or is known to have it before: it is an earlier write of the same thread.
    pub fn is_observed_with(&self, later: &Self) -> bool {
        self.writes() && (self.warp, self.lanes) == (later.warp, later.lanes)
    }

    /// Whether it is of an earlier kernel that this one can overlap.
    pub const fn is_of_earlier_kernel(&self) -> bool {
        self.warp == Agent::EARLIER_KERNEL.warp
    }

    /// One of its agents.
    pub const fn agent(&self) -> Agent {
        Agent { warp: self.warp, lane: self.lanes.trailing_zeros() }
    }

    /// Whether whatever races with an earlier access that happens before this one races with this one, too.
    pub fn covers(&self, earlier: &Self) -> bool {
        // Who knows that an asynchronous operation is over need not know what was before it, but for what it has overwritten: writes, and what other
        // operations have read.
        let is_of_thread = earlier.agent() == earlier.agent().thread();
        let has_overwritten = self.writes() && (earlier.writes() || !is_of_thread);
        let is_known_with_it = self.agent() == self.agent().thread() || earlier.warp == self.warp || has_overwritten;
        if earlier.bytes & !self.bytes != 0 || !is_known_with_it {
            return false;
        }
        match self.scope {
            None => self.writes() || !earlier.writes(),
            Some(_) => {
                let same = (earlier.scope, earlier.size) == (self.scope, self.size);
                same && (self.writes() || !earlier.writes())
            }
        }
    }

    /// Whether it is a strong read, which may observe earlier writes.
    pub fn reads_strongly(&self) -> bool {
        self.scope.is_some() && self.kind != MachineAccessKind::Write
    }

    /// Whether two strong accesses are in each other's scope wherever their threads are, and have the same size: they never race. `widest` is the
    /// scope that includes all threads.
    pub fn is_always_morally_strong(&self, other: &Self, widest: Scope) -> bool {
        let reaches_all = |access: &Self| access.scope.is_some_and(|scope| scope >= widest);
        self.size == other.size && reaches_all(self) && reaches_all(other)
    }

    /// Adds the lanes of an access that is the same in all else but its time.
    pub fn unite(&mut self, other: &Self) -> bool {
        let same = Self { lanes: other.lanes, time: other.time, ..*self } == *other;
        if same {
            self.lanes |= other.lanes;
            self.time = other.time;
        }
        same
    }
}

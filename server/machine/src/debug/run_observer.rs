//! What an observer of a run sees and changes.

use program::lanes::{WARP_SIZE, lanes_of};
use program::launch::kernel_launch::ThreadId;
use program::problem::{CodePlace, MachineAccessKind};

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunControl {
    /// It does.
    Continue,
    /// It ends at once.
    Stop,
    /// The observer has edits; then it is asked again.
    Edit,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedAccess {
    /// The thread, or the one that began the copy.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
    /// What it does.
    pub kind: MachineAccessKind,
    /// The first byte.
    pub memory: ObservedMemory,
    /// The number of bytes.
    pub size: u64,
}

/// A byte of memory, the same for all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObservedMemory {
    /// A global, constant or parameter address.
    Global(u64),
    /// Shared memory of a CTA.
    Shared {
        /// The number of the CTA.
        cta: u32,
        /// The offset in bytes.
        offset: u64,
    },
    /// Local memory of a thread.
    Local {
        /// The thread.
        thread: ThreadId,
        /// The offset in bytes.
        offset: u64,
    },
}

/// A change of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateEdit {
    /// A register gets a value.
    Register {
        /// The thread.
        thread: ThreadId,
        /// The call, 0 is the innermost.
        call: usize,
        /// The slot.
        slot: u32,
        /// The value.
        bits: u64,
    },
    /// Memory gets contents. Nothing happens to bytes after its end.
    Memory {
        /// The first byte.
        memory: ObservedMemory,
        /// The contents.
        bytes: Vec<u8>,
    },
}

/// Lanes of a warp that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneGroup {
    /// The number of the CTA.
    pub cta: u32,
    /// Its position in the grid.
    pub position: [u32; 3],
    /// The number of the warp in the CTA.
    pub warp: u32,
    /// The lanes, as a mask.
    pub lanes: u32,
    /// The next instruction.
    pub place: CodePlace,
    /// The number of calls, that of the kernel included.
    pub depth: usize,
    /// Whether they can run.
    pub is_ready: bool,
}

/// The value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterValue {
    /// The bits.
    pub bits: u64,
    /// Whether something has written it.
    pub is_defined: bool,
}

impl LaneGroup {
    /// The threads.
    pub fn threads(self) -> impl Iterator<Item = ThreadId> {
        let Self { cta, warp, lanes, .. } = self;
        lanes_of(lanes).map(move |lane| ThreadId { cta, thread: warp * WARP_SIZE + lane as u32 })
    }

    /// The first thread.
    pub fn first(self) -> ThreadId {
        ThreadId { cta: self.cta, thread: self.warp * WARP_SIZE + self.lanes.trailing_zeros() }
    }

    /// Whether a thread is one of the warp.
    pub fn is_in_warp(self, thread: ThreadId) -> bool {
        self.cta == thread.cta && self.warp == thread.thread / WARP_SIZE
    }

    /// Whether a thread is one of the lanes.
    pub fn contains(self, thread: ThreadId) -> bool {
        self.is_in_warp(thread) && self.lanes >> (thread.thread % WARP_SIZE) & 1 == 1
    }
}

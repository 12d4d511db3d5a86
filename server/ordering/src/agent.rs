//! Who accesses memory: threads, and the asynchronous copies that they begin.

use crate::clock::Agent;
use program::proxy::FencedMemory;

/// Where the kind of an agent begins in the number of its warp.
pub const KIND_SHIFT: u32 = 26;

/// Beside the kind: what an agent has done is over, whether or not it is ordered.
const FINISHED: u32 = 1 << 31;

/// What the copies of a thread do that one wait covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyAgent {
    /// Writes of `cp.async`.
    Writes,
    /// Reads of `cp.async`.
    Reads,
    /// Writes of bulk copies in groups.
    BulkWrites,
    /// Reads of bulk copies in groups.
    BulkReads,
    /// Reads of matrix operations of a warp.
    MatrixReads,
    /// Reads of shared memory by `tcgen05`.
    TensorReads,
    /// Operations of a thread on tensor memory that a commit covers.
    TensorOperations,
    /// Loads of a warp from tensor memory.
    TensorLoads,
    /// Stores of a warp to tensor memory.
    TensorStores,
    /// Operations of a thread on tensor memory that a fence or a commit follows, whether or not they have ended.
    FencedOperations,
    /// Loads and stores of a warp that a fence follows, whether or not they have ended.
    FencedTiles,
}

/// The last kind of copies; those of other agents come after it.
const LAST: u32 = CopyAgent::FencedTiles as u32;

impl Agent {
    /// No agent: for what a clock has before it, whoever gets to know it.
    pub const NOBODY: Self = Self { warp: u32::MAX, lane: u32::MAX };

    /// The threads of an earlier kernel, which this one may not have waited for.
    pub const EARLIER_KERNEL: Self = Self { warp: (LAST + 6) << KIND_SHIFT, lane: 0 };

    /// The agent of the copies that a thread begins.
    pub const fn copying(self, kind: CopyAgent) -> Self {
        Self { warp: ((kind as u32 + 1) << KIND_SHIFT) | self.warp, lane: self.lane }
    }

    /// An agent for the copies of a thread that an mbarrier expects, by its number.
    pub const fn notifying(number: u32) -> Self {
        Self { warp: ((LAST + 2) << KIND_SHIFT) | (number / 32), lane: number % 32 }
    }

    /// An agent that stands for what a thread has done before a proxy fence for a kind of memory.
    pub const fn fenced(self, memory: FencedMemory) -> Self {
        let kind = match memory {
            FencedMemory::Global => 3,
            FencedMemory::Shared => 4,
            FencedMemory::All => 6,
            FencedMemory::ReleasedTensorMap => 8,
        };
        Self { warp: ((LAST + kind) << KIND_SHIFT) | self.warp, lane: self.lane }
    }

    /// An agent that stands for the writes of `cp.async` of a thread that a proxy fence for shared memory follows, by the agent of the writes.
    pub const fn fenced_copies(self) -> Option<Self> {
        let is_of_copies = self.warp >> KIND_SHIFT == CopyAgent::Writes as u32 + 1;
        if is_of_copies {
            Some(Self { warp: ((LAST + 11) << KIND_SHIFT) | self.thread().warp, lane: self.lane })
        } else {
            None
        }
    }

    /// An agent that stands for the mbarriers that a thread has initialized before a fence for that alone.
    pub const fn initializing(self) -> Self {
        Self { warp: ((LAST + 12) << KIND_SHIFT) | self.warp, lane: self.lane }
    }

    /// An agent that stands for what a thread has executed before the issue of an operation that has ended: that orders no memory, but what is done at an
    /// mbarrier. `None` of others than threads.
    pub const fn executing(self) -> Option<Self> {
        match self.warp >> KIND_SHIFT {
            0 => Some(Self { warp: ((LAST + 13) << KIND_SHIFT) | self.warp, lane: self.lane }),
            kind if kind == LAST + 13 => Some(self),
            _ => None,
        }
    }

    /// The thread whose initializations of mbarriers it stands for, if it does.
    pub const fn initializer(self) -> Option<Self> {
        if self.warp >> KIND_SHIFT == LAST + 12 { Some(self.thread()) } else { None }
    }

    /// An agent that stands for what a thread has done before an acquire of a tensor map, by the number of its warp and the map.
    pub const fn acquired_map(number: u32, lane: u32) -> Self {
        Self { warp: ((LAST + 5) << KIND_SHIFT) | number, lane }
    }

    /// An agent that stands for what a thread, the reads of its copies, or a copy that an mbarrier expects are known to have done, by an mbarrier whose
    /// order does not reach so far; `None` of others.
    pub const fn finished(self) -> Option<Self> {
        const READS: u32 = CopyAgent::Reads as u32 + 1;
        const BULK_READS: u32 = CopyAgent::BulkReads as u32 + 1;
        const MATRIX_READS: u32 = CopyAgent::MatrixReads as u32 + 1;
        const TENSOR_READS: u32 = CopyAgent::TensorReads as u32 + 1;
        match self.warp >> KIND_SHIFT {
            0 | READS | BULK_READS | MATRIX_READS | TENSOR_READS => {}
            kind if kind == LAST + 2 || self.warp & FINISHED != 0 => {}
            _ => return None,
        }
        Some(Self { warp: self.warp | FINISHED, lane: self.lane })
    }

    /// An agent that stands for what another one is known to have done to shared memory, by a fence that orders nothing else; `None` if it does
    /// nothing there.
    pub const fn in_shared_memory(self) -> Option<Self> {
        let kind = match self.warp >> KIND_SHIFT {
            // Threads, and copies that notify an mbarrier.
            0 => LAST + 9,
            kind if kind == LAST + 2 => LAST + 10,
            _ => return None,
        };
        Some(Self { warp: (kind << KIND_SHIFT) | (self.warp & ((1 << KIND_SHIFT) - 1)), lane: self.lane })
    }

    /// What of an agent's accesses a fence for shared memory passes on, as the agent that stands for it.
    pub const fn passed_in_shared_memory(self) -> Option<Self> {
        const WRITES: u32 = CopyAgent::Writes as u32 + 1;
        const BULK_READS: u32 = CopyAgent::BulkReads as u32 + 1;
        const MATRIX_READS: u32 = CopyAgent::MatrixReads as u32 + 1;
        const FENCED: u32 = LAST + 4;
        const KNOWN: u32 = LAST + 9;
        const KNOWN_COPIES: u32 = LAST + 10;
        const FENCED_COPIES: u32 = LAST + 11;
        const INITIALIZED: u32 = LAST + 12;
        const EXECUTED: u32 = LAST + 13;
        match self.warp >> KIND_SHIFT {
            // These access no other memory, or are restricted to it already.
            WRITES | BULK_READS | MATRIX_READS | FENCED | KNOWN | KNOWN_COPIES | FENCED_COPIES | INITIALIZED
            | EXECUTED => Some(self),
            _ if self.is_of_tensor_memory() => Some(self),
            _ => self.in_shared_memory(),
        }
    }

    /// The agent that this one stands for by a fence for shared memory only, if it does.
    pub const fn known_in_shared_memory(self) -> Option<Self> {
        let kind = match self.warp >> KIND_SHIFT {
            kind if kind == LAST + 9 => 0,
            kind if kind == LAST + 10 => LAST + 2,
            _ => return None,
        };
        Some(Self { warp: (kind << KIND_SHIFT) | (self.warp & ((1 << KIND_SHIFT) - 1)), lane: self.lane })
    }

    /// Whether it stands for operations on tensor memory, what they read of shared memory included.
    pub const fn is_of_tensor_memory(self) -> bool {
        let kind = self.warp >> KIND_SHIFT;
        kind > CopyAgent::MatrixReads as u32 + 1 && kind <= LAST + 1
    }

    /// Whether it stands for the writes of copies in groups.
    pub const fn writes_in_groups(self) -> bool {
        const WRITES: u32 = CopyAgent::Writes as u32 + 1;
        const BULK_WRITES: u32 = CopyAgent::BulkWrites as u32 + 1;
        matches!(self.warp >> KIND_SHIFT, WRITES | BULK_WRITES)
    }

    /// Whether it stands for the end of a copy that an mbarrier expected, known to be over by an mbarrier whose order does not reach so far.
    pub const fn is_finished_copy(self) -> bool {
        self.warp & FINISHED != 0 && (self.warp & !FINISHED) >> KIND_SHIFT == LAST + 2
    }

    /// The number of an agent that notifies an mbarrier.
    pub const fn notifier(self) -> Option<u32> {
        let is_notifier = self.warp >> KIND_SHIFT == LAST + 2;
        if is_notifier { Some((self.warp & ((1 << KIND_SHIFT) - 1)) * 32 + self.lane) } else { None }
    }

    /// Whether it is a thread itself.
    pub const fn is_thread(self) -> bool {
        self.warp >> KIND_SHIFT == 0
    }

    /// The thread of an agent that is no notifier.
    pub const fn thread(self) -> Self {
        Self { warp: self.warp & ((1 << KIND_SHIFT) - 1), lane: self.lane }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_lead_back_to_their_thread() {
        let thread = Agent { warp: 70_000, lane: 31 };
        let of_copies =
            [CopyAgent::Writes, CopyAgent::Reads, CopyAgent::BulkWrites, CopyAgent::BulkReads, CopyAgent::MatrixReads];
        let of_tensors = [CopyAgent::TensorOperations, CopyAgent::TensorLoads, CopyAgent::FencedTiles];
        for kind in of_copies.into_iter().chain(of_tensors) {
            let agent = thread.copying(kind);
            assert!(!agent.is_thread() && agent.thread() == thread && agent.notifier().is_none());
            assert_eq!(agent.is_of_tensor_memory(), of_tensors.contains(&kind));
        }
        assert!(
            thread.finished().is_some_and(|finished| !finished.is_of_tensor_memory())
                && !Agent::notifying(7).is_of_tensor_memory()
        );
        assert_eq!(Agent::notifying(1234).notifier(), Some(1234));
        assert!(thread.is_thread() && thread.notifier().is_none() && !Agent::notifying(7).is_thread());
    }
}

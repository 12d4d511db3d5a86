//! An earlier kernel that this one can overlap, as with programmatic dependent launch: what it does to memory happens before the accesses that are after
//! `griddepcontrol.wait`.

use super::clock::Agent;
use super::row::{LaneOrder, ROW, RowAccess};
use super::shadow::{Shadow, TouchedRow};
use super::shadow_access::{ShadowAccess, WORD};
use super::{RacedMemory, Races};
use crate::machine::global::EarlierUse;
use crate::machine::kernel_use::{KernelUse, OverlapEnd, OverlappedKernel, UsedRow};
use crate::machine::problem::MachineAccessKind;

/// The epoch of all accesses of the earlier kernel.
const EPOCH: u32 = 1;
/// That of kernels whose end nobody can wait for.
const NEVER: u32 = 2;

/// Reads by the earlier kernel of all words of a row.
const EARLIER: RowAccess = RowAccess {
    warp: Agent::EARLIER_KERNEL.warp,
    epoch: EPOCH,
    instruction: 0,
    words: u32::MAX,
    kind: MachineAccessKind::Read,
    size: WORD as u8,
    first_lane: Agent::EARLIER_KERNEL.lane as u8,
    order: LaneOrder::Ascending,
    // One lane has them all.
    lane_words_log: ROW.ilog2() as u8,
};

impl Races {
    /// The earlier kernel uses all bytes of an allocation that this one has not accessed yet.
    pub fn use_earlier(&mut self, allocation: usize, usage: EarlierUse) {
        let kind = match usage {
            EarlierUse::None => return,
            EarlierUse::Reads => MachineAccessKind::Read,
            EarlierUse::Writes => MachineAccessKind::Write,
        };
        let access = RowAccess { kind, ..EARLIER };
        *Self::shadow(&mut self.global, &mut self.shared, RacedMemory::Global(allocation)) =
            Shadow::accessed_before(access);
    }

    /// An earlier kernel that may still run has accessed some words.
    pub fn overlap(&mut self, kernel: &OverlappedKernel) {
        let epoch = match kernel.end {
            OverlapEnd::Wait => EPOCH,
            OverlapEnd::Never => NEVER,
        };
        for (allocation, row, used) in kernel.usage.rows() {
            let shadow = Self::shadow(&mut self.global, &mut self.shared, RacedMemory::Global(allocation));
            for (words, kind) in [(used.read, MachineAccessKind::Read), (used.written, MachineAccessKind::Write)] {
                if words != 0 {
                    shadow.begin_row(row, RowAccess { epoch, words, kind, ..EARLIER });
                }
            }
        }
    }

    /// The rows of global memory in which words were accessed, with their allocations.
    pub fn touched_rows(&self) -> impl Iterator<Item = (usize, TouchedRow)> {
        self.global.iter().enumerate().flat_map(|(at, shadow)| shadow.rows().map(move |row| (at, row)))
    }

    /// Adds what was done to global memory, at the end of an execution.
    pub fn add_use(&self, usage: &mut KernelUse) {
        usage.ends_without_wait |= !self.has_waited_for_earlier;
        for (allocation, TouchedRow { row, accessed, written }) in self.touched_rows() {
            usage.add_row(allocation, row, UsedRow { read: accessed & !written, written });
        }
    }

    /// A kernel before this one has changed what can be a tensor map, and has ended.
    pub fn note_changed_maps(&mut self) {
        self.has_changed_maps = true;
    }

    /// Whether a thread knows of an acquire in its CTA, after the kernels before this one, of the tensor map at an offset of an allocation.
    pub fn has_acquired_map(&mut self, agent: Agent, map: (usize, usize)) -> bool {
        let known = self.warp(agent.warp).known(agent.lane as usize).clone();
        self.acquired_maps.knows_acquire(map, self.numbers.position(agent.warp).cta, &known)
    }

    /// A thread waits until the earlier kernel has ended and what it has written can be read.
    pub fn wait_for_earlier_kernel(&mut self, agent: Agent) {
        self.has_waited_for_earlier = true;
        self.warp(agent.warp).thread(agent.lane as usize).known.raise(Agent::EARLIER_KERNEL, EPOCH);
    }
}

/// Whether an earlier access is of a kernel whose end nobody can wait for.
pub(super) fn is_never_over(earlier: &ShadowAccess) -> bool {
    earlier.agent() == Agent::EARLIER_KERNEL && earlier.epoch == NEVER
}

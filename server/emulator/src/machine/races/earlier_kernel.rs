//! An earlier kernel that this one can overlap, as with programmatic dependent launch: what it does to memory happens before the accesses that are after
//! `griddepcontrol.wait`.

use super::clock::Agent;
use super::row::{LaneOrder, ROW, RowAccess};
use super::shadow::Shadow;
use super::shadow_access::WORD;
use super::{RacedMemory, Races};
use crate::machine::global::EarlierUse;
use crate::machine::problem::MachineAccessKind;

/// The epoch of all accesses of the earlier kernel.
const EPOCH: u32 = 1;

impl Races {
    /// The earlier kernel uses all bytes of an allocation that this one has not accessed yet.
    pub fn use_earlier(&mut self, allocation: usize, usage: EarlierUse) {
        let kind = match usage {
            EarlierUse::None => return,
            EarlierUse::Reads => MachineAccessKind::Read,
            EarlierUse::Writes => MachineAccessKind::Write,
        };
        let access = RowAccess {
            warp: Agent::EARLIER_KERNEL.warp,
            epoch: EPOCH,
            instruction: 0,
            words: u32::MAX,
            kind,
            size: WORD as u8,
            first_lane: Agent::EARLIER_KERNEL.lane as u8,
            order: LaneOrder::Ascending,
            // One lane has them all.
            lane_words_log: ROW.ilog2() as u8,
        };
        *Self::shadow(&mut self.global, &mut self.shared, RacedMemory::Global(allocation)) =
            Shadow::accessed_before(access);
    }

    /// A kernel before this one has changed what can be a tensor map, and has ended.
    pub fn note_changed_maps(&mut self) {
        self.has_changed_maps = true;
    }

    /// Whether a thread knows of an acquire in this kernel of the tensor map at an offset of an allocation.
    pub fn has_acquired_map(&mut self, agent: Agent, map: (usize, usize)) -> bool {
        let known = self.warp(agent.warp).known(agent.lane as usize).clone();
        self.acquired_maps.knows_acquire(map, &known)
    }

    /// A thread waits until the earlier kernel has ended and what it has written can be read.
    pub fn wait_for_earlier_kernel(&mut self, agent: Agent) {
        self.warp(agent.warp).thread(agent.lane as usize).known.raise(Agent::EARLIER_KERNEL, EPOCH);
    }
}

//! An earlier kernel that this one can overlap, as with programmatic dependent launch: what it does to memory happens before the accesses that are behind
//! `griddepcontrol.wait`.

use super::clock::{Agent, Clock};
use super::shadow::WORD;
use super::{CheckedAccess, RacedMemory, Races, WriteEffect};
use crate::machine::global::EarlierUse;
use crate::machine::problem::{CodePlace, MachineAccessKind};
use crate::machine::proxy::AccessProxy;

/// The epoch of all accesses of the earlier kernel.
const EPOCH: u32 = 1;

impl Races {
    /// The earlier kernel uses all bytes of an allocation.
    pub fn use_earlier(&mut self, allocation: usize, bytes: usize, usage: EarlierUse) {
        let kind = match usage {
            EarlierUse::None => return,
            EarlierUse::Reads => MachineAccessKind::Read,
            EarlierUse::Writes => MachineAccessKind::Write,
        };
        let access = CheckedAccess {
            region: RacedMemory::Global(allocation),
            offset: 0,
            bytes,
            element: WORD as u32,
            kind,
            scope: None,
            place: CodePlace { function: 0, instruction: 0 },
            effect: WriteEffect::Changes,
            proxy: AccessProxy::Generic,
        };
        self.access_knowing(Agent::EARLIER_KERNEL, EPOCH, &Clock::default(), &access);
        // It is not this kernel that has written.
        self.written.clear();
    }

    /// A thread waits until the earlier kernel has ended and what it has written can be read.
    pub fn wait_for_earlier_kernel(&mut self, agent: Agent) {
        self.warp(agent.warp).threads[agent.lane as usize].known.raise(Agent::EARLIER_KERNEL, EPOCH);
    }
}

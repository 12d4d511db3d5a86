//! `clusterlaunchcontrol`: a cluster takes over the work of another one that has not begun.

use crate::machine::copies::asynchronous::{
    AnswerRecipients, CancelLaunch, CopiedPart, MemoryRange, Notified, PendingCopy, PendingData,
};
use crate::machine::problem::{MachineAccessKind, ProblemKind};
use crate::machine::program::multicast::MulticastSignal;
use crate::machine::program::operand::Source;
use crate::machine::program::proxy::AccessProxy;
use crate::machine::state::UnsupportedAt;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;

/// The bytes of an answer.
const ANSWER: u64 = 16;
/// The bit of the upper half of an answer that says that a cluster was cancelled. What an answer looks like is not defined.
const CANCELLED: u64 = 1 << 63;

impl Executor<'_, '_> {
    /// Asks in each active lane for a cluster.
    pub fn cancel_launch(&mut self, cancel: &CancelLaunch, active: u32) {
        if self.machine.explored.clock.is_some() && self.machine.explored.withheld.is_none() {
            // Which clusters of several kernels are left is not explored.
            let opcode = "clusterlaunchcontrol.try_cancel".to_owned();
            self.machine.unsupported = Some(UnsupportedAt { place: self.place(), opcode });
            self.machine.stopped = true;
            return;
        }
        for lane in lanes_of(active) {
            if self.machine.queue.refused.contains(&self.agent(lane)) {
                self.report(ProblemKind::CancelAfterRefusal, lane);
            }
            match self.pending_answer(cancel, lane) {
                Ok(Some(answer)) => {
                    let ranks = (cancel.recipients == AnswerRecipients::Cluster).then_some(u32::MAX);
                    self.push_copy(answer, ranks.map(|ranks| (ranks, MulticastSignal::Each)));
                }
                Ok(None) => {}
                Err(problem) => self.report(problem, lane),
            }
        }
    }

    /// Notes which of the active lanes know now that an attempt has failed.
    pub fn learn_answer(&mut self, is_cancelled: Source, active: u32) {
        let known = active & !self.missing(is_cancelled, active);
        for lane in lanes_of(known) {
            if self.values(is_cancelled)[lane] == 0 {
                let agent = self.agent(lane);
                self.machine.queue.refused.insert(agent);
            }
        }
    }

    fn pending_answer(&mut self, cancel: &CancelLaunch, lane: usize) -> Result<Option<PendingCopy>, ProblemKind> {
        let destination = self.memory_range(&cancel.answer, ANSWER, ANSWER, MachineAccessKind::Write, lane)?;
        if let MemoryRange::Global(address) = destination {
            return Err(ProblemKind::WrongSpace { address, expected: "shared", found: "global" });
        }
        let Some((slot, offset)) = self.mbarrier_place(&cancel.barrier, lane) else { return Ok(None) };
        let explores = self.machine.explored.withheld.is_some();
        let cancelled =
            if explores { self.machine.cancel_withheld_cluster() } else { self.machine.cancel_next_cluster() };
        let halves = match cancelled.map(|first| first.map(u64::from)) {
            Some([x, y, z]) => [x | y << 32, z | CANCELLED],
            None => [0, 0],
        };
        Ok(Some(PendingCopy {
            thread: self.thread(lane),
            place: self.place(),
            begin: self.begin_copy_clock(lane),
            destination,
            length: ANSWER as usize,
            data: PendingData::Read(halves.map(u64::to_le_bytes).concat(), vec![true; ANSWER as usize], None),
            reduction: None,
            notified: Notified::Mbarrier(slot, offset),
            proxy: AccessProxy::Async,
            part: CopiedPart::All,
        }))
    }
}

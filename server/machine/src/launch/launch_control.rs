//! `clusterlaunchcontrol`: a cluster takes over the work of another one that has not begun.

use crate::copies::copy_progress;
use crate::copies::pending_copy::{CopiedPart, MemoryRange, Notified, PendingCopy, PendingData};
use crate::exploration::withheld_clusters;
use crate::state::UnsupportedAt;
use crate::threads::executor::Executor;
use crate::waiting::mbarrier_access;
use program::copies::async_copy::{AnswerRecipients, CancelLaunch};
use program::lanes::lanes_of;
use program::multicast::MulticastSignal;
use program::operand::Source;
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;

/// The bytes of an answer.
const ANSWER: u64 = 16;
/// The bit of the upper half of an answer that says that a cluster was cancelled. What an answer looks like is not defined.
const CANCELLED: u64 = 1 << 63;

/// Asks in each active lane for a cluster.
pub fn cancel_launch(executor: &mut Executor<'_, '_>, cancel: &CancelLaunch, active: u32) {
    if executor.machine.explored.clock.is_some() && executor.machine.explored.withheld.is_none() {
        // Which clusters of several kernels are left is not explored.
        let opcode = "clusterlaunchcontrol.try_cancel".to_owned();
        executor.machine.unsupported = Some(UnsupportedAt { place: executor.place(), opcode });
        executor.machine.stopped = true;
        return;
    }
    for lane in lanes_of(active) {
        if executor.machine.queue.refused.contains(&executor.agent(lane)) {
            executor.report(ProblemKind::CancelAfterRefusal, lane);
        }
        match pending_answer(executor, cancel, lane) {
            Ok(Some(answer)) => {
                let ranks = (cancel.recipients == AnswerRecipients::Cluster).then_some(u32::MAX);
                copy_progress::push_copy(executor, answer, ranks.map(|ranks| (ranks, MulticastSignal::Each)));
            }
            Ok(None) => {}
            Err(problem) => executor.report(problem, lane),
        }
    }
}

/// Notes which of the active lanes know now that an attempt has failed.
pub fn learn_answer(executor: &mut Executor<'_, '_>, is_cancelled: Source, active: u32) {
    let known = active & !executor.missing(is_cancelled, active);
    for lane in lanes_of(known) {
        if executor.values(is_cancelled)[lane] == 0 {
            let agent = executor.agent(lane);
            executor.machine.queue.refused.insert(agent);
        }
    }
}

fn pending_answer(
    executor: &mut Executor<'_, '_>,
    cancel: &CancelLaunch,
    lane: usize,
) -> Result<Option<PendingCopy>, ProblemKind> {
    let destination =
        copy_progress::memory_range(executor, &cancel.answer, ANSWER, ANSWER, MachineAccessKind::Write, lane)?;
    if let MemoryRange::Global(address) = destination {
        return Err(ProblemKind::WrongSpace { address, expected: "shared", found: "global" });
    }
    let Some((slot, offset)) = mbarrier_access::mbarrier_place(executor, &cancel.barrier, lane) else {
        return Ok(None);
    };
    let explores = executor.machine.explored.withheld.is_some();
    let cancelled = if explores {
        withheld_clusters::cancel_withheld_cluster(executor.machine)
    } else {
        executor.machine.cancel_next_cluster()
    };
    let halves = match cancelled.map(|first| first.map(u64::from)) {
        Some([x, y, z]) => [x | y << 32, z | CANCELLED],
        None => [0, 0],
    };
    Ok(Some(PendingCopy {
        thread: executor.thread(lane),
        place: executor.place(),
        begin: executor.begin_copy_clock(lane),
        destination,
        length: ANSWER as usize,
        data: PendingData::Read(halves.map(u64::to_le_bytes).concat(), vec![true; ANSWER as usize], None),
        reduction: None,
        notified: Notified::Mbarrier(slot, offset),
        proxy: AccessProxy::Async,
        part: CopiedPart::All,
    }))
}

//! Instructions on mbarriers.

use crate::copies::pending_copy::{CopiedPart, Notified, PendingCopy, PendingData};
use crate::memory::locate::{MachineAccess, MemoryPlace, space_name};
use crate::recording::recorded_access::MbarrierAccess;
use crate::state::Machine;
use crate::tensor::warpgroup_wait;
use crate::threads::executor::Executor;
use crate::threads::warp::Polled;
use crate::waiting::mbarrier::Mbarrier;
use crate::waiting::polling;
use ordering::{Agent, Clock};
use program::copies::async_copy::GroupKind;
use program::lanes::lanes_of;
use program::operand::{Destination, MachineAddress, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use program::waiting::mbarrier_instruction::{
    MBARRIER_BYTES, MbarrierAction, MbarrierInstruction, MbarrierMistake, Participation, PendingCount, TestedPhase,
};

/// Executes an instruction on an mbarrier, lane by lane.
pub fn mbarrier(executor: &mut Executor<'_, '_>, instruction: &MbarrierInstruction, active: u32) {
    executor.require_defined(instruction.address.base, active);
    for lane in lanes_of(active) {
        let Some((slot, offset)) = mbarrier_place(executor, &instruction.address, lane) else {
            if let MbarrierAction::Test(destination, _) = instruction.operation {
                executor.set_lane(destination, lane, 1);
            }
            continue;
        };
        if let Err(mistake) = mbarrier_lane(executor, instruction, slot, offset, lane) {
            executor.report(ProblemKind::Mbarrier { mistake, address: offset.into() }, lane);
        }
    }
}

/// The mbarrier at an address: the slot of its CTA and its offset.
pub fn mbarrier_place(executor: &mut Executor<'_, '_>, address: &MachineAddress, lane: usize) -> Option<(usize, u32)> {
    let value = executor.address(address, lane);
    let access =
        MachineAccess { space: address.space, address: value, size: MBARRIER_BYTES, kind: MachineAccessKind::Atomic };
    match executor.locate(access, MBARRIER_BYTES) {
        Ok(MemoryPlace::Shared(slot, offset)) => Some((slot, offset)),
        Ok(_) => {
            let found = space_name(executor.addresses().window(value));
            executor.report(ProblemKind::WrongSpace { address: value, expected: "shared", found }, lane);
            None
        }
        Err(problem) => {
            executor.report(problem, lane);
            None
        }
    }
}

fn mbarrier_lane(
    executor: &mut Executor<'_, '_>,
    MbarrierInstruction { operation, order, .. }: &MbarrierInstruction,
    slot: usize,
    offset: u32,
    lane: usize,
) -> Result<(), MbarrierMistake> {
    match operation {
        MbarrierAction::Initialize(count) => {
            let count = operand(executor, *count, lane);
            executor.record_mbarrier(slot, offset, MbarrierAccess::Initialize, lane);
            let known = executor.machine.ctas[slot].mbarriers.insert(offset, Mbarrier::new(count)?);
            executor.machine.ctas[slot].shared.store(offset as usize, 8, count);
            executor.machine.version += 1;
            if known.is_some() { Err(MbarrierMistake::InitializedTwice) } else { Ok(()) }
        }
        MbarrierAction::Invalidate => {
            executor.record_mbarrier(slot, offset, MbarrierAccess::Invalidate, lane);
            let agent = executor.agent(lane);
            let known = executor.machine.races.known(agent);
            note_mbarrier_end(executor.machine, (slot, offset), &known, Some(agent));
            executor.machine.races.end_mbarrier(slot, offset);
            executor.machine.ctas[slot].shared.define(offset as usize, 8, false);
            let known = executor.machine.ctas[slot].mbarriers.remove(&offset);
            known.map(|_| ()).ok_or(MbarrierMistake::NotInitialized)
        }
        MbarrierAction::Arrive { count, bytes, participation, state } => {
            let count = operand(executor, *count, lane);
            let bytes = bytes.map(|bytes| operand(executor, bytes, lane));
            executor.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
            let agent = executor.agent(lane);
            if executor.machine.explored.clock.is_some() {
                executor.machine.races.begin_arrival(agent, slot, offset);
            }
            executor.machine.races.arrive_at_mbarrier(agent, slot, offset, *order);
            let before = arrive(executor, slot, offset, count, bytes, *participation)?;
            if let Some(destination) = state {
                executor.set_lane(*destination, lane, before);
            }
            Ok(())
        }
        MbarrierAction::ExpectBytes(bytes) => {
            let bytes = operand(executor, *bytes, lane);
            executor.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
            use_phase(executor, slot, offset, lane);
            known_mbarrier(executor, slot, offset)?.expect(bytes)
        }
        MbarrierAction::CompleteBytes(bytes) => {
            let bytes = operand(executor, *bytes, lane);
            executor.machine.version += 1;
            executor.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
            use_phase(executor, slot, offset, lane);
            let barrier = known_mbarrier(executor, slot, offset)?;
            let before = barrier.state();
            let result = barrier.complete(bytes);
            note_mbarrier_change(executor.machine, (slot, offset), before);
            result
        }
        MbarrierAction::Test(destination, phase) => {
            executor.record_mbarrier(slot, offset, MbarrierAccess::Test, lane);
            let is_early = succeeds_as_early(executor, *phase, slot, offset, lane);
            let has_ended = test(executor, *destination, *phase, slot, offset, lane)?;
            if is_early || !has_ended {
                use_phase(executor, slot, offset, lane);
            }
            if has_ended {
                let agent = executor.agent(lane);
                if executor.machine.explored.clock.is_some() {
                    let products = warpgroup_wait::next_products(executor);
                    executor.machine.races.find_ended(agent, slot, offset);
                    executor.machine.races.pass_mbarrier(agent, products, slot, offset);
                }
                executor.machine.races.observe_mbarrier(agent, slot, offset, *order);
            }
            Ok(())
        }
        MbarrierAction::ArriveAfterCopies(pending) => {
            let barrier = known_mbarrier(executor, slot, offset)?;
            if *pending == PendingCount::Incremented {
                barrier.add_pending();
            }
            executor.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
            let (thread, place) = (executor.thread(lane), executor.place());
            let begin = executor.begin_copy_clock(lane);
            let groups = executor.warp.group_numbers(lane);
            let group = groups.current(GroupKind::Copies);
            groups.divide();
            executor.machine.copies.push(PendingCopy {
                thread,
                place,
                begin,
                destination: crate::copies::pending_copy::MemoryRange::Shared(slot, offset),
                length: 0,
                data: PendingData::Read(Vec::new(), Vec::new(), None),
                reduction: None,
                notified: Notified::ArrivalAfter(GroupKind::Copies, group, slot, offset),
                proxy: AccessProxy::Generic,
                part: CopiedPart::All,
            });
            Ok(())
        }
    }
}

fn operand(executor: &mut Executor<'_, '_>, source: Source, lane: usize) -> u64 {
    executor.require_defined(source, 1 << lane);
    executor.values(source)[lane]
}

fn known_mbarrier<'e>(
    executor: &'e mut Executor<'_, '_>,
    slot: usize,
    offset: u32,
) -> Result<&'e mut Mbarrier, MbarrierMistake> {
    let cta = &mut executor.machine.ctas[slot];
    let barrier = cta.mbarriers.get_mut(&offset).ok_or(MbarrierMistake::NotInitialized)?;
    let is_kept = cta.shared.load(offset as usize, MBARRIER_BYTES as u32) == barrier.contents();
    if is_kept { Ok(barrier) } else { Err(MbarrierMistake::Overwritten) }
}

/// Arrives, and expects bytes before; returns the state before.
fn arrive(
    executor: &mut Executor<'_, '_>,
    slot: usize,
    offset: u32,
    count: u64,
    bytes: Option<u64>,
    participation: Participation,
) -> Result<u64, MbarrierMistake> {
    executor.machine.version += 1;
    let barrier = known_mbarrier(executor, slot, offset)?;
    let before = barrier.state();
    if let Some(bytes) = bytes {
        barrier.expect(bytes)?;
    }
    barrier.arrive(count, participation)?;
    note_mbarrier_change(executor.machine, (slot, offset), before);
    Ok(before)
}

/// Whether a test of an mbarrier finds that the phase has ended.
pub fn test_succeeds(
    executor: &mut Executor<'_, '_>,
    phase: TestedPhase,
    slot: usize,
    offset: u32,
    lane: usize,
) -> bool {
    let (TestedPhase::State(source) | TestedPhase::Parity(source)) = phase;
    if executor.defined(source, 1 << lane) == 0 {
        return false;
    }
    let value = executor.values(source)[lane];
    executor.machine.ctas[slot].mbarriers.get(&offset).is_some_and(|barrier| barrier.answer(phase, value))
}

/// Whether a test of an mbarrier finds that a phase before the last one has ended: it would have in the last one, too.
fn succeeds_as_early(
    executor: &mut Executor<'_, '_>,
    phase: TestedPhase,
    slot: usize,
    offset: u32,
    lane: usize,
) -> bool {
    let TestedPhase::State(source) = phase else { return false };
    let value = executor.values(source)[lane];
    executor.machine.ctas[slot].mbarriers.get(&offset).is_some_and(|barrier| barrier.had_ended(value))
}

/// A lane does what depends on the phase of an mbarrier; in a search of all executions it is noted if it can do so in the one before.
fn use_phase(executor: &mut Executor<'_, '_>, slot: usize, offset: u32, lane: usize) {
    if executor.machine.explored.clock.is_some() {
        let agent = executor.agent(lane);
        executor.machine.races.use_phase(agent, slot, offset);
    }
}

/// Whether an mbarrier waits for an arrival, which may expect bytes.
pub fn is_awaited(
    executor: &mut Executor<'_, '_>,
    (count, bytes): (Source, Option<Source>),
    (slot, offset): (usize, u32),
    lane: usize,
) -> bool {
    let all_defined = [Some(count), bytes].into_iter().flatten().all(|one| executor.defined(one, 1 << lane) != 0);
    let count = executor.values(count)[lane];
    let bytes = bytes.map_or(0, |bytes| executor.values(bytes)[lane]);
    let awaits = |barrier: &Mbarrier| barrier.awaits_arrival(count, bytes);
    all_defined && executor.machine.ctas[slot].mbarriers.get(&offset).is_some_and(awaits)
}

fn test(
    executor: &mut Executor<'_, '_>,
    destination: Destination,
    phase: TestedPhase,
    slot: usize,
    offset: u32,
    lane: usize,
) -> Result<bool, MbarrierMistake> {
    executor.warp.polled = Some(Polled::Mbarrier(slot, offset));
    if executor.is_watching {
        polling::watch_mbarrier(executor, slot, offset);
    }
    let (TestedPhase::State(source) | TestedPhase::Parity(source)) = phase;
    let value = operand(executor, source, lane);
    let barrier = known_mbarrier(executor, slot, offset).map(|barrier| *barrier);
    // An answer that lets a loop end, so that one mistake is not a second one.
    let answer = barrier.map_or(true, |barrier| barrier.answer(phase, value));
    executor.set_lane(destination, lane, answer.into());
    executor.warp.has_tested_in_vain = !answer;
    barrier.map(|_| answer)
}

/// An mbarrier has changed: a phase has ended, or could have ended before copies that nobody had expected yet.
pub fn note_mbarrier_change(machine: &mut Machine<'_>, (slot, offset): (usize, u32), before: u64) {
    let Some(barrier) = machine.ctas[slot].mbarriers.get(&offset) else { return };
    if barrier.has_ended(before) {
        machine.races.end_mbarrier_phase(slot, offset);
    } else if barrier.is_overdrawn() && machine.explored.clock.is_some() {
        machine.races.note_overdrawn(slot, offset);
    }
}

/// An mbarrier, or its memory, ends after what a clock says. `agent` is the thread that ends it, if it is one.
pub fn note_mbarrier_end(machine: &mut Machine<'_>, mbarrier: (usize, u32), known: &Clock, agent: Option<Agent>) {
    if machine.explored.clock.is_some() {
        machine.races.end_use(known, agent, mbarrier);
    }
}

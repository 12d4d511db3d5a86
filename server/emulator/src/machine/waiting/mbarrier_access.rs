//! Instructions on mbarriers.

use crate::machine::copies::asynchronous::{CopiedPart, GroupKind, Notified, PendingCopy, PendingData};
use crate::machine::memory::locate::{MachineAccess, MemoryPlace, space_name};
use crate::machine::ordering::execution_events::MbarrierAccess;
use crate::machine::ordering::{Agent, Clock};
use crate::machine::problem::{MachineAccessKind, ProblemKind};
use crate::machine::program::operand::{Destination, MachineAddress, Source};
use crate::machine::program::proxy::AccessProxy;
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use crate::machine::threads::lanes::lanes_of;
use crate::machine::threads::warp::Polled;
use crate::machine::waiting::mbarrier::{
    MBARRIER_BYTES, Mbarrier, MbarrierAction, MbarrierInstruction, MbarrierMistake, Participation, PendingCount,
    TestedPhase,
};

impl Executor<'_, '_> {
    /// Executes an instruction on an mbarrier, lane by lane.
    pub fn mbarrier(&mut self, instruction: &MbarrierInstruction, active: u32) {
        self.require_defined(instruction.address.base, active);
        for lane in lanes_of(active) {
            let Some((slot, offset)) = self.mbarrier_place(&instruction.address, lane) else {
                if let MbarrierAction::Test(destination, _) = instruction.operation {
                    self.set_lane(destination, lane, 1);
                }
                continue;
            };
            if let Err(mistake) = self.mbarrier_lane(instruction, slot, offset, lane) {
                self.report(ProblemKind::Mbarrier { mistake, address: offset.into() }, lane);
            }
        }
    }

    /// The mbarrier at an address: the slot of its CTA and its offset.
    pub fn mbarrier_place(&mut self, address: &MachineAddress, lane: usize) -> Option<(usize, u32)> {
        let value = self.address(address, lane);
        let access = MachineAccess {
            space: address.space,
            address: value,
            size: MBARRIER_BYTES,
            kind: MachineAccessKind::Atomic,
        };
        match self.locate(access, MBARRIER_BYTES) {
            Ok(MemoryPlace::Shared(slot, offset)) => Some((slot, offset)),
            Ok(_) => {
                let found = space_name(self.addresses().window(value));
                self.report(ProblemKind::WrongSpace { address: value, expected: "shared", found }, lane);
                None
            }
            Err(problem) => {
                self.report(problem, lane);
                None
            }
        }
    }

    fn mbarrier_lane(
        &mut self,
        MbarrierInstruction { operation, order, .. }: &MbarrierInstruction,
        slot: usize,
        offset: u32,
        lane: usize,
    ) -> Result<(), MbarrierMistake> {
        match operation {
            MbarrierAction::Initialize(count) => {
                let count = self.operand(*count, lane);
                self.record_mbarrier(slot, offset, MbarrierAccess::Initialize, lane);
                let known = self.machine.ctas[slot].mbarriers.insert(offset, Mbarrier::new(count)?);
                self.machine.ctas[slot].shared.store(offset as usize, 8, count);
                self.machine.version += 1;
                if known.is_some() { Err(MbarrierMistake::InitializedTwice) } else { Ok(()) }
            }
            MbarrierAction::Invalidate => {
                self.record_mbarrier(slot, offset, MbarrierAccess::Invalidate, lane);
                let agent = self.agent(lane);
                let known = self.machine.races.known(agent);
                self.machine.note_mbarrier_end((slot, offset), &known, Some(agent));
                self.machine.races.end_mbarrier(slot, offset);
                self.machine.ctas[slot].shared.define(offset as usize, 8, false);
                let known = self.machine.ctas[slot].mbarriers.remove(&offset);
                known.map(|_| ()).ok_or(MbarrierMistake::NotInitialized)
            }
            MbarrierAction::Arrive { count, bytes, participation, state } => {
                let count = self.operand(*count, lane);
                let bytes = bytes.map(|bytes| self.operand(bytes, lane));
                self.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
                let agent = self.agent(lane);
                if self.machine.explored.clock.is_some() {
                    self.machine.races.begin_arrival(agent, slot, offset);
                }
                self.machine.races.arrive_at_mbarrier(agent, slot, offset, *order);
                let before = self.arrive(slot, offset, count, bytes, *participation)?;
                if let Some(destination) = state {
                    self.set_lane(*destination, lane, before);
                }
                Ok(())
            }
            MbarrierAction::ExpectBytes(bytes) => {
                let bytes = self.operand(*bytes, lane);
                self.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
                self.use_phase(slot, offset, lane);
                self.known_mbarrier(slot, offset)?.expect(bytes)
            }
            MbarrierAction::CompleteBytes(bytes) => {
                let bytes = self.operand(*bytes, lane);
                self.machine.version += 1;
                self.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
                self.use_phase(slot, offset, lane);
                let barrier = self.known_mbarrier(slot, offset)?;
                let before = barrier.state();
                let result = barrier.complete(bytes);
                self.machine.note_mbarrier_change((slot, offset), before);
                result
            }
            MbarrierAction::Test(destination, phase) => {
                self.record_mbarrier(slot, offset, MbarrierAccess::Test, lane);
                let is_early = self.succeeds_as_early(*phase, slot, offset, lane);
                let has_ended = self.test(*destination, *phase, slot, offset, lane)?;
                if is_early || !has_ended {
                    self.use_phase(slot, offset, lane);
                }
                if has_ended {
                    let agent = self.agent(lane);
                    if self.machine.explored.clock.is_some() {
                        let products = self.next_products();
                        self.machine.races.find_ended(agent, slot, offset);
                        self.machine.races.pass_mbarrier(agent, products, slot, offset);
                    }
                    self.machine.races.observe_mbarrier(agent, slot, offset, *order);
                }
                Ok(())
            }
            MbarrierAction::ArriveAfterCopies(pending) => {
                let barrier = self.known_mbarrier(slot, offset)?;
                if *pending == PendingCount::Incremented {
                    barrier.add_pending();
                }
                self.record_mbarrier(slot, offset, MbarrierAccess::Update, lane);
                let (thread, place) = (self.thread(lane), self.place());
                let begin = self.begin_copy_clock(lane);
                let groups = self.warp.group_numbers(lane);
                let group = groups.current(GroupKind::Copies);
                groups.divide();
                self.machine.copies.push(PendingCopy {
                    thread,
                    place,
                    begin,
                    destination: crate::machine::copies::asynchronous::MemoryRange::Shared(slot, offset),
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

    fn operand(&mut self, source: Source, lane: usize) -> u64 {
        self.require_defined(source, 1 << lane);
        self.values(source)[lane]
    }

    fn known_mbarrier(&mut self, slot: usize, offset: u32) -> Result<&mut Mbarrier, MbarrierMistake> {
        let cta = &mut self.machine.ctas[slot];
        let barrier = cta.mbarriers.get_mut(&offset).ok_or(MbarrierMistake::NotInitialized)?;
        let is_kept = cta.shared.load(offset as usize, MBARRIER_BYTES as u32) == barrier.contents();
        if is_kept { Ok(barrier) } else { Err(MbarrierMistake::Overwritten) }
    }

    /// Arrives, and expects bytes before; returns the state before.
    fn arrive(
        &mut self,
        slot: usize,
        offset: u32,
        count: u64,
        bytes: Option<u64>,
        participation: Participation,
    ) -> Result<u64, MbarrierMistake> {
        self.machine.version += 1;
        let barrier = self.known_mbarrier(slot, offset)?;
        let before = barrier.state();
        if let Some(bytes) = bytes {
            barrier.expect(bytes)?;
        }
        barrier.arrive(count, participation)?;
        self.machine.note_mbarrier_change((slot, offset), before);
        Ok(before)
    }

    /// Whether a test of an mbarrier finds that the phase has ended.
    pub fn test_succeeds(&mut self, phase: TestedPhase, slot: usize, offset: u32, lane: usize) -> bool {
        let (TestedPhase::State(source) | TestedPhase::Parity(source)) = phase;
        if self.defined(source, 1 << lane) == 0 {
            return false;
        }
        let value = self.values(source)[lane];
        self.machine.ctas[slot].mbarriers.get(&offset).is_some_and(|barrier| barrier.answer(phase, value))
    }

    /// Whether a test of an mbarrier finds that a phase before the last one has ended: it would have in the last one, too.
    fn succeeds_as_early(&mut self, phase: TestedPhase, slot: usize, offset: u32, lane: usize) -> bool {
        let TestedPhase::State(source) = phase else { return false };
        let value = self.values(source)[lane];
        self.machine.ctas[slot].mbarriers.get(&offset).is_some_and(|barrier| barrier.had_ended(value))
    }

    /// A lane does what depends on the phase of an mbarrier; in a search of all executions it is noted if it can do so in the one before.
    fn use_phase(&mut self, slot: usize, offset: u32, lane: usize) {
        if self.machine.explored.clock.is_some() {
            let agent = self.agent(lane);
            self.machine.races.use_phase(agent, slot, offset);
        }
    }

    /// Whether an mbarrier waits for an arrival, which may expect bytes.
    pub fn is_awaited(
        &mut self,
        (count, bytes): (Source, Option<Source>),
        (slot, offset): (usize, u32),
        lane: usize,
    ) -> bool {
        let all_defined = [Some(count), bytes].into_iter().flatten().all(|one| self.defined(one, 1 << lane) != 0);
        let count = self.values(count)[lane];
        let bytes = bytes.map_or(0, |bytes| self.values(bytes)[lane]);
        let awaits = |barrier: &Mbarrier| barrier.awaits_arrival(count, bytes);
        all_defined && self.machine.ctas[slot].mbarriers.get(&offset).is_some_and(awaits)
    }

    fn test(
        &mut self,
        destination: Destination,
        phase: TestedPhase,
        slot: usize,
        offset: u32,
        lane: usize,
    ) -> Result<bool, MbarrierMistake> {
        self.warp.polled = Some(Polled::Mbarrier(slot, offset));
        if self.is_watching {
            self.watch_mbarrier(slot, offset);
        }
        let (TestedPhase::State(source) | TestedPhase::Parity(source)) = phase;
        let value = self.operand(source, lane);
        let barrier = self.known_mbarrier(slot, offset).map(|barrier| *barrier);
        // An answer that lets a loop end, so that one mistake is not a second one.
        let answer = barrier.map_or(true, |barrier| barrier.answer(phase, value));
        self.set_lane(destination, lane, answer.into());
        self.warp.has_tested_in_vain = !answer;
        barrier.map(|_| answer)
    }
}

impl Machine<'_> {
    /// An mbarrier has changed: a phase has ended, or could have ended before copies that nobody had expected yet.
    pub fn note_mbarrier_change(&mut self, (slot, offset): (usize, u32), before: u64) {
        let Some(barrier) = self.ctas[slot].mbarriers.get(&offset) else { return };
        if barrier.has_ended(before) {
            self.races.end_mbarrier_phase(slot, offset);
        } else if barrier.is_overdrawn() && self.explored.clock.is_some() {
            self.races.note_overdrawn(slot, offset);
        }
    }

    /// An mbarrier, or its memory, ends after what a clock says. `agent` is the thread that ends it, if it is one.
    pub fn note_mbarrier_end(&mut self, mbarrier: (usize, u32), known: &Clock, agent: Option<Agent>) {
        if self.explored.clock.is_some() {
            self.races.end_use(known, agent, mbarrier);
        }
    }
}

//! What barriers order.

use crate::clock::{Agent, Clock};
use crate::load_buffering::buffering;
use crate::load_buffering::earlier_reads::BarrierThreads;
use crate::release::{ReleaseSequence, Released};
use crate::{OrderRule, Races};
use isa::types::{Scope, Sem};
use program::lanes::lanes_of;
use program::operand::AccessOrder;
use std::collections::BTreeMap;

/// What the arrivals at an mbarrier release.
#[derive(Clone, Debug, Default)]
pub struct MbarrierClock {
    /// In the current phase.
    current: ReleaseSequence,
    /// In the phases that have ended.
    ended: ReleaseSequence,
    /// What was executed before the issue of the copies that have notified it in the current phase: their ends order nothing of it.
    executed: Clock,
    /// The same in the phases that have ended.
    ended_executed: Clock,
    /// The threads that have seen the end of the last phase, if that is noted.
    passed: Vec<PassedPhase>,
    /// The threads that have arrived in the current phase, with the epochs of their last arrivals, if that is noted.
    arrived: BTreeMap<Agent, u32>,
    /// The same of the last phase.
    arrived_before: BTreeMap<Agent, u32>,
    /// The same of the phase before the last one.
    arrived_earlier: BTreeMap<Agent, u32>,
}

/// A thread has seen the end of a phase.
#[derive(Clone, Copy, Debug)]
pub struct PassedPhase {
    /// The thread.
    pub agent: Agent,
    /// Its epoch.
    pub epoch: u32,
    /// The agent and the epoch of the group of products (`wgmma`) that its warp commits next: who has waited for that does what follows after the
    /// thread has looked.
    pub products: (Agent, u32),
    /// Lanes of its warp that have executed an instruction together with it after it has looked, also through others, and the epoch of the warp then:
    /// what they do from that epoch on follows.
    pub met: (u32, u32),
}

impl PassedPhase {
    /// Whether the thread has looked before what a clock is of, also by what its warp has executed since.
    pub fn is_before(&self, clock: &Clock) -> bool {
        let (products, epoch) = self.products;
        clock.has_finished(self.agent, self.epoch) || clock.has_finished(products, epoch) || self.has_met_before(clock)
    }

    fn has_met_before(&self, clock: &Clock) -> bool {
        let (lanes, epoch) = self.met;
        let warp = self.agent.warp;
        lanes_of(lanes).any(|lane| clock.has_finished(Agent { warp, lane: lane as u32 }, epoch))
    }

    /// Lanes of its warp execute an instruction together.
    const fn meet(&mut self, lanes: u32, epoch: u32) {
        let (met, _) = self.met;
        let follows = met | 1 << self.agent.lane;
        // One epoch for all: for those that met it earlier a later one says less, never too much.
        if lanes & follows != 0 && lanes & !follows != 0 {
            self.met = (met | lanes, epoch);
        }
    }
}

impl MbarrierClock {
    /// What its arrivals release.
    pub fn sequences(&self) -> impl Iterator<Item = &ReleaseSequence> {
        [&self.current, &self.ended].into_iter()
    }

    /// What was executed before copies that have notified it.
    pub fn executed(&self) -> impl Iterator<Item = &Clock> {
        [&self.executed, &self.ended_executed].into_iter().filter(|clock| !clock.is_empty())
    }

    /// The threads that have seen the end of the last phase.
    pub fn passed(&self) -> &[PassedPhase] {
        &self.passed
    }

    /// The threads that have arrived in the current phase, in the last one, and in the one before, with the epochs of their arrivals.
    pub fn arrived(&self) -> [&BTreeMap<Agent, u32>; 3] {
        [&self.arrived, &self.arrived_before, &self.arrived_earlier]
    }
}

/// What relaxed arrivals at the barrier of a cluster hand over.
#[derive(Debug)]
pub struct RelaxedArrival<'c> {
    /// What fences of at least the scope of the cluster have released, to all that wait.
    pub clock: &'c mut Clock,
    /// What those of the CTA have, to its threads.
    pub of_cta: &'c mut Clock,
    /// What the threads have executed.
    pub executed: &'c mut Clock,
}

/// Whether a clock has all arrivals before it, but for those of an agent.
fn knows_all(known: &Clock, agent: Option<Agent>, arrivals: &BTreeMap<Agent, u32>) -> bool {
    arrivals.iter().all(|(other, epoch)| Some(*other) == agent || known.has_finished(*other, *epoch))
}

impl Races {
    /// Lanes of a warp arrive at a barrier: adds what they have done to its clock.
    ///
    /// `waited_for` are the threads that they wait for at once, if that is known.
    pub fn arrive(&mut self, warp: u32, lanes: u32, clock: &mut Clock, waited_for: Option<BarrierThreads>) {
        if !self.keeps_order() {
            return;
        }
        self.warp(warp).add_to(lanes, clock);
        if !self.reads.earlier.is_empty() {
            lanes_of(lanes).for_each(|lane| buffering::pass_reads(self, Agent { warp, lane: lane as u32 }, waited_for));
        }
        let threads = self.warp(warp);
        clock.raise_lanes(warp, lanes, threads.epoch);
        threads.epoch += 1;
    }

    /// The same at the barrier of a cluster without an order of memory, but for that of earlier fences.
    pub fn arrive_relaxed(
        &mut self,
        warp: u32,
        lanes: u32,
        RelaxedArrival { clock, of_cta, executed }: RelaxedArrival,
    ) {
        for lane in lanes_of(lanes) {
            let agent = Agent { warp, lane: lane as u32 };
            buffering::pass_executed(self, agent);
        }
        let threads = self.warp(warp);
        for lane in lanes_of(lanes) {
            let agent = Agent { warp, lane: lane as u32 };
            executed.raise(agent, threads.epoch);
            for (scope, moment) in threads.fences(lane).released() {
                let reached = if *scope >= Scope::Cluster { &mut *clock } else { &mut *of_cta };
                reached.join(&moment.clock(agent));
            }
            if let Some((released, _)) = threads.fences(lane).fenced_tensors() {
                clock.join(released);
            }
        }
        threads.epoch += 1;
    }

    /// Lanes of a warp leave a barrier.
    pub fn leave(&mut self, warp: u32, lanes: u32, clock: &Clock) {
        if !self.omits(OrderRule::Barriers) && self.keeps_order() {
            self.warp(warp).join(lanes, clock);
        }
    }

    /// Lanes of a warp arrive at a barrier of the warp with a mask; `live` are the lanes that have not ended.
    pub fn warp_barrier(&mut self, warp: u32, lanes: u32, mask: u32, live: u32) {
        let barriers = &mut self.warp(warp).barriers;
        let known = barriers.iter().position(|(known, ..)| *known == mask);
        let (_, arrived, mut clock) = known.map_or((mask, 0, Clock::default()), |at| barriers.swap_remove(at));
        let waited_for = (live & !mask == 0).then_some(BarrierThreads::Warp);
        self.arrive(warp, lanes, &mut clock, waited_for);
        self.warp(warp).barriers.push((mask, arrived | lanes, clock));
        self.end_warp_barriers(warp, live);
    }

    /// Ends the warp barriers that all of their lanes that have not ended have arrived at.
    pub fn end_warp_barriers(&mut self, warp: u32, live: u32) {
        while let Some(at) = self.warp(warp).barriers.iter().position(|(mask, arrived, _)| mask & live & !arrived == 0)
        {
            let (_, arrived, clock) = self.warp(warp).barriers.swap_remove(at);
            self.leave(warp, arrived & live, &clock);
        }
    }

    /// A thread arrives at an mbarrier.
    pub fn arrive_at_mbarrier(&mut self, agent: Agent, slot: usize, offset: u32, order: AccessOrder) {
        match order.sem {
            Sem::Release | Sem::AcqRel => buffering::pass_reads(self, agent, None),
            _ => buffering::pass_executed(self, agent),
        }
        let mut releases = self.released(agent, order);
        self.mbarriers.entry((slot, offset)).or_default().current.append(&mut releases);
    }

    /// A copy notifies an mbarrier: a clock has its accesses, and `executed` what its thread did before the issue, which its end does not order. The
    /// end of a copy is visible to whoever sees the end of the phase, also if another CTA has begun it and the wait has the scope of the CTA.
    pub fn notify_mbarrier(&mut self, mut clock: Clock, executed: &Clock, slot: usize, offset: u32) {
        let position = self.numbers.position(slot as u32 * self.numbers.of_cta);
        let finished = executed.finished_copies();
        self.fences_used.has_finished |= !finished.is_empty();
        clock.join(&finished);
        clock.join(&executed.executed_by_threads());
        let released = Released { position, scope: Scope::Cluster, thread: None, clock };
        let keeps_executed = !self.reads.passed.is_empty();
        let mbarrier = self.mbarriers.entry((slot, offset)).or_default();
        mbarrier.current.add(released);
        if keeps_executed {
            mbarrier.executed.join(executed);
        }
    }

    /// A phase of an mbarrier has ended.
    pub fn end_mbarrier_phase(&mut self, slot: usize, offset: u32) {
        let mbarrier = self.mbarriers.entry((slot, offset)).or_default();
        // Who knows of an arrival in a phase knows of all those in the one before: if there is none, the older ones still matter.
        if !mbarrier.arrived.is_empty() {
            let last = std::mem::take(&mut mbarrier.arrived);
            mbarrier.arrived_earlier = std::mem::replace(&mut mbarrier.arrived_before, last);
        }
        let MbarrierClock { current, ended, passed, executed, ended_executed, .. } = mbarrier;
        ended_executed.join(&std::mem::take(executed));
        let is_before =
            |passed: PassedPhase| current.entries().iter().any(|released| passed.is_before(&released.clock));
        if let Some(late) = passed.drain(..).find(|passed| !is_before(*passed)) {
            self.log.overrun.insert((slot, offset), Some(late.agent));
        }
        ended.append(current);
    }

    /// A thread has seen that a phase of an mbarrier has ended, as soon as it had: if a later phase can end before it looks, it has to be explored that
    /// it does.
    ///
    /// `products` are the agent and the epoch of the group of products that its warp commits next.
    pub fn pass_mbarrier(&mut self, agent: Agent, products: (Agent, u32), slot: usize, offset: u32) {
        let epoch = self.warp(agent.warp).epoch;
        let passed = &mut self.mbarriers.entry((slot, offset)).or_default().passed;
        passed.retain(|known| known.agent != agent);
        passed.push(PassedPhase { agent, epoch, products, met: (0, 0) });
    }

    /// Lanes of a warp execute an instruction that none of them leaves before all have come to it. That orders no memory, but who goes on from it does so
    /// after the others have looked at the mbarriers before it. Where it is supposed that a thread only repeats its look until the phase has ended, it has
    /// decided by what it saw.
    pub fn meet(&mut self, warp: u32, lanes: u32) {
        let epoch = self.warp(warp).epoch;
        let (mbarriers, others) = (&mut self.mbarriers, &self.ordered_arrivals);
        for (_, mbarrier) in mbarriers.iter_mut().filter(|(key, _)| !others.contains(key)) {
            let of_warp = mbarrier.passed.iter_mut().filter(|passed| passed.agent.warp == warp);
            of_warp.for_each(|passed| passed.meet(lanes, epoch));
        }
    }

    /// A thread arrives in a phase.
    pub fn begin_arrival(&mut self, agent: Agent, slot: usize, offset: u32) {
        if self.ordered_arrivals.contains(&(slot, offset)) {
            return;
        }
        self.use_phase(agent, slot, offset);
        let epoch = self.warp(agent.warp).epoch;
        self.mbarriers.entry((slot, offset)).or_default().arrived.insert(agent, epoch);
    }

    /// A copy, before whose begin happens what a clock says, arrives in a phase.
    pub fn begin_arrival_of_copy(&mut self, known: &Clock, (by, epoch): (Agent, u32), (slot, offset): (usize, u32)) {
        if self.ordered_arrivals.contains(&(slot, offset)) {
            return;
        }
        self.use_phase_by(known, None, slot, offset);
        self.mbarriers.entry((slot, offset)).or_default().arrived.insert(by, epoch);
    }

    /// A phase could have ended before copies that nobody had expected yet.
    pub fn note_overdrawn(&mut self, slot: usize, offset: u32) {
        self.log.overrun.entry((slot, offset)).or_default();
    }

    /// A thread finds that a phase has ended: if it does not know of all arrivals in the phase before that, it may find that one ended instead.
    pub fn find_ended(&mut self, agent: Agent, slot: usize, offset: u32) {
        let known = self.warp(agent.warp).known(agent.lane as usize).clone();
        let Some(mbarrier) = self.mbarriers.get(&(slot, offset)) else { return };
        if !knows_all(&known, Some(agent), &mbarrier.arrived_earlier) {
            self.log.overrun.entry((slot, offset)).or_default();
        }
    }

    /// What a thread does depends on the phase: if it does not know of all arrivals in the last one, it may do it in that one before some of them; an
    /// arrival in their place.
    pub fn use_phase(&mut self, agent: Agent, slot: usize, offset: u32) {
        let known = self.warp(agent.warp).known(agent.lane as usize).clone();
        self.use_phase_by(&known, Some(agent), slot, offset);
    }

    fn use_phase_by(&mut self, known: &Clock, agent: Option<Agent>, slot: usize, offset: u32) {
        let Some(mbarrier) = self.mbarriers.get(&(slot, offset)) else { return };
        if !knows_all(known, agent, &mbarrier.arrived_before) {
            self.log.overrun.entry((slot, offset)).or_default();
        }
    }

    /// An mbarrier, or its memory, is about to end, which happens after what a clock says: arrivals and looks of which it does not know may come later.
    pub fn end_use(&mut self, known: &Clock, agent: Option<Agent>, (slot, offset): (usize, u32)) {
        let Some(mbarrier) = self.mbarriers.get(&(slot, offset)) else { return };
        let has_looked = |passed: &PassedPhase| Some(passed.agent) == agent || passed.is_before(known);
        let has_arrived = mbarrier.arrived().into_iter().all(|arrivals| knows_all(known, agent, arrivals));
        if !has_arrived || !mbarrier.passed.iter().all(has_looked) {
            self.log.overrun.entry((slot, offset)).or_default();
        }
    }

    /// A thread has seen that a phase of an mbarrier has ended.
    pub fn observe_mbarrier(&mut self, agent: Agent, slot: usize, offset: u32, order: AccessOrder) {
        if order.sem == Sem::Weak || self.omits(OrderRule::Mbarriers) {
            return;
        }
        if let Some(mbarrier) = self.mbarriers.remove(&(slot, offset)) {
            self.acquire(agent, &mbarrier.ended, order, None);
            self.finish(agent, &mbarrier.ended, order);
            self.pass_unacquired(agent, &mbarrier);
            self.mbarriers.insert((slot, offset), mbarrier);
        }
    }

    /// What a thread does that has waited is executed after what was released, also if it has not acquired that.
    fn pass_unacquired(&mut self, agent: Agent, MbarrierClock { ended, ended_executed, .. }: &MbarrierClock) {
        if self.reads.passed.is_empty() {
            return;
        }
        let known = self.known(agent);
        let is_released = |reader, epoch| {
            let is_in = |released: &Released| released.clock.has_epoch(reader, epoch);
            ended_executed.has_epoch(reader, epoch) || ended.entries().iter().any(is_in)
        };
        buffering::order_by_execution(self, |reader, epoch| {
            !known.has_epoch(reader, epoch) && is_released(reader, epoch)
        });
    }

    /// What is before arrivals of other CTAs is over whatever the scopes, so a copy may overwrite what was read or copied there.
    fn finish(&mut self, agent: Agent, ended: &ReleaseSequence, order: AccessOrder) {
        if !matches!(order.sem, Sem::Acquire | Sem::AcqRel) {
            return;
        }
        let position = self.position(agent);
        let is_in_scope =
            |released: &Released| released.reaches(position) && order.scope >= released.position.distance(position);
        for released in ended.entries().iter().filter(|released| !is_in_scope(released)) {
            self.fences_used.has_finished = true;
            let known = &mut self.warp(agent.warp).thread(agent.lane as usize).known;
            known.join(&released.clock.finished());
        }
    }

    /// An mbarrier is gone.
    pub fn end_mbarrier(&mut self, slot: usize, offset: u32) {
        self.mbarriers.remove(&(slot, offset));
    }
}

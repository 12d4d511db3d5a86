//! What strong accesses, fences and copies order.

use crate::agent::CopyAgent;
use crate::clock::{Agent, Clock};
use crate::load_buffering::buffering;
use crate::release::{LastWrite, ReleaseSequence, Released};
use crate::shadow::shadow_access::WORD;
use crate::{OrderRule, Races, SequentialFenceOrder};
use isa::types::{Scope, Sem};
use program::fence::{FenceSemantics, OrderedMemory};
use program::launch::kernel_launch::Processor;
use program::machine_program::{MachineAction, MachineProgram};
use program::memory::location::{IsUpdate, LocationKey, RacedMemory};
use program::operand::{AccessOrder, OrderSpelling};

impl Races {
    /// A read has observed the last write of an address.
    pub fn observe(&mut self, agent: Agent, region: RacedMemory, offset: usize, order: AccessOrder) {
        self.acquire_again(agent, (region, offset), order);
        let shadow = Self::shadow(&mut self.global, &mut self.shared, region);
        if !shadow.is_released(offset / WORD) {
            return;
        }
        let position = self.position(agent);
        let Some(write) = self.last_writes.get(&(region, offset)) else { return };
        if write.is_morally_strong(position, order.scope) {
            let releases = write.releases.clone();
            self.acquire(agent, &releases, order, Some((region, offset)));
        }
    }

    /// A read that acquires what earlier reads of its thread at the same location have observed.
    pub fn acquire_again(&mut self, agent: Agent, key: LocationKey, order: AccessOrder) {
        if matches!(order.sem, Sem::Acquire | Sem::AcqRel)
            && self.program.acquires_later
            && !self.omits(OrderRule::Acquires)
        {
            self.warp(agent.warp).thread(agent.lane as usize).acquire_at(key, order.scope);
        }
    }

    /// A read with an order observes release patterns.
    pub fn acquire(&mut self, agent: Agent, releases: &ReleaseSequence, order: AccessOrder, key: Option<LocationKey>) {
        if order.spelling == OrderSpelling::Reduction {
            return;
        }
        let position = self.position(agent);
        let acquires = matches!(order.sem, Sem::Acquire | Sem::AcqRel) && !self.omits(OrderRule::Acquires);
        let in_all_scopes = self.omits(OrderRule::PatternScopes);
        let key = key.filter(|_| self.program.acquires_later);
        let thread = self.warp(agent.warp).thread(agent.lane as usize);
        let reaches = |released: &&Released| in_all_scopes || released.reaches(position);
        for released in releases.entries().iter().filter(reaches) {
            let needed = if in_all_scopes { Scope::Cta } else { released.position.distance(position) };
            if acquires && order.scope >= needed {
                thread.known.join(&released.clock);
            } else if let Some(key) = key {
                thread.observe_at(key, needed, &released.clock);
            }
            thread.observe(needed, &released.clock);
        }
        thread.known.observe_fences(releases.before_fences());
    }

    /// A thread has written to an address; `is_update` if it has read it before, indivisibly.
    pub fn write(&mut self, agent: Agent, region: RacedMemory, offset: usize, order: AccessOrder, update: IsUpdate) {
        if order.sem == Sem::Weak && self.last_writes.is_empty() {
            return;
        }
        let word = offset / WORD;
        let shadow = Self::shadow(&mut self.global, &mut self.shared, region);
        let was_released = shadow.is_released(word);
        if order.sem == Sem::Weak {
            if was_released {
                shadow.set_released(word, false);
                self.last_writes.remove(&(region, offset));
            }
            return;
        }
        if !was_released && !self.releases(agent, order) && !self.has_overwritten(agent, (region, offset)) {
            return;
        }
        let position = self.position(agent);
        let mut own = self.released(agent, order);
        for released in self.warp(agent.warp).fences(agent.lane as usize).overwritten((region, offset)) {
            own.add(released.clone());
        }
        let known = if was_released { self.last_writes.remove(&(region, offset)) } else { None };
        let mut releases = known.map_or_else(ReleaseSequence::default, |mut known| {
            if update == IsUpdate::No || !known.is_morally_strong(position, order.scope) {
                self.remember_overwritten((region, offset), known.releases.keep_of_thread(agent));
            }
            known.releases
        });
        releases.append(&mut own);
        let is_released = !releases.is_empty();
        if is_released {
            self.last_writes.insert((region, offset), LastWrite { position, scope: order.scope, releases });
        }
        if is_released != was_released {
            Self::shadow(&mut self.global, &mut self.shared, region).set_released(word, is_released);
        }
    }

    /// A weak write to a range: nobody synchronizes with the earlier ones through it.
    pub fn overwrite(&mut self, region: RacedMemory, offset: usize, bytes: usize) {
        for word in offset / WORD..(offset + bytes).div_ceil(WORD) {
            let shadow = Self::shadow(&mut self.global, &mut self.shared, region);
            if shadow.is_released(word) {
                shadow.set_released(word, false);
                self.last_writes.remove(&(region, word * WORD));
            }
        }
    }

    /// A write has hidden releases of other threads: their later writes to the location release the same again.
    fn remember_overwritten(&mut self, key: LocationKey, hidden: Vec<Released>) {
        for released in hidden {
            let Some(thread) = released.thread else { continue };
            if let Some(warp) = self.warps.get_mut(thread.warp as usize).and_then(Option::as_mut) {
                warp.thread(thread.lane as usize).overwrite(key, released);
            }
        }
    }

    /// Whether a thread has released something at a location that others have overwritten.
    fn has_overwritten(&mut self, agent: Agent, key: LocationKey) -> bool {
        self.warp(agent.warp).fences(agent.lane as usize).overwritten(key).next().is_some()
    }

    /// Whether a strong write of a thread releases anything.
    fn releases(&mut self, agent: Agent, order: AccessOrder) -> bool {
        let thread = self.warp(agent.warp).thread(agent.lane as usize);
        let has_fenced_tensors = thread.fenced_tensors().is_some_and(|(released, _)| !released.is_empty());
        !matches!(order.sem, Sem::Relaxed | Sem::Acquire)
            || !thread.released().is_empty()
            || thread.known.has_fences()
            || has_fenced_tensors
    }

    /// The release patterns that a strong write of a thread ends. A release begins a new epoch.
    pub fn released(&mut self, agent: Agent, order: AccessOrder) -> ReleaseSequence {
        let position = self.position(agent);
        let (fences, writes) = (!self.omits(OrderRule::ReleaseFences), !self.omits(OrderRule::Releases));
        let warp = self.warp(agent.warp);
        let epoch = warp.epoch;
        let thread = warp.thread(agent.lane as usize);
        let mut releases = ReleaseSequence::default();
        releases.add_before_fences(&thread.known.before_fences());
        for (scope, moment) in thread.released().iter().filter(|_| fences) {
            releases.add(Released { position, scope: *scope, thread: None, clock: moment.clock(agent) });
        }
        // Fences of tensor memory order it with any synchronization.
        if let Some((released, _)) = thread.fenced_tensors().filter(|(released, _)| !released.is_empty()) {
            releases.add(Released { position, scope: Scope::Cluster, thread: None, clock: released.clone() });
        }
        if matches!(order.sem, Sem::Release | Sem::AcqRel) && writes {
            let clock = thread.now(epoch).clock(agent);
            releases.add(Released { position, scope: order.scope, thread: Some(agent), clock });
            warp.epoch += 1;
        }
        releases
    }

    /// A fence of some lanes of a warp.
    pub fn fence(&mut self, warp: u32, lanes: impl Iterator<Item = usize> + Clone, fence: FenceSemantics) {
        if self.history.is_some() {
            for lane in lanes.clone() {
                self.sequential_fence(Agent { warp, lane: lane as u32 }, fence);
            }
        }
        self.fences_used.has_restricted |= fence.memory == OrderedMemory::Shared;
        self.fences_used.has_initialization |= fence.memory == OrderedMemory::Mbarriers;
        // Those of the other scopes would need to know who is in each other's scope.
        let is_of_all = fence.is_sequential && fence.scope >= self.numbers.widest();
        let is_sequential = is_of_all && self.fence_order == SequentialFenceOrder::Implied;
        let acquires = fence.acquires && !self.omits(OrderRule::AcquireFences);
        let clocks = self.warp(warp);
        let epoch = clocks.epoch;
        for lane in lanes {
            let thread = clocks.thread(lane);
            if acquires {
                thread.acquire_fence(fence.scope, fence.memory);
            }
            if is_sequential {
                thread.sequential_fence(Agent { warp, lane: lane as u32 }, epoch);
            }
            if fence.releases {
                thread.release_fence(fence.scope, fence.memory, epoch);
            }
        }
        clocks.epoch += u32::from(fence.releases);
    }

    /// Whether all orders of `fence.sc` are explored.
    pub fn explores_fences(&self) -> bool {
        self.fence_order == SequentialFenceOrder::Explored && !self.omits(OrderRule::SequentialFences)
    }

    /// Orders a `fence.sc` after all those before it whose scopes and its own include each other's thread.
    fn sequential_fence(&mut self, agent: Agent, fence: FenceSemantics) {
        buffering::order_reads(self, agent, fence);
        let is_implied = self.fence_order == SequentialFenceOrder::Implied;
        if !fence.is_sequential || is_implied || self.omits(OrderRule::SequentialFences) {
            return;
        }
        let position = self.position(agent);
        let mut groups = Vec::new();
        if position.processor == Processor::Device {
            groups.extend([(Scope::Cta, position.cta), (Scope::Cluster, position.cluster), (Scope::Gpu, 0)]);
        }
        if self.numbers.widest() == Scope::Sys {
            groups.push((Scope::Sys, 0));
        }
        buffering::keep_passed_reads(self, agent, None);
        let in_all_scopes = self.omits(OrderRule::SequentialScopes);
        let groups = groups.into_iter().filter(|(scope, _)| in_all_scopes || fence.scope >= *scope);
        let warp = self.warp(agent.warp);
        let epoch = warp.epoch;
        warp.epoch += 1;
        let mut all = warp.thread(agent.lane as usize).now(epoch).clock(agent);
        for group in groups.clone() {
            if let Some(clock) = self.fences.get(&group).cloned() {
                all.join(&clock);
                self.warp(agent.warp).thread(agent.lane as usize).known.join(&clock);
            }
        }
        for group in groups {
            self.fences.insert(group, all.clone());
        }
    }

    /// What happens before a copy that a thread begins now: all that it has done.
    pub fn begin_copy(&mut self, thread: Agent) -> Clock {
        buffering::pass_reads(self, thread, None);
        let warp = self.warp(thread.warp);
        let epoch = warp.epoch;
        let clock = warp.thread(thread.lane as usize).now(epoch).clock(thread);
        warp.epoch += 1;
        clock
    }

    /// A thread has waited for its copies of some kinds in groups before a number.
    pub fn end_groups(&mut self, thread: Agent, kinds: &[CopyAgent], before: u64) {
        if self.omits(OrderRule::CopyWaits) {
            return;
        }
        let known = &mut self.warp(thread.warp).thread(thread.lane as usize).known;
        for kind in kinds {
            known.raise(thread.copying(*kind), before as u32);
        }
    }

    /// A thread has waited for the copies of an agent in groups before a number.
    pub fn end_groups_of(&mut self, thread: Agent, copies: Agent, before: u64) {
        if !self.omits(OrderRule::CopyWaits) {
            self.warp(thread.warp).thread(thread.lane as usize).known.raise(copies, before as u32);
        }
    }

    /// The agent of the copies of a thread that notify an mbarrier, and its epoch, which is new.
    pub fn notifier(&mut self, thread: Agent, slot: usize, offset: u32) -> (Agent, u32) {
        let all = &mut self.notifiers.epochs;
        let number = *self.notifiers.numbers.entry((thread, slot, offset)).or_insert_with(|| {
            all.push((thread, 0));
            all.len() as u32 - 1
        });
        let epoch = &mut all[number as usize].1;
        *epoch += 1;
        (Agent::notifying(number), *epoch)
    }
}

/// Whether some strong reads of a program acquire and others do not.
pub fn acquires_later(program: &MachineProgram) -> bool {
    let order = |action: &MachineAction| action.memory().read_order().map(|order| order.sem);
    let (mut acquire, mut other) = (false, false);
    for sem in program.instructions().filter_map(|instruction| order(&instruction.action)) {
        acquire |= matches!(sem, Sem::Acquire | Sem::AcqRel);
        other |= matches!(sem, Sem::Relaxed | Sem::Release);
    }
    acquire && other
}

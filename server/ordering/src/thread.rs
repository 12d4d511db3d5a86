//! What happens before the next access of a thread.

use crate::clock::{Agent, Clock};
use crate::release::Released;
use isa::types::Scope;
use program::fence::OrderedMemory;
use program::lanes::{WARP_SIZE, lanes_of};
use program::memory::location::LocationKey;

/// The clock of a thread at a fence: the clock, and the epoch of its own accesses.
#[derive(Clone, Debug)]
pub struct Moment {
    known: Clock,
    epoch: u32,
    memory: OrderedMemory,
}

impl Moment {
    /// The moment as a clock.
    pub fn clock(&self, thread: Agent) -> Clock {
        let mut clock = self.known.clone();
        clock.raise(thread, self.epoch);
        match self.memory {
            OrderedMemory::All => clock,
            OrderedMemory::Shared => clock.in_shared_memory(),
            OrderedMemory::Mbarriers => {
                let mut clock = Clock::default();
                clock.raise(thread.initializing(), self.epoch);
                clock
            }
        }
    }
}

/// What a thread gets to know at its next fence that acquires, and what its last fences have released.
#[derive(Clone, Debug, Default)]
struct FenceHistory {
    released: Vec<(Scope, Moment)>,
    /// By the narrowest scope that a fence needs to acquire it.
    observed: Vec<(Scope, Clock)>,
    /// By the location, and the narrowest scope that a read needs to acquire it: what reads that do not acquire have observed. Sorted.
    observed_at: Vec<(LocationKey, Scope, Clock)>,
    /// What it has released at locations that others have written to since, if there are no histories of them.
    overwritten: Vec<(LocationKey, Released)>,
    /// What its last fence before a synchronization has released of operations on tensor memory.
    released_tensors: Clock,
    /// What its last fence after a synchronization has acquired of them.
    acquired_tensors: Clock,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadClock {
    /// What happens before its next access, without its own accesses.
    pub known: Clock,
    fences: Option<Box<FenceHistory>>,
}

impl ThreadClock {
    /// What has happened until now, its own accesses included.
    pub fn now(&self, epoch: u32) -> Moment {
        Moment { known: self.known.clone(), epoch, memory: OrderedMemory::All }
    }

    /// A fence that releases.
    pub fn release_fence(&mut self, scope: Scope, memory: OrderedMemory, epoch: u32) {
        let now = Moment { memory, ..self.now(epoch) };
        let released = &mut self.fences.get_or_insert_default().released;
        // A wider and later fence releases all that a narrower one did.
        let is_covered = |earlier: &Moment| memory == OrderedMemory::All || earlier.memory == memory;
        released.retain(|(known, earlier)| *known > scope || !is_covered(earlier));
        released.push((scope, now));
    }

    /// The fences whose release a strong write now publishes.
    pub fn released(&self) -> &[(Scope, Moment)] {
        self.fences.as_ref().map_or(&[], |fences| &fences.released)
    }

    /// What later fences acquire, by the narrowest scope that they need.
    pub fn observed(&self) -> &[(Scope, Clock)] {
        self.fences.as_ref().map_or(&[], |fences| &fences.observed)
    }

    /// A fence of tensor memory before a synchronization.
    pub fn release_tensors(&mut self) {
        let known = self.known.of_tensor_memory();
        if !known.is_empty() {
            self.fences.get_or_insert_default().released_tensors = known;
        }
    }

    /// A fence of tensor memory after a synchronization, in whatever order and scope that was.
    pub fn acquire_tensors(&mut self) {
        let observed = self.observed().iter().map(|(_, clock)| clock.of_tensor_memory()).collect::<Vec<_>>();
        observed.iter().for_each(|clock| self.known.join(clock));
        let known = self.known.of_tensor_memory();
        if !known.is_empty() {
            self.fences.get_or_insert_default().acquired_tensors = known;
        }
    }

    /// What its fences have released and acquired of operations on tensor memory.
    pub fn fenced_tensors(&self) -> Option<(&Clock, &Clock)> {
        self.fences.as_ref().map(|fences| (&fences.released_tensors, &fences.acquired_tensors))
    }

    /// Remembers what a read of a location has observed, for a later one that acquires with at least a scope: together they are an acquire pattern.
    pub fn observe_at(&mut self, key: LocationKey, needed: Scope, clock: &Clock) {
        if self.known.includes(clock) {
            return;
        }
        let all = &mut self.fences.get_or_insert_default().observed_at;
        match all.binary_search_by_key(&(key, needed), |(key, scope, _)| (*key, *scope)) {
            Ok(at) => all[at].2.join(clock),
            Err(at) => all.insert(at, (key, needed, clock.clone())),
        }
    }

    /// A read of a location acquires what earlier ones of it have observed.
    pub fn acquire_at(&mut self, key: LocationKey, scope: Scope) {
        let Some(fences) = &mut self.fences else { return };
        for (_, _, clock) in fences.observed_at.iter().filter(|(known, needed, _)| *known == key && scope >= *needed) {
            self.known.join(clock);
        }
    }

    /// What later reads acquire that a clock, which is that of the thread, does not include, by the location and the narrowest scope that they need.
    pub fn observed_at(&self, known: &Clock) -> impl Iterator<Item = &(LocationKey, Scope, Clock)> {
        let all = self.fences.iter().flat_map(|fences| &fences.observed_at);
        all.filter(|(.., clock)| !known.includes(clock))
    }

    /// Others have overwritten what it has released at a location.
    pub fn overwrite(&mut self, key: LocationKey, released: Released) {
        let all = &mut self.fences.get_or_insert_default().overwritten;
        // A later release of the thread includes the earlier ones.
        all.retain(|(known, earlier)| *known != key || earlier.scope != released.scope);
        all.push((key, released));
    }

    /// What it has released at a location that others have overwritten.
    pub fn overwritten(&self, key: LocationKey) -> impl Iterator<Item = &Released> {
        let all = self.fences.iter().flat_map(|fences| &fences.overwritten);
        all.filter(move |(known, _)| *known == key).map(|(_, released)| released)
    }

    /// A sequential fence of the whole device.
    pub fn sequential_fence(&mut self, thread: Agent, epoch: u32) {
        self.known.order_fence();
        let before = self.now(epoch).clock(thread);
        self.known.add_fence(&before);
    }

    /// A fence that acquires.
    pub fn acquire_fence(&mut self, scope: Scope, memory: OrderedMemory) {
        let Some(fences) = &mut self.fences else { return };
        for (needed, clock) in &fences.observed {
            if scope >= *needed {
                match memory {
                    OrderedMemory::All => self.known.join(clock),
                    OrderedMemory::Shared => self.known.join(&clock.in_shared_memory()),
                    // These are releases.
                    OrderedMemory::Mbarriers => {}
                }
            }
        }
    }

    /// Remembers what a read has observed, for a fence of at least a scope.
    pub fn observe(&mut self, needed: Scope, clock: &Clock) {
        let observed = &mut self.fences.get_or_insert_default().observed;
        match observed.iter_mut().find(|(known, _)| *known == needed) {
            Some((_, known)) => known.join(clock),
            None => observed.push((needed, clock.clone())),
        }
    }
}

/// The threads of a warp.
#[derive(Clone, Debug)]
pub struct WarpClock {
    /// The epoch of its accesses, counted from 1 on.
    pub epoch: u32,
    threads: Vec<ThreadClock>,
    /// Lanes that know the same, and what that is, which is not written to their threads yet: at a barrier it is joined once for all.
    together: (u32, Clock),
    /// The warp barriers that some lanes have arrived at: the mask of the barrier, the lanes, and what they release.
    pub barriers: Vec<(u32, u32, Clock)>,
}

impl Default for WarpClock {
    fn default() -> Self {
        let threads = vec![ThreadClock::default(); WARP_SIZE as usize];
        Self { epoch: 1, threads, together: (0, Clock::default()), barriers: Vec::new() }
    }
}

impl WarpClock {
    /// The thread of a lane.
    #[inline]
    pub fn thread(&mut self, lane: usize) -> &mut ThreadClock {
        let (together, known) = &mut self.together;
        if *together >> lane & 1 == 1 {
            *together &= !(1 << lane);
            self.threads[lane].known = if *together == 0 { std::mem::take(known) } else { known.clone() };
        }
        &mut self.threads[lane]
    }

    /// The thread of a lane, to ask for what its fences have done, not for what it knows.
    pub fn fences(&self, lane: usize) -> &ThreadClock {
        &self.threads[lane]
    }

    /// What happens before the next access of a lane.
    #[inline]
    pub fn known(&self, lane: usize) -> &Clock {
        let (together, known) = &self.together;
        if together >> lane & 1 == 1 { known } else { &self.threads[lane].known }
    }

    /// Adds what lanes know to a clock.
    pub fn add_to(&self, lanes: u32, clock: &mut Clock) {
        let (together, known) = &self.together;
        if lanes & together != 0 {
            clock.join(known);
        }
        // Lanes often know the same.
        let mut last: Option<&Clock> = None;
        for lane in lanes_of(lanes & !together) {
            let known = &self.threads[lane].known;
            if !last.is_some_and(|last| last.is_shared_with(known)) {
                clock.join(known);
            }
            last = Some(known);
        }
    }

    /// Lanes get to know what a clock says.
    pub fn join(&mut self, lanes: u32, clock: &Clock) {
        if self.together.0 != lanes {
            for lane in lanes_of(self.together.0) {
                self.thread(lane);
            }
            let first = &self.threads[lanes.trailing_zeros() as usize % WARP_SIZE as usize].known;
            if !lanes_of(lanes).all(|lane| self.threads[lane].known.is_shared_with(first)) {
                return self.join_each(lanes, clock);
            }
            self.together = (lanes, first.clone());
        }
        self.together.1.join(clock);
    }

    fn join_each(&mut self, lanes: u32, clock: &Clock) {
        // What the last lane knew before and knows now: lanes often know the same.
        let mut last: Option<(Clock, Clock)> = None;
        for lane in lanes_of(lanes) {
            let known = &mut self.threads[lane].known;
            match &last {
                Some((before, now)) if before.is_shared_with(known) => known.clone_from(now),
                _ => {
                    let before = known.clone();
                    known.join(clock);
                    last = Some((before, known.clone()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_join_together_know_what_each_would() {
        let clock = |warp: u32, epoch: u32| {
            let mut clock = Clock::default();
            clock.raise(Agent { warp, lane: 3 }, epoch);
            clock
        };
        let (mut together, mut apart) = (WarpClock::default(), WarpClock::default());
        for (lanes, warp) in [(u32::MAX, 1), (u32::MAX, 2), (0xff, 3), (0xff, 4), (0xf0f0, 5), (u32::MAX, 6)] {
            together.join(lanes, &clock(warp, warp));
            apart.join_each(lanes, &clock(warp, warp));
            if warp == 2 || warp == 4 {
                together.thread(5).known.join(&clock(9, warp));
                apart.thread(5).known.join(&clock(9, warp));
            }
            for lane in 0..WARP_SIZE as usize {
                let (one, other) = (together.known(lane), apart.known(lane));
                assert!(one.includes(other) && other.includes(one), "lane {lane} after warp {warp}");
            }
        }
        let (mut one, mut other) = (Clock::default(), Clock::default());
        together.add_to(0xff0, &mut one);
        apart.add_to(0xff0, &mut other);
        assert!(one.includes(&other) && other.includes(&one));
    }
}

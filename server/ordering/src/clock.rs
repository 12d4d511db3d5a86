//! Vector clocks: which accesses of which threads happen before a moment.

use program::proxy::FencedMemory;
use std::sync::Arc;

/// An epoch per lane of a warp. An epoch counts the releases of a warp; 0 is before all.
pub type WarpEpochs = [u32; 32];

/// A warp, and the last epoch of each lane that happens before.
type KnownWarp = (u32, Arc<WarpEpochs>);

/// A thread, or an asynchronous copy of a thread: see [`crate::agent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Agent {
    /// The number of the warp in the grid, in the upper bits the kind of the agent.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
}

/// For each agent the last epoch whose accesses happen before. Clones share their contents.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// In ascending order of the warps.
    warps: Option<Arc<Vec<KnownWarp>>>,
    /// What happens before the sequential fences that happen before; see [`Clock::before_fences`].
    fenced: Option<Arc<Vec<KnownWarp>>>,
    /// What happens before the sequential fences before the writes that were observed before; see [`Clock::observe_fences`].
    observed: Option<Arc<Vec<KnownWarp>>>,
}

impl Clock {
    fn warps(&self) -> &[KnownWarp] {
        self.warps.as_ref().map_or(&[], |warps| warps)
    }

    /// The epochs of a warp.
    #[inline]
    pub fn epochs(&self, warp: u32) -> Option<&WarpEpochs> {
        let warps = self.warps();
        let at = warps.binary_search_by_key(&warp, |(warp, _)| *warp).ok()?;
        Some(&warps[at].1)
    }

    /// Whether an epoch of an agent happens before.
    pub fn has_epoch(&self, agent: Agent, epoch: u32) -> bool {
        self.epochs(agent.warp).is_some_and(|epochs| epochs[agent.lane as usize] >= epoch)
    }

    /// What the threads, and their `cp.async`, have done that this clock knows of, as the entries after a proxy fence.
    pub fn fenced(&self, memory: FencedMemory) -> Self {
        let agent = |warp: u32| Agent { warp, lane: 0 };
        let threads = self.warps().iter().filter(|(warp, _)| agent(*warp) == agent(*warp).thread());
        let fenced = threads.map(|(warp, epochs)| (agent(*warp).fenced(memory).warp, epochs.clone()));
        let mut clock = Self { warps: Some(Arc::new(fenced.collect())), ..Self::default() };
        if memory == FencedMemory::Shared {
            clock.join_renamed(self, Agent::fenced_copies);
        }
        clock
    }

    /// What an access to an mbarrier has before it: also what is known by fences that order the initialization of mbarriers alone.
    pub fn for_mbarriers(&self) -> Self {
        let mut clock = self.clone();
        clock.join_renamed(self, Agent::initializer);
        clock
    }

    /// What threads have executed, as the end of an operation passes it on that one of them has issued then.
    pub fn executed_by_threads(&self) -> Self {
        let mut clock = Self::default();
        clock.join_renamed(self, Agent::executing);
        clock
    }

    /// What of it the end of an operation passes on that the thread knew before its issue: which copies are over, for those that overwrite them.
    pub fn finished_copies(&self) -> Self {
        let all = self.finished();
        let is_kept = |(warp, _): &&KnownWarp| Agent { warp: *warp, lane: 0 }.is_finished_copy();
        let kept: Vec<KnownWarp> = all.warps().iter().filter(is_kept).cloned().collect();
        Self { warps: (!kept.is_empty()).then(|| Arc::new(kept)), ..Self::default() }
    }

    /// What the threads of a warp have done to tensor maps and released to their proxy.
    pub fn released_maps(&self, warp: u32) -> Option<Arc<WarpEpochs>> {
        let released = Agent { warp, lane: 0 }.fenced(FencedMemory::ReleasedTensorMap).warp;
        let at = self.warps().binary_search_by_key(&released, |(warp, _)| *warp).ok()?;
        Some(self.warps()[at].1.clone())
    }

    /// What of it a fence passes on that orders accesses to shared memory only.
    pub fn in_shared_memory(&self) -> Self {
        let mut clock = Self::default();
        clock.join_renamed(self, Agent::passed_in_shared_memory);
        clock
    }

    /// What an access to shared memory has before it: also what is known by fences that order nothing else.
    pub fn for_shared_memory(&self) -> Self {
        let mut clock = self.clone();
        clock.join_renamed(self, Agent::known_in_shared_memory);
        clock
    }

    /// Adds entries of another clock under other agents, which some may share.
    fn join_renamed(&mut self, other: &Self, rename: impl Fn(Agent) -> Option<Agent>) {
        for (warp, epochs) in other.warps() {
            if let Some(agent) = rename(Agent { warp: *warp, lane: 0 }) {
                join(&mut self.warps, Some(&Arc::new(vec![(agent.warp, epochs.clone())])));
            }
        }
    }

    /// What threads and copies have done that this clock knows of, as what is over without being ordered.
    pub fn finished(&self) -> Self {
        let part = |is_finished: bool| {
            let finished = |warp: u32| Agent { warp, lane: 0 }.finished().map(|agent| agent.warp);
            let of_part = self.warps().iter().filter_map(|(warp, epochs)| Some((*warp, finished(*warp)?, epochs)));
            let kept = of_part.filter(|(warp, finished, _)| (warp == finished) == is_finished);
            let kept: Vec<KnownWarp> = kept.map(|(_, finished, epochs)| (finished, epochs.clone())).collect();
            Self { warps: (!kept.is_empty()).then(|| Arc::new(kept)), ..Self::default() }
        };
        let mut clock = part(false);
        clock.join(&part(true));
        clock
    }

    /// Whether what an agent did in an epoch is over, also if it is not ordered.
    pub fn has_finished(&self, agent: Agent, epoch: u32) -> bool {
        let has = |agent: Option<Agent>| agent.is_some_and(|agent| self.has_epoch(agent, epoch));
        self.has_epoch(agent, epoch) || has(agent.finished()) || has(agent.executing())
    }

    /// What it knows of operations on tensor memory.
    pub fn of_tensor_memory(&self) -> Self {
        let is_kept = |(warp, _): &&KnownWarp| Agent { warp: *warp, lane: 0 }.is_of_tensor_memory();
        let kept: Vec<KnownWarp> = self.warps().iter().filter(is_kept).cloned().collect();
        Self { warps: (!kept.is_empty()).then(|| Arc::new(kept)), ..Self::default() }
    }

    /// Whether an agent has come to an epoch.
    pub fn has_come_to(&self, agent: Agent, epoch: u32) -> bool {
        self.epochs(agent.warp).is_some_and(|epochs| epochs[agent.lane as usize] >= epoch)
    }

    /// What happens before the `fence.sc` of the whole device that happen before.
    pub fn before_fences(&self) -> Self {
        Self { warps: self.fenced.clone(), fenced: self.fenced.clone(), observed: None }
    }

    /// A write was observed that has `fence.sc` of the whole device before it.
    ///
    /// Each `fence.sc` that the read happens before, also of another thread, is ordered after those: else the write would happen before a fence
    /// that the read happens before, and be observed before it was made.
    pub fn observe_fences(&mut self, before_fences: &Self) {
        join(&mut self.observed, before_fences.warps.as_ref());
    }

    /// Adds what happens before the fences that a `fence.sc` now comes after.
    pub fn order_fence(&mut self) {
        if let Some(observed) = self.observed.take() {
            join(&mut self.warps, Some(&observed));
        }
    }

    /// What happens before the `fence.sc` that happen before, and before those before writes that were observed, as clocks.
    pub fn of_fences(&self) -> [Self; 2] {
        [&self.fenced, &self.observed].map(|part| Self { warps: part.clone(), ..Self::default() })
    }

    /// Whether a `fence.sc` of the whole device happens before.
    pub const fn has_fences(&self) -> bool {
        self.fenced.is_some()
    }

    /// Adds a `fence.sc` of the whole device, before which happens what a clock says.
    pub fn add_fence(&mut self, before: &Self) {
        self.fenced.clone_from(&before.warps);
    }

    /// The number of warps that it knows of.
    pub fn parts(&self) -> usize {
        self.warps().len()
    }

    /// Whether nothing is known.
    pub const fn is_empty(&self) -> bool {
        self.warps.is_none()
    }

    /// Whether both are clones of one clock, or empty.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        is_shared(self.warps.as_ref(), other.warps.as_ref())
            && is_shared(self.fenced.as_ref(), other.fenced.as_ref())
            && is_shared(self.observed.as_ref(), other.observed.as_ref())
    }

    /// Raises the epoch of an agent.
    pub fn raise(&mut self, agent: Agent, epoch: u32) {
        let lane = agent.lane as usize;
        match self.warps().binary_search_by_key(&agent.warp, |(warp, _)| *warp) {
            Ok(at) if self.warps()[at].1[lane] >= epoch => {}
            Ok(at) => Arc::make_mut(&mut self.warps_mut()[at].1)[lane] = epoch,
            Err(at) => {
                let mut epochs = [0; 32];
                epochs[lane] = epoch;
                self.warps_mut().insert(at, (agent.warp, Arc::new(epochs)));
            }
        }
    }

    /// Adds the epochs of the lanes of a warp.
    pub fn join_warp(&mut self, warp: u32, epochs: Arc<WarpEpochs>) {
        join(&mut self.warps, Some(&Arc::new(vec![(warp, epochs)])));
    }

    /// Raises the epochs of some lanes of a warp.
    pub fn raise_lanes(&mut self, warp: u32, lanes: u32, epoch: u32) {
        let at = match self.warps().binary_search_by_key(&warp, |(warp, _)| *warp) {
            Ok(at) => at,
            Err(at) => {
                self.warps_mut().insert(at, (warp, Arc::new([0; 32])));
                at
            }
        };
        let epochs = Arc::make_mut(&mut self.warps_mut()[at].1);
        for (_, known) in epochs.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1) {
            *known = epoch.max(*known);
        }
    }

    fn warps_mut(&mut self) -> &mut Vec<KnownWarp> {
        Arc::make_mut(self.warps.get_or_insert_default())
    }

    /// Whether it is nowhere behind the other clock.
    pub fn includes(&self, other: &Self) -> bool {
        includes(self.warps(), other.warps())
    }

    /// Adds what happens before the other clock.
    pub fn join(&mut self, other: &Self) {
        join(&mut self.warps, other.warps.as_ref());
        join(&mut self.fenced, other.fenced.as_ref());
        join(&mut self.observed, other.observed.as_ref());
    }
}

fn is_shared(one: Option<&Arc<Vec<KnownWarp>>>, two: Option<&Arc<Vec<KnownWarp>>>) -> bool {
    match (one, two) {
        (Some(one), Some(two)) => Arc::ptr_eq(one, two),
        (one, two) => one.is_none() && two.is_none(),
    }
}

/// Adds what the second knows to the first.
fn join(to: &mut Option<Arc<Vec<KnownWarp>>>, new: Option<&Arc<Vec<KnownWarp>>>) {
    let Some(new) = new else { return };
    let Some(own) = to else {
        *to = Some(new.clone());
        return;
    };
    if Arc::ptr_eq(own, new) || includes(own, new) {
        return;
    }
    *own = if includes(new, own) { new.clone() } else { Arc::new(merged(own, new)) };
}

/// Whether the first clock is nowhere behind the second.
fn includes(all: &[KnownWarp], part: &[KnownWarp]) -> bool {
    let mut rest = all.iter();
    part.iter().all(|(warp, epochs)| {
        let known = rest.by_ref().find(|(known, _)| known >= warp);
        known.is_some_and(|(known, own)| known == warp && (Arc::ptr_eq(own, epochs) || includes_epochs(own, epochs)))
    })
}

/// Whether no epoch of the first is behind that of the second. Several at a time are compared without a branch, which is what the compiler makes
/// vector instructions of.
fn includes_epochs(all: &WarpEpochs, part: &WarpEpochs) -> bool {
    let behind =
        |(own, new): (&[u32; 8], &[u32; 8])| own.iter().zip(new).fold(false, |behind, (own, new)| behind | (own < new));
    !all.as_chunks().0.iter().zip(part.as_chunks().0).any(behind)
}

fn merged(a: &[KnownWarp], b: &[KnownWarp]) -> Vec<KnownWarp> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut all = Vec::with_capacity(a.len().max(b.len()));
    while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
        let order = one.0.cmp(&two.0);
        if order.is_lt() {
            all.extend(a.next().cloned());
        } else if order.is_gt() {
            all.extend(b.next().cloned());
        } else {
            all.push((one.0, later(&one.1, &two.1)));
            a.next();
            b.next();
        }
    }
    all.extend(a.cloned());
    all.extend(b.cloned());
    all
}

fn later(a: &Arc<WarpEpochs>, b: &Arc<WarpEpochs>) -> Arc<WarpEpochs> {
    let latest = std::array::from_fn(|lane| a[lane].max(b[lane]));
    // The result is often one of the two, which then stays shared.
    if latest == **a {
        a.clone()
    } else if latest == **b {
        b.clone()
    } else {
        Arc::new(latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(entries: &[(u32, u32, u32)]) -> Clock {
        let mut clock = Clock::default();
        for (warp, lane, epoch) in entries {
            clock.raise(Agent { warp: *warp, lane: *lane }, *epoch);
        }
        clock
    }

    #[test]
    fn joining_takes_the_later_epoch_of_each_lane() {
        let mut a = clock(&[(3, 0, 5), (3, 1, 2), (9, 0, 1)]);
        a.join(&clock(&[(3, 0, 4), (3, 1, 7), (4, 31, 6)]));
        let epoch = |warp: u32, lane: usize| a.epochs(warp).map_or(0, |epochs| epochs[lane]);
        assert_eq!([epoch(3, 0), epoch(3, 1), epoch(4, 31), epoch(9, 0), epoch(5, 0)], [5, 7, 6, 1, 0]);
    }

    #[test]
    fn lanes_are_raised_together_as_one_by_one() {
        let (mut together, mut one_by_one) = (clock(&[(3, 1, 9), (5, 0, 1)]), clock(&[(3, 1, 9), (5, 0, 1)]));
        for (warp, lanes, epoch) in [(3, 0b0111, 4), (4, 0b1000, 2), (6, 0b0001, 3)] {
            together.raise_lanes(warp, lanes, epoch);
            let lanes = (0..32).filter(|lane| lanes >> lane & 1 == 1);
            lanes.for_each(|lane| one_by_one.raise(Agent { warp, lane }, epoch));
        }
        assert_eq!(together.warps(), one_by_one.warps());
    }

    #[test]
    fn a_clock_that_includes_the_other_stays_shared() {
        let mut a = clock(&[(1, 0, 1)]);
        let b = clock(&[(1, 0, 2), (2, 0, 1)]);
        a.join(&b);
        assert!(matches!((&a.warps, &b.warps), (Some(a), Some(b)) if Arc::ptr_eq(a, b)));
        let before = b.clone();
        a.join(&clock(&[(2, 0, 1)]));
        assert!(matches!((&a.warps, &before.warps), (Some(a), Some(b)) if Arc::ptr_eq(a, b)));
    }
}

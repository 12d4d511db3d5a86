//! Which tensor maps threads have acquired: `fence.proxy.tensormap::generic.acquire` names 128 bytes, and orders reads of these alone.

use crate::clock::{Agent, Clock};
use crate::shadow::row::ROW;
use crate::shadow::shadow_access::{ShadowAccess, WORD};
use crate::shadow::shadow_memory::Shadow;
use program::copies::tensor_map::{TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES};
use program::lanes::lanes_of;
use program::memory::location::RacedMemory;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A part of memory that a map has whole or not at all: an allocation, and the number of the part.
type MapPart = (usize, usize);

/// The parts of tensor maps that were acquired.
///
/// A clock has an entry for each part, each CTA whose threads have acquired it and each warp whose writes to it the acquire follows. So what a thread
/// has acquired is handed on as everything else that it knows; only the threads of the CTA read what it has acquired.
#[derive(Clone, Debug, Default)]
pub struct AcquiredMaps {
    /// The number of the agent that stands for a warp, for each part and each CTA that acquires it.
    agents: BTreeMap<MapPart, BTreeMap<u32, BTreeMap<u32, u32>>>,
    /// How many there are.
    count: u32,
}

/// A thread that acquires a map.
#[derive(Clone, Copy, Debug)]
pub struct MapAcquirer {
    /// The thread.
    pub thread: Agent,
    /// Its epoch.
    pub epoch: u32,
    /// Its CTA.
    pub cta: u32,
    /// Whether kernels before this one have changed maps.
    pub follows_changes: bool,
}

impl AcquiredMaps {
    /// Whether no thread has acquired a map.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// What a thread knows after it has acquired the 128 bytes at an offset of an allocation: what it has written there itself, and what others have
    /// and released to the proxy of tensor maps. A write that comes later is not acquired, so that those which are remembered are all that matter.
    pub fn acquire(
        &mut self,
        (allocation, offset): (usize, usize),
        acquirer: MapAcquirer,
        shadow: Option<&Shadow>,
        known: &mut Clock,
    ) {
        for part in parts(offset) {
            let place = ((allocation, part), acquirer.cta);
            let writes = shadow.map_or_else(Vec::new, |shadow| shadow.writes(part * PART_WORDS / ROW, part_mask(part)));
            let (earlier, own): (Vec<_>, Vec<_>) =
                writes.into_iter().partition(|(warp, _)| *warp == Agent::EARLIER_KERNEL.warp);
            // What an earlier kernel that may still run has written is not acquired before the wait for it.
            if acquirer.follows_changes
                && earlier.iter().all(|(_, epoch)| known.has_epoch(Agent::EARLIER_KERNEL, *epoch))
            {
                known.raise(self.agent(place, Agent::EARLIER_KERNEL), acquirer.epoch);
            }
            let writers: BTreeSet<u32> =
                own.iter().map(|(warp, _)| Agent { warp: *warp, lane: 0 }.thread().warp).collect();
            for warp in writers {
                if let Some(released) = known.released_maps(warp) {
                    known.join_warp(self.agent(place, Agent { warp, lane: 0 }).warp, released);
                }
                if warp == acquirer.thread.warp {
                    known.raise(self.agent(place, acquirer.thread), acquirer.epoch);
                }
            }
        }
    }

    fn agent(&mut self, (part, cta): (MapPart, u32), Agent { warp, lane }: Agent) -> Agent {
        let next = self.count;
        let number = *self.agents.entry(part).or_default().entry(cta).or_default().entry(warp).or_insert(next);
        self.count += u32::from(number == next);
        Agent::acquired_map(number, lane)
    }

    /// Whether a clock knows of an acquire in a CTA after an access to a word of a map, which was released if it is of another thread.
    pub fn is_acquired(
        &self,
        earlier: &ShadowAccess,
        (region, word): (RacedMemory, usize),
        (cta, known): (u32, &Clock),
    ) -> bool {
        let warps = part_of(region, word).and_then(|part| self.agents.get(&part)?.get(&cta));
        warps.is_some_and(|warps| is_followed(earlier, warps, known))
    }

    /// The CTAs of whose acquires after an access to a word of a map a clock knows.
    pub fn acquirers<'s>(
        &'s self,
        earlier: &'s ShadowAccess,
        (region, word): (RacedMemory, usize),
        known: &'s Clock,
    ) -> impl Iterator<Item = u32> + 's {
        let ctas = part_of(region, word).and_then(|part| self.agents.get(&part)).into_iter().flatten();
        ctas.filter(|(_, warps)| is_followed(earlier, warps, known)).map(|(cta, _)| *cta)
    }

    /// Whether a clock knows of an acquire in a CTA of all of the map at an offset of an allocation, after the kernels before this one.
    pub fn knows_acquire(&self, (allocation, offset): (usize, usize), cta: u32, known: &Clock) -> bool {
        let of_part = |part: usize| self.agents.get(&(allocation, part)).and_then(|ctas| ctas.get(&cta));
        parts(offset).all(|part| of_part(part).is_some_and(|warps| is_known(warps, known)))
    }

    /// The parts of maps of whose acquires after the kernels before this one a clock knows, with the CTAs, in a fixed order.
    pub fn known_parts<'s>(&'s self, known: &'s Clock) -> impl Iterator<Item = (MapPart, u32)> + 's {
        let of_ctas =
            self.agents.iter().flat_map(|(part, ctas)| ctas.iter().map(move |(cta, warps)| (*part, *cta, warps)));
        of_ctas.filter(|(.., warps)| is_known(warps, known)).map(|(part, cta, _)| (part, cta))
    }
}

/// Whether a clock knows of an acquire after an access, by the numbers that stand for warps.
fn is_followed(earlier: &ShadowAccess, warps: &BTreeMap<u32, u32>, known: &Clock) -> bool {
    let Some(number) = warps.get(&earlier.agent().thread().warp) else { return false };
    let is_before = |epochs: &[u32; 32]| lanes_of(earlier.lanes).all(|lane| epochs[lane] >= earlier.epoch);
    known.epochs(Agent::acquired_map(*number, 0).warp).is_some_and(is_before)
}

/// Whether a clock knows of an acquire after the kernels before this one, by the numbers that stand for warps.
fn is_known(warps: &BTreeMap<u32, u32>, known: &Clock) -> bool {
    let number = warps.get(&Agent::EARLIER_KERNEL.warp);
    number.is_some_and(|number| known.epochs(Agent::acquired_map(*number, 0).warp).is_some())
}

/// The words of a part.
const PART_WORDS: usize = TENSOR_MAP_ALIGNMENT as usize / WORD;
const _: () = assert!(ROW.is_multiple_of(PART_WORDS), "a part is in one row");

/// The words of a part in its row, a bit each.
const fn part_mask(part: usize) -> u32 {
    ((1 << PART_WORDS) - 1) << (part * PART_WORDS % ROW)
}

/// The parts that a map at an offset has whole.
fn parts(offset: usize) -> Range<usize> {
    let size = TENSOR_MAP_ALIGNMENT as usize;
    offset.div_ceil(size)..(offset + TENSOR_MAP_BYTES) / size
}

/// The part of a word; `None` where no map is read.
const fn part_of(region: RacedMemory, word: usize) -> Option<MapPart> {
    match region {
        RacedMemory::Global(allocation) => Some((allocation, word * WORD / TENSOR_MAP_ALIGNMENT as usize)),
        RacedMemory::Shared(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shadow::row::RowAccess;
    use program::problem::MachineAccessKind;
    use program::proxy::FencedMemory;

    #[test]
    fn an_acquire_adds_nothing_of_warps_that_have_not_written_the_map() {
        let mut shadow = Shadow::default();
        let kind = MachineAccessKind::Write;
        shadow.begin_row(0, RowAccess { warp: 3, epoch: 1, words: u32::MAX, kind, size: 4, ..RowAccess::NONE });
        let mut known = Clock::default();
        for warp in 0..100 {
            known.raise(Agent { warp, lane: 0 }.fenced(FencedMemory::ReleasedTensorMap), 1);
        }
        let (thread, mut maps) = (Agent { warp: 5, lane: 0 }, AcquiredMaps::default());
        let acquirer = MapAcquirer { thread, epoch: 1, cta: 5, follows_changes: false };
        maps.acquire((0, 0), acquirer, Some(&shadow), &mut known);
        assert_eq!(known.parts(), 100 + 2, "one entry for each part");
        maps.acquire((0, 128), acquirer, Some(&shadow), &mut known);
        assert_eq!(known.parts(), 100 + 2);
    }
}

//! Which tensor maps threads have acquired: `fence.proxy.tensormap::generic.acquire` names 128 bytes, and orders reads of these alone.

use super::super::lanes::lanes_of;
use super::super::tensor_map::{TENSOR_MAP_ALIGNMENT, TENSOR_MAP_BYTES};
use super::clock::{Agent, Clock};
use super::location::RacedMemory;
use super::shadow_access::{ShadowAccess, WORD};
use std::collections::BTreeMap;
use std::ops::Range;

/// A part of memory that a map has whole or not at all: an allocation, and the number of the part.
type MapPart = (usize, usize);

/// The parts of tensor maps that were acquired.
///
/// A clock has an entry for each part and each warp whose accesses an acquire of the part follows. So what a thread has acquired is handed on as
/// everything else that it knows.
#[derive(Clone, Debug, Default)]
pub struct AcquiredMaps {
    /// The number of the agent that stands for a warp, for each part.
    agents: BTreeMap<MapPart, BTreeMap<u32, u32>>,
    /// How many there are.
    count: u32,
}

impl AcquiredMaps {
    /// What a thread knows after it has acquired the 128 bytes at an offset of an allocation: what it has done itself, and what others have released
    /// to the proxy of tensor maps.
    pub fn acquire(&mut self, (allocation, offset): (usize, usize), (thread, epoch): (Agent, u32), known: &mut Clock) {
        let released: Vec<_> = known.released_maps().collect();
        for part in parts(offset) {
            let own = self.agent((allocation, part), thread);
            for (warp, epochs) in &released {
                let agent = self.agent((allocation, part), Agent { warp: *warp, lane: 0 });
                known.join_warp(agent.warp, epochs.clone());
            }
            known.raise(own, epoch);
        }
    }

    fn agent(&mut self, part: MapPart, Agent { warp, lane }: Agent) -> Agent {
        let next = self.count;
        let number = *self.agents.entry(part).or_default().entry(warp).or_insert(next);
        self.count += u32::from(number == next);
        Agent::acquired_map(number, lane)
    }

    /// Whether a clock knows of an acquire after an access to a word of a map, which was released if it is of another thread.
    pub fn is_acquired(&self, earlier: &ShadowAccess, (region, word): (RacedMemory, usize), known: &Clock) -> bool {
        let Some(part) = part_of(region, word) else { return false };
        let agent = earlier.agent().thread();
        let Some(number) = self.agents.get(&part).and_then(|warps| warps.get(&agent.warp)) else { return false };
        let is_before = |epochs: &[u32; 32]| lanes_of(earlier.lanes).all(|lane| epochs[lane] >= earlier.epoch);
        known.epochs(Agent::acquired_map(*number, 0).warp).is_some_and(is_before)
    }

    /// Whether a clock knows of an acquire of all of the map at an offset of an allocation.
    pub fn knows_acquire(&self, (allocation, offset): (usize, usize), known: &Clock) -> bool {
        let is_known = |number: &u32| known.epochs(Agent::acquired_map(*number, 0).warp).is_some();
        parts(offset).all(|part| self.agents.get(&(allocation, part)).is_some_and(|warps| warps.values().any(is_known)))
    }

    /// The parts of maps of whose acquires a clock knows, in a fixed order.
    pub fn known_parts<'s>(&'s self, known: &'s Clock) -> impl Iterator<Item = MapPart> + 's {
        let is_known = |number: &u32| known.epochs(Agent::acquired_map(*number, 0).warp).is_some();
        self.agents.iter().filter(move |(_, warps)| warps.values().any(is_known)).map(|(part, _)| *part)
    }
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

//! States that are alike: in one of them CTAs have only changed places, with all that their threads have done and know. What can happen after one of
//! them can happen after the other one, in other CTAs, so one of them is explored.
//!
//! CTAs change places whose threads can no longer tell which one theirs is ([`super::identity`]). They are brought into an order of what they do next
//! and of what is remembered of them, whichever numbers they have. Two that are taken for different, or are put into the wrong order, cost
//! a state, no more.

use super::super::lanes::{WARP_SIZE, lanes_of};
use super::super::launch::Launch;
use super::super::liveness::RegisterSet;
use super::super::program::MachineProgram;
use super::super::races::{Agent, Renaming, ThreadColors};
use super::super::state::Machine;
use super::identity::CtaIdentity;
use super::sharing::SharedLocations;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// How often threads are told apart by what others know of them and they of others.
const ROUNDS: u32 = 2;

/// How the CTAs of a search may change places.
#[derive(Clone, Debug)]
pub struct CtaSymmetry {
    identity: CtaIdentity,
    ctas: usize,
    warps_of_cta: usize,
    threads_of_cta: u32,
}

impl CtaSymmetry {
    /// The symmetry of a launch, if CTAs may change places at all.
    pub fn of(program: &MachineProgram, launch: &Launch) -> Option<Self> {
        Some(Self {
            identity: CtaIdentity::of(program, launch)?,
            ctas: launch.grid.count() as usize,
            warps_of_cta: launch.warps_of_cta() as usize,
            threads_of_cta: launch.block.count() as u32,
        })
    }

    /// New numbers for the CTAs of a state: the same ones in states that are alike, as far as that was found.
    pub fn renaming(&self, machine: &Machine, live: &[Vec<RegisterSet>], shared: &SharedLocations) -> Renaming {
        let mut ctas: Vec<u32> = (0..self.ctas as u32).collect();
        let movable = self.movable(machine, shared);
        if !movable.is_empty() {
            let colors = self.colors(machine, live);
            for group in movable {
                let mut sorted = group.clone();
                sorted.sort_by_cached_key(|slot| self.cta_color(machine, *slot, &colors));
                group.iter().zip(sorted).for_each(|(new, slot)| ctas[*new] = slot as u32);
            }
        }
        Renaming::new(self.warps_of_cta as u32, ctas)
    }

    /// The CTAs that may change places with each other.
    fn movable(&self, machine: &Machine, shared: &SharedLocations) -> Vec<Vec<usize>> {
        let mut alike: BTreeMap<Vec<Option<Agent>>, Vec<usize>> = BTreeMap::new();
        for slot in (0..self.ctas).filter(|slot| !shared.is_cta_fixed(*slot)) {
            let warps = slot * self.warps_of_cta..(slot + 1) * self.warps_of_cta;
            let can_tell = machine.warps[warps].iter().flatten().any(|warp| {
                let mut splits = warp.splits.iter();
                splits.any(|split| self.identity.is_told(warp, split))
            });
            let threads = (0..self.threads_of_cta).map(|thread| {
                let warp = slot as u32 * self.warps_of_cta as u32 + thread / WARP_SIZE;
                Agent { warp, lane: thread % WARP_SIZE }
            });
            if !can_tell && !threads.clone().any(|agent| shared.is_fixed(agent)) {
                alike.entry(threads.map(|agent| shared.class(agent)).collect()).or_default().push(slot);
            }
        }
        alike.into_values().filter(|group| group.len() > 1).collect()
    }

    /// A number for each thread that does not depend on that of its CTA.
    fn colors(&self, machine: &Machine, live: &[Vec<RegisterSet>]) -> Vec<u64> {
        let mut colors = vec![0; self.ctas * self.warps_of_cta * WARP_SIZE as usize];
        for (at, warp) in machine.warps.iter().enumerate() {
            let Some(warp) = warp else { continue };
            let color = machine.warp_color(warp, live);
            for lane in lanes_of(warp.live) {
                colors[at * WARP_SIZE as usize + lane] = color;
            }
        }
        let agents = machine.live_agents();
        for _ in 0..ROUNDS {
            colors = machine.races.refined(ThreadColors { colors: &colors, live: &agents });
        }
        colors
    }

    /// The same for a CTA: its threads in their order, and what they share.
    fn cta_color(&self, machine: &Machine, slot: usize, colors: &[u64]) -> u64 {
        let mut hash = DefaultHasher::new();
        let of_cta = self.warps_of_cta * WARP_SIZE as usize;
        colors[slot * of_cta..(slot + 1) * of_cta].hash(&mut hash);
        let cta = &machine.ctas[slot];
        (cta.live, cta.grid).hash(&mut hash);
        cta.shared.hash_contents(&mut hash);
        hash.finish()
    }
}

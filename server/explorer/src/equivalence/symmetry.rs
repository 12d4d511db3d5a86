//! States that are alike: in one of them CTAs, or threads of a CTA, have only changed places, with all that they have done and know. What can happen
//! after one of them can happen after the other one, in other threads, so one of them is explored.
//!
//! CTAs change places whose threads can no longer tell which one theirs is, and threads that can no longer tell which one they are
//! ([`crate::equivalence::thread_identity`]). They are brought into an order of what they do next and of what is remembered of them, whichever numbers they have. Two that
//! are taken for different, or are put into the wrong order, cost a state, no more.
//!
//! Lanes that execute something together with their warp, or wait for others at a barrier, change places within their warp only.

use crate::choices::sharing::SharedLocations;
use crate::equivalence::fingerprint;
use crate::equivalence::thread_identity::ThreadIdentity;
use machine::state::Machine;
use machine::threads::warp::{Split, SplitState, Warp};
use ordering::equivalence::colors;
use ordering::{Agent, ThreadColors, ThreadPermutation};
use program::analysis::liveness::RegisterSet;
use program::effects::RevealedIdentity;
use program::lanes::WARP_SIZE;
use program::launch::kernel_launch::Launch;
use program::machine_program::MachineProgram;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// How often threads are told apart by what others know of them and they of others.
const ROUNDS: u32 = 2;

/// The most threads of a launch whose CTAs are compared.
const MOST_THREADS_OF_CTAS: u64 = 64;

/// The most threads of a launch that are compared.
const MOST_THREADS: u64 = 256;

/// How the threads of a search may change places.
#[derive(Clone, Debug)]
pub struct ThreadSymmetry {
    identity: ThreadIdentity,
    ctas: usize,
    warps_of_cta: usize,
    threads_of_cta: u32,
    /// Whether CTAs may change places.
    moves_ctas: bool,
}

/// Threads that may take the places of each other, by their own places.
type Movable = Vec<Agent>;

impl ThreadSymmetry {
    /// The symmetry of a launch, if threads may change places at all.
    pub fn of(program: &MachineProgram, launch: &Launch) -> Option<Self> {
        let threads = launch.grid.count() * launch.block.count();
        if !(2..=MOST_THREADS).contains(&threads) {
            return None;
        }
        Some(Self {
            identity: ThreadIdentity::of(program, launch)?,
            ctas: launch.grid.count() as usize,
            warps_of_cta: launch.warps_of_cta() as usize,
            threads_of_cta: launch.block.count() as u32,
            moves_ctas: threads <= MOST_THREADS_OF_CTAS,
        })
    }

    /// New numbers for the CTAs and threads of a state: the same ones in states that are alike, as far as that was found.
    pub fn permutation(
        &self,
        machine: &Machine,
        live: &[Vec<RegisterSet>],
        shared: &SharedLocations,
    ) -> ThreadPermutation {
        let mut ctas: Vec<u32> = (0..self.ctas as u32).collect();
        let movable_ctas = self.movable_ctas(machine, shared);
        let movable: Vec<Movable> =
            (0..self.ctas).flat_map(|slot| self.movable_threads(machine, slot, shared)).collect();
        if movable.is_empty() && movable_ctas.is_empty() {
            return ThreadPermutation::new(self.warps_of_cta as u32, ctas);
        }
        let colors = self.colors(machine, live, &movable);
        let mut places: Vec<Agent> = (0..colors.len() as u32).map(agent_at).collect();
        for group in &movable {
            let mut sorted = group.clone();
            // Those that have ended are the last.
            sorted.sort_by_cached_key(|agent| (!is_live(machine, *agent), colors[place_of(*agent)]));
            group.iter().zip(sorted).for_each(|(place, agent)| places[place_of(*place)] = agent);
        }
        for group in movable_ctas {
            let mut sorted = group.clone();
            sorted.sort_by_cached_key(|slot| self.cta_color(machine, *slot, (&colors, &places)));
            group.iter().zip(sorted).for_each(|(new, slot)| ctas[*new] = slot as u32);
        }
        let permutation = ThreadPermutation::new(self.warps_of_cta as u32, ctas);
        if movable.is_empty() { permutation } else { permutation.with_threads(&places) }
    }

    /// The threads of a CTA.
    fn threads(&self, slot: usize) -> impl Iterator<Item = Agent> + use<> {
        let first = (slot * self.warps_of_cta) as u32 * WARP_SIZE;
        (first..first + self.threads_of_cta).map(agent_at)
    }

    /// The CTAs that may change places with each other.
    fn movable_ctas(&self, machine: &Machine, shared: &SharedLocations) -> Vec<Vec<usize>> {
        if !self.moves_ctas || self.ctas < 2 {
            return Vec::new();
        }
        let mut alike: BTreeMap<Vec<Option<Agent>>, Vec<usize>> = BTreeMap::new();
        for slot in (0..self.ctas).filter(|slot| !shared.is_cta_fixed(*slot)) {
            let warps = slot * self.warps_of_cta..(slot + 1) * self.warps_of_cta;
            let can_tell = warps.into_iter().any(|warp| self.revealed(machine, warp).tells_cta());
            if !can_tell && !self.threads(slot).any(|agent| shared.is_fixed(agent)) {
                alike.entry(self.threads(slot).map(|agent| shared.class(agent)).collect()).or_default().push(slot);
            }
        }
        alike.into_values().filter(|group| group.len() > 1).collect()
    }

    /// What the threads of a warp can still tell.
    fn revealed(&self, machine: &Machine, warp: usize) -> RevealedIdentity {
        let mut all = RevealedIdentity::NOTHING;
        for warp in machine.warps[warp].iter() {
            warp.splits.iter().for_each(|split| all.add(self.identity.revealed(warp, split)));
        }
        all
    }

    /// The threads of a CTA that may change places with each other, of which one at least has not ended.
    fn movable_threads(&self, machine: &Machine, slot: usize, shared: &SharedLocations) -> Vec<Movable> {
        // Lanes that wait for others of their warp are counted by the warp.
        if self.threads_of_cta < 2 || machine.ctas[slot].barriers.iter().any(|barrier| barrier.parts_warps()) {
            return Vec::new();
        }
        let mut warps = slot * self.warps_of_cta..(slot + 1) * self.warps_of_cta;
        let keeps_warps = warps.any(|warp| self.keeps_warp(machine, warp));
        let mut alike: BTreeMap<(Option<Agent>, Option<u32>), Movable> = BTreeMap::new();
        for agent in self.threads(slot).filter(|agent| !shared.is_fixed(*agent)) {
            if !machine.races.has_warp_barriers(agent.warp) && !self.tells_thread(machine, agent) {
                alike.entry((shared.class(agent), keeps_warps.then_some(agent.warp))).or_default().push(agent);
            }
        }
        let has_live = |group: &Movable| group.iter().any(|agent| is_live(machine, *agent));
        alike.into_values().filter(|group| group.len() > 1 && has_live(group)).collect()
    }

    /// Whether it matters which lanes are in a warp.
    fn keeps_warp(&self, machine: &Machine, warp: usize) -> bool {
        let waits = |split: &Split| split.state != SplitState::Ready || !split.lanes.is_power_of_two();
        let has_waiting = |warp: &Warp| warp.splits.iter().any(waits);
        self.revealed(machine, warp).needs_warp() || machine.warps[warp].as_deref().is_some_and(has_waiting)
    }

    /// Whether a thread can still tell which one it is.
    fn tells_thread(&self, machine: &Machine, agent: Agent) -> bool {
        let Some(warp) = machine.warps[agent.warp as usize].as_deref() else { return false };
        let split = warp.split_of(agent.lane).map(|at| &warp.splits[at]);
        split.is_some_and(|split| self.identity.revealed(warp, split).tells_thread())
    }

    /// A number for each thread that does not depend on its place, unless it has to keep that.
    fn colors(&self, machine: &Machine, live: &[Vec<RegisterSet>], movable: &[Movable]) -> Vec<u64> {
        let mut colors = vec![0; self.ctas * self.warps_of_cta * WARP_SIZE as usize];
        let mut keeps_place = vec![true; colors.len()];
        movable.iter().flatten().for_each(|agent| keeps_place[place_of(*agent)] = false);
        let agents = machine.live_agents();
        for agent in &agents {
            let Some(warp) = machine.warps[agent.warp as usize].as_deref() else { continue };
            let at = place_of(*agent);
            let place = keeps_place[at].then_some((at % (self.warps_of_cta * WARP_SIZE as usize)) as u32);
            colors[at] = fingerprint::thread_color(machine, warp, agent.lane, live, place);
        }
        for _ in 0..ROUNDS {
            colors = colors::refined(&machine.races, ThreadColors { colors: &colors, live: &agents });
        }
        colors
    }

    /// The same for a CTA: its threads by their places, and what they share.
    fn cta_color(&self, machine: &Machine, slot: usize, (colors, places): (&[u64], &[Agent])) -> u64 {
        let mut hash = DefaultHasher::new();
        let of_cta = self.warps_of_cta * WARP_SIZE as usize;
        for agent in &places[slot * of_cta..][..of_cta] {
            colors[place_of(*agent)].hash(&mut hash);
        }
        let cta = &machine.ctas[slot];
        (cta.live, cta.grid).hash(&mut hash);
        cta.shared.hash_contents(&mut hash);
        hash.finish()
    }
}

/// The position of a thread among all lanes of all warps.
const fn place_of(agent: Agent) -> usize {
    (agent.warp * WARP_SIZE + agent.lane) as usize
}

/// The thread at a position.
const fn agent_at(place: u32) -> Agent {
    Agent { warp: place / WARP_SIZE, lane: place % WARP_SIZE }
}

fn is_live(machine: &Machine, agent: Agent) -> bool {
    machine.warps[agent.warp as usize].as_ref().is_some_and(|warp| warp.live >> agent.lane & 1 == 1)
}

//! Threads by what they have done and what they know, whichever numbers they have.

use crate::Races;
use crate::clock::{Agent, Clock};
use crate::load_buffering::value_dependent_branches;
use program::lanes::{WARP_SIZE, lanes_of};
use program::memory::location::RacedMemory;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// A number for each lane of each warp, and the threads that have not ended.
#[derive(Clone, Copy, Debug)]
pub struct ThreadColors<'c> {
    /// The numbers.
    pub colors: &'c [u64],
    /// The threads.
    pub live: &'c [Agent],
}

/// How an agent has to do with something.
#[derive(Clone, Copy, Hash)]
enum ColorRelation {
    Accesses,
    Knows,
    IsKnown,
    Reads,
    Writes,
    Positions,
    HasRead,
    HasPassed,
    HasBranchedOn,
    Computes,
}

/// One number of two, about as good as a hash: there is one for each two threads and each access.
const fn mixed(one: u64, other: u64) -> u64 {
    let mixed = (one ^ other.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

fn hashed(fact: impl Hash) -> u64 {
    let mut hash = DefaultHasher::new();
    fact.hash(&mut hash);
    hash.finish()
}

/// What is added to each number: the same, whatever the order of the threads.
struct ColorSums<'c> {
    known: ThreadColors<'c>,
    sums: Vec<u64>,
}

impl ColorSums<'_> {
    fn at(agent: Agent) -> usize {
        agent.warp as usize * WARP_SIZE as usize + agent.lane as usize
    }

    fn color(&self, agent: Agent) -> u64 {
        self.known.colors.get(Self::at(agent)).copied().unwrap_or_default()
    }

    fn add_hashed(&mut self, agent: Agent, fact: u64) {
        if let Some(sum) = self.sums.get_mut(Self::at(agent)) {
            *sum = sum.wrapping_add(fact);
        }
    }

    fn add(&mut self, agent: Agent, relation: ColorRelation, fact: impl Hash) {
        self.add_hashed(agent, hashed((relation, fact)));
    }
}

/// Numbers that also tell threads apart by what they have accessed, what they know of others, and what others know of them.
pub fn refined(races: &Races, known: ThreadColors) -> Vec<u64> {
    let mut sums = ColorSums { known, sums: vec![0; known.colors.len()] };
    add_accesses(races, &mut sums);
    add_messages(races, &mut sums);
    for agent in known.live {
        let thread = (agent.warp, agent.lane);
        for read in races.reads.earlier.get(&thread).into_iter().flatten() {
            sums.add(*agent, ColorRelation::HasRead, read.of_anybody());
        }
        if let Some(reads) = value_dependent_branches::branched_on(races, *agent) {
            sums.add(*agent, ColorRelation::HasBranchedOn, reads);
        }
        if let Some(registers) = races.reads.dependencies.values(*agent) {
            sums.add(*agent, ColorRelation::Computes, registers);
        }
    }
    for ((warp, lane), passed) in &races.reads.passed {
        for read in passed.iter().flat_map(|one| one.reads.iter()) {
            sums.add(Agent { warp: *warp, lane: *lane }, ColorRelation::HasPassed, read.of_anybody());
        }
    }
    let combined = |(color, sum): (&u64, u64)| hashed((color, sum));
    known.colors.iter().zip(sums.sums).map(combined).collect()
}

fn clock_of(races: &Races, agent: Agent) -> Option<&Clock> {
    Some(races.warps.get(agent.warp as usize)?.as_deref()?.known(agent.lane as usize))
}

fn add_accesses(races: &Races, sums: &mut ColorSums) {
    let global = races.global.iter().enumerate().map(|(at, shadow)| (RacedMemory::Global(at), shadow));
    // Only the threads of a CTA access its shared memory.
    let shared = races.shared.iter().map(|shadow| (RacedMemory::Shared(0), shadow));
    for (region, shadow) in global.chain(shared) {
        for (word, access) in shadow.accesses() {
            let what = (region, word, access.bytes, access.size, access.kind as u8, access.scope);
            let accesses = hashed((ColorRelation::Accesses, what));
            let relations = [false, true].map(|is_near| {
                [false, true].map(|knows| {
                    let of = |relation| hashed((relation, what, is_near, knows));
                    [ColorRelation::Knows, ColorRelation::IsKnown].map(of)
                })
            });
            for lane in lanes_of(access.lanes) {
                let owner = Agent { warp: access.warp, lane: lane as u32 };
                sums.add_hashed(owner, accesses);
                let (one, cta) = (sums.color(owner), races.position(owner).cta);
                let mut is_known_to = 0_u64;
                for agent in sums.known.live {
                    let is_known = clock_of(races, *agent).is_some_and(|clock| clock.has_epoch(owner, access.epoch));
                    let is_near = races.position(*agent).cta == cta;
                    let [knows, is_known] = relations[usize::from(is_near)][usize::from(is_known)];
                    is_known_to = is_known_to.wrapping_add(mixed(is_known, sums.color(*agent)));
                    sums.add_hashed(*agent, mixed(knows, one));
                }
                sums.add_hashed(owner, is_known_to);
            }
        }
    }
}

fn add_messages(races: &Races, sums: &mut ColorSums) {
    for (key, location) in races.history.iter().flatten() {
        for agent in sums.known.live {
            let first = clock_of(races, *agent).map(|clock| location.first_readable(*agent, clock));
            sums.add(*agent, ColorRelation::Reads, (key, first));
        }
        for (at, message) in location.messages.iter().enumerate() {
            for write in message.writers.iter().chain(&message.repeated_by) {
                sums.add(write.writer, ColorRelation::Writes, (key, at, write.older != 0));
            }
            let Some(write) = &message.write else { continue };
            for agent in sums.known.live {
                let is_near = races.position(*agent).cta == write.position.cta;
                sums.add(*agent, ColorRelation::Positions, (key, at, is_near));
            }
            for thread in write.releases.entries().iter().filter_map(|released| released.thread) {
                sums.add(thread, ColorRelation::Positions, (key, at));
            }
        }
    }
}

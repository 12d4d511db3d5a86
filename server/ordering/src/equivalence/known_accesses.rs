//! What the clocks of a state have before them of the accesses that are remembered, as a hash per access.
//!
//! A copy or a product reads hundreds of words in one epoch: a clock has all of them before it or none, so each clock is asked once.

use crate::clock::{Agent, Clock};
use crate::proxies::{is_fenced, is_fenced_for_copies, is_finished, needs_fence};
use crate::shadow::shadow_access::ShadowAccess;
use program::lanes::lanes_of;
use program::memory::location::RacedMemory;
use program::proxy::FencedMemory;
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::Hasher;

/// What else than the order matters of an access.
#[derive(Clone, Copy, Debug)]
pub struct KnownRules {
    /// Whether a proxy fence after it does.
    pub has_proxy_fences: bool,
    /// Whether it does that it is over.
    pub has_finished: bool,
    /// Whether fences order accesses to shared memory alone.
    pub has_restricted_fences: bool,
    /// Whether fences order the initialization of mbarriers alone.
    pub has_initialization_fences: bool,
}

/// Accesses that each clock has before it, or not.
struct Together {
    access: ShadowAccess,
    is_shared: bool,
    /// A hash of what the clocks so far know of them.
    known: Cell<u64>,
}

/// The accesses of a state, by what clocks can tell apart.
pub struct KnownAccesses {
    all: Vec<Together>,
    /// For each access those that it is one of.
    members: Vec<usize>,
    rules: KnownRules,
}

impl KnownAccesses {
    /// Those of accesses with their regions and words, before any clock.
    pub fn of(accesses: &[(RacedMemory, usize, ShadowAccess)], rules: KnownRules) -> Self {
        let (mut all, mut numbers) = (Vec::new(), HashMap::new());
        let mut members = Vec::with_capacity(accesses.len());
        for (region, _, access) in accesses {
            let is_shared = matches!(region, RacedMemory::Shared(_));
            let number = numbers.entry((is_shared, access.writes(), access.warp, access.lanes, access.epoch));
            members.push(*number.or_insert_with(|| {
                all.push(Together { access: *access, is_shared, known: Cell::new(0) });
                all.len() - 1
            }));
        }
        Self { all, members, rules }
    }

    /// Adds what a clock has before it; also what an agent did itself, if it is that of an agent.
    pub fn add(&self, clock: &Clock, own: Option<Agent>) {
        for one in &self.all {
            let access = &one.access;
            let epochs = clock.epochs(access.warp);
            let is_known = |lane: usize| {
                own == Some(Agent { warp: access.warp, lane: lane as u32 })
                    || epochs.is_some_and(|epochs| epochs[lane] >= access.epoch)
            };
            let mut known = bits(access, is_known);
            if self.rules.has_restricted_fences && one.is_shared {
                let epochs = access.agent().in_shared_memory().and_then(|agent| clock.epochs(agent.warp));
                known |= bits(access, |lane| epochs.is_some_and(|epochs| epochs[lane] >= access.epoch)) << 32;
            }
            let mut hash = mixed(one.known.get(), known);
            let is_of_thread = access.agent() == access.agent().thread();
            if self.rules.has_initialization_fences && one.is_shared && is_of_thread && access.writes() {
                let initialized = clock.epochs(access.agent().initializing().warp);
                hash = mixed(hash, bits(access, |lane| initialized.is_some_and(|epochs| epochs[lane] >= access.epoch)));
            }
            if self.rules.has_proxy_fences || self.rules.has_finished {
                hash = mixed(hash, self.proxy_order(access, clock));
            }
            one.known.set(hash);
        }
    }

    /// What a clock knows of the proxy fences after an access, and whether it knows that it is over.
    fn proxy_order(&self, access: &ShadowAccess, clock: &Clock) -> u64 {
        let mut bits = 0;
        // What no later access asks for would be a difference between states that are alike.
        if self.rules.has_proxy_fences && access.writes() {
            let is_generic = needs_fence(access);
            bits |= u64::from(is_generic && is_fenced_for_copies(access, FencedMemory::Global, clock));
            bits |= u64::from(is_generic && is_fenced_for_copies(access, FencedMemory::Shared, clock)) << 1;
            bits |= u64::from(is_fenced(access, FencedMemory::ReleasedTensorMap, clock)) << 2;
        }
        bits | u64::from(self.rules.has_finished && is_finished(access, clock)) << 3
    }

    /// Adds what the clocks know of each access to a hash.
    pub fn hash_all(&self, hash: &mut impl Hasher) {
        self.members.iter().for_each(|member| hash.write_u64(self.all[*member].known.get()));
    }
}

/// A bit for each lane of an access, whichever these are: those of threads that have ended do not matter.
fn bits(access: &ShadowAccess, holds: impl Fn(usize) -> bool) -> u64 {
    lanes_of(access.lanes).fold(0, |bits, lane| bits << 1 | u64::from(holds(lane)))
}

/// The hash of a sequence of numbers, from that of all but its last one.
const fn mixed(hash: u64, next: u64) -> u64 {
    let product = (hash.rotate_left(29) ^ next).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    product ^ product >> 31
}

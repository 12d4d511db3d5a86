//! Accesses that every clock either knows all of or none of, so that a clock is asked once for all of them.

use super::super::lanes::lanes_of;
use super::super::proxy::FencedMemory;
use super::clock::{Agent, Clock};
use super::proxies::{is_fenced, is_finished_read};
use super::shadow_access::ShadowAccess;
use super::{RacedMemory, Races};
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// What clocks can know of accesses, beside whether these happen before.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedOrders {
    proxy_fences: bool,
    finished_reads: bool,
    restricted_fences: bool,
}

impl AskedOrders {
    pub(super) const fn of(races: &Races) -> Self {
        Self {
            proxy_fences: races.has_proxy_fences,
            finished_reads: races.has_finished_reads,
            restricted_fences: races.has_restricted_fences,
        }
    }
}

/// Accesses of the same lanes in the same epoch.
struct AccessGroup<'r> {
    /// One of them.
    access: &'r ShadowAccess,
    is_shared: bool,
    /// What each clock knows of them, clock by clock.
    known: DefaultHasher,
}

/// The accesses of a state by their groups, and what clocks know of them.
///
/// What clocks know is added to a hash access by access, not group by group: states in which other accesses happened in one epoch may be the same.
pub(super) struct AccessGroups<'r> {
    groups: RefCell<Vec<AccessGroup<'r>>>,
    /// The number of the group of each access.
    of_accesses: Vec<usize>,
    asked: AskedOrders,
}

impl<'r> AccessGroups<'r> {
    pub(super) fn new(accesses: &[(RacedMemory, usize, &'r ShadowAccess)], asked: AskedOrders) -> Self {
        let (mut groups, mut numbers) = (Vec::new(), HashMap::new());
        let mut number_of = |(region, access): (RacedMemory, &'r ShadowAccess)| {
            let is_shared = matches!(region, RacedMemory::Shared(_));
            let key = (access.warp, access.lanes, access.epoch, access.writes(), is_shared);
            *numbers.entry(key).or_insert_with(|| {
                groups.push(AccessGroup { access, is_shared, known: DefaultHasher::new() });
                groups.len() - 1
            })
        };
        let of_accesses = accesses.iter().map(|(region, _, access)| number_of((*region, access))).collect();
        Self { groups: RefCell::new(groups), of_accesses, asked }
    }

    /// Notes what a clock knows of each access; also what an agent did itself, if it is that of an agent.
    pub(super) fn ask(&self, clock: &Clock, own: Option<Agent>) {
        for AccessGroup { access, is_shared, known } in self.groups.borrow_mut().iter_mut() {
            // Lane by lane, whatever their numbers are: it does not matter which of the threads that have ended did something.
            let add = |all: u32, is_before: bool| all << 1 | u32::from(is_before);
            let is_own = |lane: usize| own == Some(Agent { warp: access.warp, lane: lane as u32 });
            let epochs = clock.epochs(access.warp);
            let is_after = |epochs: &[u32; 32], lane: usize| epochs[lane] >= access.epoch;
            let is_before = |lane| is_own(lane) || epochs.is_some_and(|epochs| is_after(epochs, lane));
            lanes_of(access.lanes).fold(0, |all, lane| add(all, is_before(lane))).hash(known);
            if self.asked.restricted_fences && *is_shared {
                let in_shared = access.agent().in_shared_memory().and_then(|agent| clock.epochs(agent.warp));
                let is_before = |lane| in_shared.is_some_and(|epochs| is_after(epochs, lane));
                lanes_of(access.lanes).fold(0, |all, lane| add(all, is_before(lane))).hash(known);
            }
            self.other_orders(access, clock).hash(known);
        }
    }

    /// Which proxy fences follow an access before a clock, and whether it is a read that is over.
    fn other_orders(&self, access: &ShadowAccess, clock: &Clock) -> u8 {
        let mut all = 0;
        // What no later access asks for would be a difference between states that are alike.
        if self.asked.proxy_fences && access.writes() {
            let is_of_thread = access.agent() == access.agent().thread();
            let fenced = |memory| is_fenced(access, memory, clock);
            all |= u8::from(is_of_thread && fenced(FencedMemory::Global));
            all |= u8::from(is_of_thread && fenced(FencedMemory::Shared)) << 1;
            all |= u8::from(fenced(FencedMemory::ReleasedTensorMap)) << 2;
        }
        all | u8::from(self.asked.finished_reads && is_finished_read(access, clock)) << 3
    }

    /// Adds what all clocks know of each access to a hash.
    pub(super) fn hash_known(&self, hash: &mut impl Hasher) {
        let known: Vec<u64> = self.groups.borrow().iter().map(|group| group.known.finish()).collect();
        self.of_accesses.iter().for_each(|group| hash.write_u64(known[*group]));
    }
}

//! Which locations several threads access by strong operations, so that the order of their accesses matters.

use crate::equivalence::permuted_threads::PermutedThreads;
use ordering::{Agent, LostRead, MbarrierOrders};
use program::analysis::liveness::RegisterSet;
use program::memory::location::{LocationKey, RacedMemory};
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use values::Operation;

/// The location that stands for the order of all `fence.sc`.
pub const FENCES: LocationKey = (RacedMemory::Global(usize::MAX), 0);

/// How a location is accessed by strong operations.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sharing {
    /// By one thread.
    Owned(Agent),
    /// By several threads, all with an operation whose order does not matter and whose result nobody reads.
    Commuting(Operation),
    /// By several threads.
    Shared,
}

/// A strong access, as far as its order to others matters.
#[derive(Clone, Copy, Debug)]
pub struct SharingAccess {
    /// The thread.
    pub agent: Agent,
    /// Whether the thread may wait by it for what others do: it uses what it reads.
    pub may_wait: bool,
    /// The operation, if it is an update without result whose order to its like does not matter.
    pub commuting: Option<Operation>,
    /// The same, if it may have a register for its result that nothing uses.
    pub counts: Option<Operation>,
}

/// The accesses of its owner to a location.
#[derive(Clone, Copy, Debug, Default)]
struct OwnedAccesses {
    /// Those by which it may wait.
    reads: u32,
    /// The others.
    writes: u32,
}

/// The accesses by owners, and their bounds.
#[derive(Clone, Debug, Default)]
struct AccessesByOwners {
    /// Those since the last visible step.
    counted: HashMap<LocationKey, OwnedAccesses>,
    /// The most writes in a row to one location which are no steps. With more, each is: they may have no end.
    most_writes: u32,
    /// The same of reads, which may have no end before another thread writes.
    most_reads: u32,
    /// The locations whose owner has accessed them more often.
    waited_for: u32,
}

/// The threads that may look at an mbarrier when a further phase has ended.
///
/// Lanes of a warp that wait and do nothing together afterwards may each be late, in exponentially many ways. If one that is late leads to a problem, the
/// others need not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LateThreads {
    /// One at most, for each mbarrier. Some executions are left out.
    One,
    /// All.
    #[default]
    All,
}

/// The accesses in a row of one thread to a location that only it has accessed which are no steps, at least; see [`SharedLocations::scale`].
const LEAST_OWNED_ACCESSES: u32 = 200;

/// The ways to choose the messages of the elements of an access, at least; see [`SharedLocations::scale`].
const MOST_CHOICES: usize = 1_000;

/// The states for which there may be one more of those.
const STATES_FOR_A_CHOICE: usize = 1_000;

/// The states for which there may be one more write of these.
const STATES_FOR_A_WRITE: usize = 10;

/// The states for which there may be one more read. A loop that waits for another thread executes all of them before the search knows that it waits.
const STATES_FOR_A_READ: usize = 250;

/// What is known about all locations. It is a guess until an exploration ends without a surprise.
#[derive(Clone, Debug, Default)]
pub struct SharedLocations {
    known: HashMap<LocationKey, Sharing>,
    /// The operation of the updates of each location, if there are no other accesses and nobody uses their results.
    counted: HashMap<LocationKey, Option<Operation>>,
    /// The accesses by owners since the last visible step.
    own: AccessesByOwners,
    /// Whether a location turned out to be shared after accesses to it were executed as if it were not, or threads to be connected after steps
    /// of one were left out.
    pub surprised: bool,
    /// Whether a step had more ways to choose messages than are explored.
    pub has_too_many_choices: bool,
    /// The most ways to choose the messages of the elements of an access.
    pub most_choices: usize,
    /// For each thread another one that it shares locations with, up to one that stands for all of them.
    connected: HashMap<Agent, Agent>,
    /// A thread that accesses each location.
    users: HashMap<LocationKey, Agent>,
    /// The threads that access shared locations.
    connecting: BTreeSet<Agent>,
    /// How many locations each thread owns.
    owners: HashMap<Agent, usize>,
    /// The CTAs with locations in their shared memory, by their slots.
    with_shared_memory: BTreeSet<usize>,
    /// The threads that have changed places in this search.
    pub moved: PermutedThreads,
    /// Whether they may do something that was not found, as only others were seen to do it.
    pub doubts_symmetry: bool,
    /// Who reads each location other than to update it; a compare-and-swap, with the value that it compares, only reads if it fails.
    readers: BTreeSet<(LocationKey, Agent, Option<u128>)>,
    /// The locations that weak accesses and strong writes share: whether they race depends on who has observed what.
    pub followed: BTreeSet<LocationKey>,
    /// The mbarriers, by the slot of their CTA and their offset, of which a phase can end while a thread has yet to look for the one before; with such a
    /// thread, if one is known.
    overrun: BTreeMap<(usize, u32), Option<Agent>>,
    /// Further ones that a search has found. It goes on: what it finds wrong is.
    found_overrun: BTreeMap<(usize, u32), Option<Agent>>,
    /// Which threads may look late at these mbarriers.
    late: LateThreads,
    /// Which orders of the steps at the others are explored.
    pub mbarriers: MbarrierOrders,
    /// The mbarriers at which it matters when a thread arrives, also if others are still to come.
    pub ordered_arrivals: BTreeSet<(usize, u32)>,
    /// Further ones that a search has found.
    found_ordered: BTreeSet<(usize, u32)>,
    /// Whether tests of mbarriers are repeated without an effect if they fail, by the state of the thread.
    pub repeated_tests: HashMap<(CodePlace, u64), bool>,
    /// The registers that matter at each instruction of each function.
    pub live: Arc<[Vec<RegisterSet>]>,
    /// The updates that compute the same in any order, and whose results nothing uses.
    unread: Arc<BTreeSet<CodePlace>>,
    /// Those whose order to their like does not matter.
    commuting: Arc<BTreeSet<CodePlace>>,
}

impl SharedLocations {
    /// Nothing is known yet.
    pub fn new(live: Arc<[Vec<RegisterSet>]>, unread: BTreeSet<CodePlace>, commuting: BTreeSet<CodePlace>) -> Self {
        Self { live, unread: Arc::new(unread), commuting: Arc::new(commuting), ..Self::default() }
    }

    /// Sets the bounds that grow with that on states.
    pub fn scale(&mut self, states: usize) {
        self.most_choices = MOST_CHOICES.max(states / STATES_FOR_A_CHOICE);
        let bound = |states_for_one: usize| {
            u32::try_from(states / states_for_one).unwrap_or(u32::MAX).max(LEAST_OWNED_ACCESSES)
        };
        self.own.most_writes = bound(STATES_FOR_A_WRITE);
        self.own.most_reads = bound(STATES_FOR_A_READ);
    }

    /// Whether only one thread has accessed a location.
    pub fn is_owned(&self, key: LocationKey) -> bool {
        matches!(self.known.get(&key), Some(Sharing::Owned(_)))
    }

    /// Whether an update computes the same in any order with its like, and nothing uses its result.
    pub fn is_unread(&self, place: CodePlace) -> bool {
        self.unread.contains(&place)
    }

    /// Whether the order of an update to its like does not matter.
    pub fn commutes(&self, place: CodePlace) -> bool {
        self.commuting.contains(&place)
    }

    /// Locations should have been followed from the begin on.
    pub fn follow(&mut self, mut missing: BTreeSet<LocationKey>) {
        self.surprised |= !missing.is_empty();
        self.followed.append(&mut missing);
    }

    /// Phases of mbarriers have ended before each thread had to look for the one before.
    pub fn note_overrun(&mut self, mbarriers: BTreeMap<(usize, u32), Option<Agent>>) {
        for (mbarrier, late) in mbarriers {
            if !self.overrun.contains_key(&mbarrier) {
                let known = self.found_overrun.entry(mbarrier).or_default();
                *known = known.or(late);
            }
        }
    }

    /// The mbarriers at which the order of arrivals is explored.
    pub fn explored_arrivals(&self) -> BTreeSet<(usize, u32)> {
        self.ordered_arrivals.iter().chain(self.overrun.keys()).copied().collect()
    }

    /// Whether it is supposed that a thread looks at an mbarrier before a further phase has ended.
    pub fn looks_in_time(&self, mbarrier: (usize, u32), agent: Agent) -> bool {
        match self.overrun.get(&mbarrier) {
            _ if self.mbarriers == MbarrierOrders::All => false,
            None => true,
            Some(late) => self.late == LateThreads::One && *late != Some(agent),
        }
    }

    /// It matters when a thread arrives at an mbarrier. Nothing changes for a search under way, so that its steps can be repeated.
    pub fn note_ordered_arrivals(&mut self, mbarrier: (usize, u32)) {
        if !self.ordered_arrivals.contains(&mbarrier) {
            self.found_ordered.insert(mbarrier);
        }
    }

    /// Whether arrivals at an mbarrier that leave its phase waiting for others are taken as soon as they are possible.
    pub fn takes_arrivals_early(&self, mbarrier: (usize, u32)) -> bool {
        self.mbarriers == MbarrierOrders::One
            && !self.overrun.contains_key(&mbarrier)
            && !self.ordered_arrivals.contains(&mbarrier)
    }

    /// Whether mbarriers were found in this search that can be overrun.
    pub fn has_found_overrun(&self) -> bool {
        !self.found_overrun.is_empty()
    }

    /// Whether mbarriers were found in this search of which arrivals have to be explored in all orders.
    pub fn has_found_ordered(&self) -> bool {
        !self.found_ordered.is_empty()
    }

    /// Whether this search has left nothing out.
    pub fn is_whole(&self) -> bool {
        self.is_settled() && !self.leaves_out_late_threads()
    }

    /// Whether what was supposed was right.
    pub fn is_settled(&self) -> bool {
        !self.surprised && !self.has_found_overrun() && !self.has_found_ordered()
    }

    /// Whether threads may be late of which that is not explored.
    fn leaves_out_late_threads(&self) -> bool {
        self.late == LateThreads::One && !self.overrun.is_empty()
    }

    /// From now on, all orders of the steps at mbarriers that were found are explored: first with one thread that is late.
    pub fn follow_found(&mut self) {
        self.late = match self.late {
            _ if self.has_found_overrun() => LateThreads::One,
            late if !self.is_settled() => late,
            _ => LateThreads::All,
        };
        self.overrun.append(&mut self.found_overrun);
        self.ordered_arrivals.append(&mut self.found_ordered);
    }

    /// From now on, each `fence.sc` is a step that others notice.
    pub fn share_fences(&mut self) {
        self.known.insert(FENCES, Sharing::Shared);
    }

    /// A thread reads a location, or compares its value and may fail to update it.
    pub fn read(&mut self, key: LocationKey, agent: Agent, compared: Option<u128>) {
        self.readers.insert((key, agent, compared));
    }

    /// The same for those that have changed places with the thread, too.
    pub fn may_read_permuted(&self, key: LocationKey, (agent, value): LostRead) -> bool {
        self.moved.places(agent).into_iter().any(|agent| self.may_read(key, (agent, value)))
    }

    /// Whether a thread reads a location and a value there other than to update it.
    pub fn may_read(&self, key: LocationKey, (agent, value): LostRead) -> bool {
        let of_agent = (key, agent, None)..=(key, agent, Some(u128::MAX));
        self.readers.range(of_agent).any(|(.., compared)| *compared != Some(value))
    }

    /// Nothing was accessed since the last visible step.
    pub fn begin_settling(&mut self) {
        self.own.counted.clear();
    }

    /// The thread that stands for all those that a thread is connected with through locations that both access.
    pub fn component(&self, mut agent: Agent) -> Agent {
        while let Some(next) = self.connected.get(&agent) {
            agent = *next;
        }
        agent
    }

    /// Begins another search with what is known.
    pub fn begin_search(&mut self) {
        self.surprised = false;
        self.moved = PermutedThreads::default();
    }

    /// Whether a thread keeps its number, as what is known about a location names it.
    pub fn is_fixed(&self, agent: Agent) -> bool {
        self.owners.get(&agent).is_some_and(|count| *count > 0)
            || self.late == LateThreads::One && self.overrun.values().any(|late| *late == Some(agent))
    }

    /// Whether a CTA keeps its number, as something is known about locations in its shared memory.
    pub fn is_cta_fixed(&self, slot: usize) -> bool {
        self.with_shared_memory.contains(&slot)
    }

    /// Threads that may change places as far as what they share with others is concerned have the same class.
    pub fn class(&self, agent: Agent) -> Option<Agent> {
        self.connecting.contains(&agent).then(|| self.component(agent))
    }

    /// A thread is the only one that accesses a location.
    fn own(&mut self, key: LocationKey, agent: Agent) {
        *self.owners.entry(agent).or_default() += 1;
        // In the place of another one it may access the location of that one.
        self.surprised |= self.moved.contains(agent);
        if let RacedMemory::Shared(slot) = key.0 {
            self.with_shared_memory.insert(slot);
            self.surprised |= self.moved.contains_cta(slot);
        }
    }

    /// A thread has to do with a location that several access.
    pub fn connect(&mut self, key: LocationKey, agent: Agent) {
        if self.connecting.insert(agent) {
            self.surprised |= self.moved.contains(agent);
        }
        let user = *self.users.entry(key).or_insert(agent);
        let (one, two) = (self.component(user), self.component(agent));
        if one != two {
            self.connected.insert(one, two);
            self.surprised = true;
        }
        // Chains of many threads stay short.
        for agent in [user, agent] {
            if agent != two && self.connected.get(&agent) != Some(&two) {
                self.connected.insert(agent, two);
            }
        }
    }

    /// Whether the owner of a location accesses it again and again, perhaps without an end.
    fn goes_on(&mut self, key: LocationKey, access: SharingAccess) -> bool {
        let accesses = self.own.counted.entry(key).or_default();
        let (made, most) = match access.may_wait {
            // Each location that turns out to be waited for begins the search anew: of many, the last ones do not wait as long as the first one.
            true => (&mut accesses.reads, (self.own.most_reads / (1 + self.own.waited_for)).max(LEAST_OWNED_ACCESSES)),
            false => (&mut accesses.writes, self.own.most_writes),
        };
        *made += 1;
        let goes_on = *made > most;
        self.own.waited_for += u32::from(goes_on && access.may_wait);
        goes_on
    }

    /// A thread waits for another one to write to a location that it alone has accessed.
    pub fn share(&mut self, key: LocationKey) {
        let known = self.known.insert(key, Sharing::Shared);
        self.surprised |= known != Some(Sharing::Shared);
        if let Some(Sharing::Owned(owner)) = known
            && let Some(count) = self.owners.get_mut(&owner)
        {
            *count -= 1;
        }
    }

    /// Whether nothing depends on what strong reads of a location read: all are of updates of one kind that commute, and nobody uses their results,
    /// nor who has observed them.
    pub fn is_counter(&self, key: LocationKey) -> bool {
        self.counted.get(&key).is_some_and(Option::is_some) && !self.followed.contains(&key)
    }

    /// Whether the order of an access matters. Remembers the access.
    pub fn is_visible(&mut self, key: LocationKey, access: SharingAccess) -> bool {
        let counted = self.counted.entry(key).or_insert(access.counts);
        if *counted != access.counts {
            *counted = None;
        }
        // Which updates a thread has observed decides what its weak accesses race with.
        let commuting = access.commuting.filter(|_| !self.followed.contains(&key));
        let goes_on = self.is_owned(key) && commuting.is_none() && self.goes_on(key, access);
        let Some(known) = self.known.get_mut(&key) else {
            self.known.insert(key, Sharing::Owned(access.agent));
            self.own(key, access.agent);
            return false;
        };
        let now = match *known {
            Sharing::Owned(_) if goes_on => Sharing::Shared,
            Sharing::Owned(owner) if owner == access.agent => Sharing::Owned(owner),
            // The owner's accesses may have been others.
            Sharing::Owned(_) => commuting.map_or(Sharing::Shared, Sharing::Commuting),
            Sharing::Commuting(operation) if commuting == Some(operation) => Sharing::Commuting(operation),
            Sharing::Commuting(_) | Sharing::Shared => Sharing::Shared,
        };
        if now != *known {
            self.surprised = true;
            if let Sharing::Owned(owner) = std::mem::replace(known, now)
                && let Some(count) = self.owners.get_mut(&owner)
            {
                *count -= 1;
            }
        }
        let is_shared = now == Sharing::Shared;
        if is_shared {
            self.connect(key, access.agent);
        }
        is_shared
    }
}

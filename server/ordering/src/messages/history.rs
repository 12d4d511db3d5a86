//! The strong writes that reads may still see, in coherence order, for the exploration of all executions.
//!
//! A location has a message for each write. A thread cannot read a message if a later one was written or observed by something that happens
//! before (PTX ISA, Memory Consistency Model: Causality, Coherence), and a read-modify-write reads the message before its own (Atomicity). Weak
//! accesses that do not race see the last message only.

use crate::clock::{Agent, Clock};
use crate::load_buffering::buffering;
use crate::load_buffering::earlier_reads::ReadPlace;
use crate::load_buffering::read_values::ReadDependencies;
use crate::messages::observed_writes::{ChainedWrite, ObservedWrites};
use crate::release::LastWrite;
use crate::rules::SequentialFenceOrder;
use crate::{OrderRule, Races};
use isa::types::Sem;
use program::machine_program::{MachineAction, MachineProgram};
use program::memory::location::{LocationKey, RacedMemory};
use program::operand::OrderSpelling;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A write.
#[derive(Clone, Debug)]
pub struct Message {
    /// The value.
    pub value: u128,
    /// The event that has written it, if events are recorded.
    pub event: Option<usize>,
    /// The strong write; `None` for the value before the first of them.
    pub write: Option<LastWrite>,
    /// Whether it is the write of a read-modify-write, which read the message before.
    pub is_update: bool,
    /// The agents that have written or read it, with the first epoch in which they did.
    pub observers: Vec<(Agent, u32)>,
    /// The last writes of agents that its readers observe, if the location is followed: it, and those that it updates.
    pub writers: Vec<ChainedWrite>,
    /// The last writes of agents that are updates of it and changed nothing: who updates it, too, observes them.
    pub repeated_by: Vec<ChainedWrite>,
}

/// The messages of a location, in coherence order.
#[derive(Clone, Debug)]
pub struct LocationHistory {
    /// The size of its accesses in bytes.
    pub size: u32,
    /// The messages.
    pub messages: Vec<Message>,
}

/// Which messages are forgotten, of those that some thread may still read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryPruning {
    /// Updates that repeat earlier ones.
    #[default]
    Repeated,
    /// None.
    Nothing,
}

/// What is followed in more detail, because it was found to matter.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// The locations at which weak accesses meet strong writes.
    pub locations: BTreeSet<LocationKey>,
    /// The mbarriers, by the slot of their CTA and their offset, at which all orders of arrivals are explored.
    pub arrivals: BTreeSet<(usize, u32)>,
}

/// How a search follows histories.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchRules {
    /// What it forgets.
    pub pruning: HistoryPruning,
    /// The rule that is left out.
    pub without: Option<OrderRule>,
    /// Which orders of `fence.sc` it explores.
    pub fences: SequentialFenceOrder,
    /// Which states are visited once.
    pub symmetry: SymmetryRule,
    /// Which orders of the steps at mbarriers it explores.
    pub mbarriers: MbarrierOrders,
    /// Which branches that strong reads may decide about it follows.
    pub branches: FollowedBranches,
    /// The bound on states of the verification that the search is part of. Other bounds grow with it.
    pub states: usize,
}

/// Which branches of threads that strong reads may decide about are remembered, beside those on registers that have what was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowedBranches {
    /// None: each write that comes after the reads in the program may depend on them.
    #[default]
    None,
    /// All: a write in the first round of a loop does not depend on what decides about the second one. There are more states.
    All,
}

/// Which orders of the steps at mbarriers are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MbarrierOrders {
    /// One, where others lead to nothing else.
    #[default]
    One,
    /// All.
    All,
}

/// Which states are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SymmetryRule {
    /// Also those in which CTAs or threads have changed places.
    #[default]
    On,
    /// Only those in which each thread is where it was.
    Off,
}

/// The histories of all locations that strong accesses have written to.
pub type History = BTreeMap<LocationKey, LocationHistory>;

/// Whether an instruction is a volatile access.
pub fn is_volatile(action: &MachineAction) -> bool {
    action.memory().order().is_some_and(|order| order.spelling == OrderSpelling::Volatile)
}

impl Message {
    fn is_known(&self, agent: Agent, known: &Clock) -> bool {
        self.observers.iter().any(|(observer, epoch)| {
            *observer == agent
                || known.epochs(observer.warp).is_some_and(|epochs| epochs[observer.lane as usize] >= *epoch)
        })
    }

    /// Whether an agent has written or read it.
    pub fn is_observed_by(&self, agent: Agent) -> bool {
        self.observers.iter().any(|(known, _)| *known == agent)
    }

    /// Whether its readers get the value of a later message, and know no more than those of that one.
    pub fn says_no_more(&self, later: &Self) -> bool {
        let is_as_strong = match (&self.write, &later.write) {
            (None, _) => true,
            (Some(earlier), _) if earlier.releases.is_empty() => true,
            (Some(earlier), Some(later)) => {
                let reach = |write: &LastWrite| (write.position, write.scope);
                reach(earlier) == reach(later) && later.releases.includes(&earlier.releases)
            }
            (Some(_), None) => false,
        };
        self.value == later.value && is_as_strong
    }

    fn observe(&mut self, agent: Agent, epoch: u32) {
        if !self.observers.iter().any(|(known, _)| *known == agent) {
            self.observers.push((agent, epoch));
        }
    }
}

impl LocationHistory {
    /// The first message that an agent may read.
    pub fn first_readable(&self, agent: Agent, known: &Clock) -> usize {
        self.messages.iter().rposition(|message| message.is_known(agent, known)).unwrap_or(0)
    }

    /// The messages that a read of an agent may read.
    pub fn readable(&self, agent: Agent, known: &Clock) -> Vec<usize> {
        (self.first_readable(agent, known)..self.messages.len()).collect()
    }

    /// The messages that a read-modify-write of an agent may read: no other one updates them. A compare-and-swap that fails may read any.
    pub fn updatable(&self, agent: Agent, known: &Clock, compared: Option<u128>) -> Vec<usize> {
        let is_free = |at: &usize| {
            let fails = compared.is_some_and(|compared| self.messages[*at].value != compared);
            fails || self.messages.get(at + 1).is_none_or(|next| !next.is_update)
        };
        self.readable(agent, known).into_iter().filter(is_free).collect()
    }

    /// The messages after which a store of an agent may be in coherence order.
    pub fn predecessors(&self, agent: Agent, known: &Clock) -> Vec<usize> {
        self.updatable(agent, known, None)
    }
}

impl Races {
    /// Keeps the histories of locations from now on, and finds unordered volatile accesses of a program. Of some locations it follows who has
    /// observed what.
    pub fn keep_history(&mut self, program: &MachineProgram, followed: Followed, search: SearchRules) {
        self.history = Some(History::new());
        self.used.combined = None;
        (self.pruning, self.without, self.fence_order) = (search.pruning, search.without, search.fences);
        self.observed = ObservedWrites::of_locations(followed.locations);
        self.ordered_arrivals = Arc::new(followed.arrivals);
        self.program.add_volatile(program);
        self.reads.dependencies = ReadDependencies::of(&program.functions);
    }

    /// The histories, if they are kept.
    pub fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    /// Forgets the histories of a range but those of one location with this size; the last messages are in memory.
    pub fn erase_history(&mut self, region: RacedMemory, offset: usize, bytes: usize, kept: Option<(usize, u32)>) {
        const LARGEST: usize = 16;
        let Some(history) = &mut self.history else { return };
        let range = (region, offset.saturating_sub(LARGEST - 1))..(region, offset + bytes);
        let overlaps = |key: &LocationKey, location: &LocationHistory| key.1 + location.size as usize > offset;
        let is_kept = |key: &LocationKey, location: &LocationHistory| kept == Some((key.1, location.size));
        let gone: Vec<LocationKey> = history
            .range(range)
            .filter(|(key, location)| overlaps(key, location) && !is_kept(key, location))
            .map(|(key, _)| *key)
            .collect();
        for key in gone {
            history.remove(&key);
            self.log.unchained.insert(key);
            self.log.accesses.overwrite(key);
        }
    }

    /// Begins the history of a location with its value, if there is none.
    pub fn begin_history(&mut self, key: LocationKey, size: u32, value: u128) {
        self.erase_history(key.0, key.1, size as usize, Some((key.1, size)));
        let Some(history) = &mut self.history else { return };
        let recorder = self.recorder.as_ref();
        let base = || Message {
            value,
            event: recorder.and_then(|recorder| recorder.last_write(key, size)),
            write: None,
            is_update: false,
            observers: Vec::new(),
            writers: Vec::new(),
            repeated_by: Vec::new(),
        };
        history.entry(key).or_insert_with(|| LocationHistory { size, messages: vec![base()] });
        self.log.written_values.insert((key, value));
    }

    /// A strong read of a message.
    pub fn observe_message(
        &mut self,
        agent: Agent,
        read: ReadPlace,
        at: usize,
        (order, update): (crate::AccessOrder, program::memory::location::IsUpdate),
    ) {
        let key = read.location;
        let position = self.position(agent);
        let epoch = self.warp(agent.warp).epoch;
        let in_all_scopes = self.omits(OrderRule::ObservationScopes);
        buffering::note_writes_before(self, agent, key);
        let message = self.history.as_mut().and_then(|history| history.get_mut(&key)?.messages.get_mut(at));
        let Some(message) = message else { return };
        message.observe(agent, epoch);
        let is_strong = |write: &&LastWrite| in_all_scopes || write.is_morally_strong(position, order.scope);
        let write = message.write.as_ref().filter(is_strong);
        let releases = write.map(|write| write.releases.clone());
        if releases.is_some() && self.observed.follows(key) {
            let repeated: &[ChainedWrite] =
                if update == program::memory::location::IsUpdate::Yes { &message.repeated_by } else { &[] };
            self.observed.observe(key, &message.writers, agent, epoch);
            self.observed.observe(key, repeated, agent, epoch);
        }
        self.acquire_again(agent, key, order);
        if let Some(releases) = releases {
            self.acquire(agent, &releases, order, Some(key));
        }
        self.log.accesses.read(key, order.scope);
        buffering::add_read(self, agent, (order, update), read);
    }

    /// An asynchronous reduction updates a message of a location: no thread synchronizes with it, nor, through it, with who has written the message.
    pub fn add_reduced_message(&mut self, by: (Agent, u32), key: LocationKey, after: usize, value: u128) {
        self.log.written_values.insert((key, value));
        let event = self.recorder.as_ref().and_then(|recorder| recorder.last());
        let Some(location) = self.history.as_mut().and_then(|history| history.get_mut(&key)) else { return };
        if let Some(recorder) = &mut self.recorder {
            recorder.write(key, location.messages.get(after).and_then(|one| one.event));
        }
        let message = Message {
            value,
            event,
            write: None,
            is_update: true,
            observers: vec![by],
            writers: Vec::new(),
            repeated_by: Vec::new(),
        };
        location.messages.insert(after + 1, message);
    }

    /// A strong write after a message: the value, and whether it is an update of that message. Returns whether there is a new message.
    pub fn add_message(
        &mut self,
        agent: Agent,
        key: LocationKey,
        after: usize,
        order: crate::AccessOrder,
        (value, update): (u128, program::memory::location::IsUpdate),
    ) -> bool {
        let position = self.position(agent);
        let epoch = self.warp(agent.warp).epoch;
        let is_release = matches!(order.sem, Sem::Release | Sem::AcqRel);
        self.log.accesses.write(key, order.scope, update);
        buffering::write_behind_reads(self, agent, key, is_release.then_some(order.scope), update);
        self.log.written_values.insert((key, value));
        let mut releases = self.released(agent, order);
        let is_update = update == program::memory::location::IsUpdate::Yes;
        let is_followed = self.observed.follows(key);
        let passes_on = !self.omits(OrderRule::UpdatesAreObserved);
        let Some(location) = self.history.as_mut().and_then(|history| history.get_mut(&key)) else { return true };
        let previous = location.messages.get(after);
        let updates = |write: &LastWrite| is_update && passes_on && write.is_morally_strong(position, order.scope);
        let updated = previous.filter(|previous| previous.write.as_ref().is_some_and(updates));
        let mut writers: Vec<ChainedWrite> =
            updated.map(|one| one.writers.iter().chain(&one.repeated_by).copied().collect()).unwrap_or_default();
        let own = is_followed.then(|| self.observed.write(key, agent, epoch, &writers));
        for message in location.messages.iter_mut().filter(|_| is_followed) {
            message.writers.retain(|write| write.writer != agent);
            message.repeated_by.retain(|write| write.writer != agent);
        }
        if let Some(previous) = location.messages.get_mut(after).filter(|previous| is_update && previous.value == value)
        {
            // Nobody can tell an update that changes and releases nothing from the write that it read. Loops that poll by them would never end.
            let known = previous.write.as_ref().map(|write| &write.releases);
            if releases.is_empty() || known.is_some_and(|known| known.includes(&releases)) {
                previous.observe(agent, epoch);
                previous.repeated_by.extend(own);
                self.log.accesses.add_unordered(key, Some((agent.warp, agent.lane)), None);
                return false;
            }
        }
        if let Some(previous) = location.messages.get(after).and_then(|one| one.write.as_ref())
            && updates(previous)
        {
            releases.append(&mut previous.releases.clone());
        }
        // Writes of others may be between a release of the thread and this write.
        for earlier in location.messages.iter().filter_map(|one| one.write.as_ref()) {
            earlier.releases.of_thread(agent).for_each(|released| releases.add(released.clone()));
        }
        writers.retain(|write| write.writer != agent);
        writers.extend(own);
        let write = Some(LastWrite { position, scope: order.scope, releases });
        let observers = vec![(agent, epoch)];
        let event = self.recorder.as_ref().and_then(|recorder| recorder.last());
        if let Some(recorder) = &mut self.recorder {
            recorder.write(key, location.messages.get(after).and_then(|one| one.event));
        }
        let message = Message { value, event, write, is_update, observers, writers, repeated_by: Vec::new() };
        location.messages.insert(after + 1, message);
        true
    }
}

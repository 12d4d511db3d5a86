//! The strong writes that reads may still see, in coherence order, for the exploration of all executions.
//!
//! A location has a message for each write. A thread cannot read a message if a later one was written or observed by something that happens
//! before (PTX ISA, Memory Consistency Model: Causality, Coherence), and a read-modify-write reads the message before its own (Atomicity). Weak
//! accesses that do not race see the last message only.

use super::super::operand::OrderSpelling;
use super::super::program::{MachineAction, MachineProgram};
use super::clock::{Agent, Clock};
use super::observed::ObservedWrites;
use super::release::LastWrite;
use super::{LocationKey, RacedMemory, Races};
use isa::types::Sem;
use std::collections::{BTreeMap, BTreeSet};

/// The most updates of a round of a loop that has others behind it in a location's history.
const LONGEST_ROUND: usize = 4;

/// A write.
#[derive(Clone, Debug)]
pub struct Message {
    /// The value.
    pub value: u128,
    /// The strong write; `None` for the value before the first of them.
    pub write: Option<LastWrite>,
    /// Whether it is the write of a read-modify-write, which read the message before.
    pub is_update: bool,
    /// The agents that have written or read it, with the first epoch in which they did.
    pub observers: Vec<(Agent, u32)>,
    /// The agents whose last writes its readers observe, if the location is followed: its own, and those that it updates.
    pub writers: Vec<Agent>,
    /// The agents whose last writes are updates of it that changed nothing: who updates it, too, observes them.
    pub repeated_by: Vec<Agent>,
}

/// The messages of a location, in coherence order.
#[derive(Clone, Debug)]
pub struct LocationHistory {
    /// The size of its accesses in bytes.
    pub size: u32,
    /// The messages.
    pub messages: Vec<Message>,
}

/// The histories of all locations that strong accesses have written to.
pub type History = BTreeMap<LocationKey, LocationHistory>;

/// Whether an instruction is a volatile access.
fn is_volatile(action: &MachineAction) -> bool {
    let order = match action {
        MachineAction::Load(load) => load.order,
        MachineAction::Store(store) => store.order,
        _ => return false,
    };
    order.spelling == OrderSpelling::Volatile
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
    fn says_no_more(&self, later: &Self) -> bool {
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

    /// The first update that nobody needs to read: an earlier message has the same value and releases no more, and everybody who may read the
    /// update may read that one, too. No write can be behind either of its neighbours but in front of the next update.
    ///
    /// `begins` are the first messages that threads, and those who synchronize with what is remembered, may read. Without it, threads that
    /// update in vain, a reader that comes and goes while a writer holds the lock, would never come back to a state.
    pub fn repeated(&self, begins: &[usize]) -> Option<usize> {
        let updates = self.messages.windows(2).enumerate().filter(|(_, pair)| pair.iter().all(|one| one.is_update));
        updates.map(|(at, _)| at).find(|at| {
            // What is between the two is not known to anybody who has not seen more.
            let from = begins.iter().filter(|begin| **begin <= *at).max().copied().unwrap_or(0);
            self.messages[from..*at].iter().any(|earlier| earlier.says_no_more(&self.messages[*at]))
        })
    }

    /// Removes the updates that nobody needs to read; `begins` as in [`Self::repeated`].
    pub fn forget_repeated(&mut self, mut begins: Vec<usize>) {
        while let Some(at) = self.repeated(&begins) {
            self.messages.remove(at);
            begins.iter_mut().filter(|begin| **begin > at).for_each(|begin| *begin -= 1);
        }
    }

    /// Updates that repeat those before them, one by one, and that nobody needs to read: a thread that polls under a lock takes and frees it again
    /// and again. `begins` as in [`Self::repeated`], but without what the messages of this location tell: who reads one of the later updates in
    /// the original sees no more than who reads its counterpart.
    pub fn repeated_round(&self, begins: &[usize]) -> Option<std::ops::Range<usize>> {
        let count = self.messages.len();
        let is_round = |from: usize, length: usize| {
            let (earlier, later) = (&self.messages[from - length..from], &self.messages[from..from + length]);
            let are_updates = self.messages[from - length + 1..=from + length].iter().all(|one| one.is_update);
            let is_inside = |begin: &usize| (from - length + 1..from + length).contains(begin);
            are_updates
                && earlier.iter().zip(later).all(|(one, other)| one.says_no_more(other))
                && !begins.iter().any(is_inside)
        };
        let lengths = 2..=LONGEST_ROUND.min(count / 2);
        lengths.into_iter().find_map(|length| {
            (length..count.saturating_sub(length)).find(|from| is_round(*from, length)).map(|from| from..from + length)
        })
    }

    /// Removes the rounds that nobody needs to read; `begins` as in [`Self::repeated_round`].
    pub fn forget_rounds(&mut self, mut begins: Vec<usize>) {
        while let Some(round) = self.repeated_round(&begins) {
            let length = round.len();
            begins.iter_mut().filter(|begin| **begin >= round.end).for_each(|begin| *begin -= length);
            self.messages.drain(round);
        }
    }

    /// The messages behind which a store of an agent may be in coherence order.
    pub fn predecessors(&self, agent: Agent, known: &Clock) -> Vec<usize> {
        self.updatable(agent, known, None)
    }
}

impl Races {
    /// Keeps the histories of locations from now on, and finds unordered volatile accesses of a program. Of some locations it follows who has
    /// observed what.
    pub fn keep_history(&mut self, program: &MachineProgram, followed: BTreeSet<LocationKey>) {
        self.history = Some(History::new());
        self.observed = ObservedWrites::of_locations(followed);
        let code = program.functions.iter().flat_map(|function| &function.code);
        self.volatile = code.map(|instruction| is_volatile(&instruction.action)).collect();
    }

    /// The locations that should be followed, as weak accesses meet strong writes there.
    pub fn take_missing(&mut self) -> BTreeSet<LocationKey> {
        self.observed.take_missing()
    }

    /// The histories, if they are kept.
    pub fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    /// What happens before the next access of a thread.
    pub fn known(&mut self, agent: Agent) -> Clock {
        self.warp(agent.warp).threads[agent.lane as usize].known.clone()
    }

    /// Forgets the histories of a range but those of one location with this size; the last messages are in memory.
    pub fn forget_history(&mut self, region: RacedMemory, offset: usize, bytes: usize, kept: Option<(usize, u32)>) {
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
        }
    }

    /// Begins the history of a location with its value, if there is none.
    pub fn begin_history(&mut self, key: LocationKey, size: u32, value: u128) {
        self.forget_history(key.0, key.1, size as usize, Some((key.1, size)));
        let Some(history) = &mut self.history else { return };
        let base = || Message {
            value,
            write: None,
            is_update: false,
            observers: Vec::new(),
            writers: Vec::new(),
            repeated_by: Vec::new(),
        };
        history.entry(key).or_insert_with(|| LocationHistory { size, messages: vec![base()] });
    }

    /// A strong read of a message.
    pub fn observe_message(
        &mut self,
        agent: Agent,
        key: LocationKey,
        at: usize,
        (order, update): (super::AccessOrder, super::IsUpdate),
    ) {
        let position = self.position(agent);
        let epoch = self.warp(agent.warp).epoch;
        let message = self.history.as_mut().and_then(|history| history.get_mut(&key)?.messages.get_mut(at));
        let Some(message) = message else { return };
        message.observe(agent, epoch);
        let acquires = matches!(order.sem, Sem::Acquire | Sem::AcqRel);
        let write = message.write.as_ref().filter(|write| write.is_morally_strong(position, order.scope));
        let releases = write.map(|write| write.releases.clone());
        if releases.is_some() && self.observed.follows(key) {
            let repeated: &[Agent] = if update == super::IsUpdate::Yes { &message.repeated_by } else { &[] };
            self.observed.observe(key, &message.writers, agent, epoch);
            self.observed.observe(key, repeated, agent, epoch);
        }
        if let Some(releases) = releases {
            self.acquire(agent, &releases, order);
        }
        self.add_read(agent, key, acquires.then_some(order.scope));
    }

    /// A strong write behind a message: the value, and whether it is an update of that message. Returns whether there is a new message.
    pub fn add_message(
        &mut self,
        agent: Agent,
        key: LocationKey,
        after: usize,
        order: super::AccessOrder,
        (value, update): (u128, super::IsUpdate),
    ) -> bool {
        let position = self.position(agent);
        let epoch = self.warp(agent.warp).epoch;
        let is_release = matches!(order.sem, Sem::Release | Sem::AcqRel);
        self.write_behind_reads(agent, key, is_release.then_some(order.scope), update);
        let mut releases = self.released(agent, order);
        let is_update = update == super::IsUpdate::Yes;
        let is_followed = self.observed.follows(key);
        self.observed.forget(key, agent);
        let Some(location) = self.history.as_mut().and_then(|history| history.get_mut(&key)) else { return true };
        for message in location.messages.iter_mut().filter(|_| is_followed) {
            message.writers.retain(|writer| *writer != agent);
            message.repeated_by.retain(|writer| *writer != agent);
        }
        if let Some(previous) = location.messages.get_mut(after).filter(|previous| is_update && previous.value == value)
        {
            // Nobody can tell an update that changes and releases nothing from the write that it read. Loops that poll by them would never end.
            let known = previous.write.as_ref().map(|write| &write.releases);
            if releases.is_empty() || known.is_some_and(|known| known.includes(&releases)) {
                previous.observe(agent, epoch);
                previous.repeated_by.extend(is_followed.then_some(agent));
                return false;
            }
        }
        let mut writers = Vec::new();
        if let Some((message, previous)) = location.messages.get(after).and_then(|one| Some((one, one.write.as_ref()?)))
        {
            let mut observed = previous.releases.clone();
            if is_update && previous.is_morally_strong(position, order.scope) {
                writers.extend(message.writers.iter().chain(&message.repeated_by));
            } else {
                observed.keep_of_thread(agent);
            }
            releases.append(&mut observed);
        }
        writers.extend(is_followed.then_some(agent));
        let write = Some(LastWrite { position, scope: order.scope, releases });
        let observers = vec![(agent, epoch)];
        let message = Message { value, write, is_update, observers, writers, repeated_by: Vec::new() };
        location.messages.insert(after + 1, message);
        true
    }
}

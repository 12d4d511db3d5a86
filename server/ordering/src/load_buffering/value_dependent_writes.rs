//! Writes that depend on the value of a read: if the read had another value, the write might not happen, or might be elsewhere. A thread that would
//! then read something else has no dependency that shows it.
//!
//! [`crate::load_buffering::buffering`] records, in executions without load buffering, which strong writes come after which strong reads. In an execution with load
//! buffering, a read has a value that it has in none of these. There are two cases:
//!
//! - A later write depends on that value. Then the dependency is recorded.
//! - The value decides whether an earlier write happens, and a later read sees that write or misses it. The read is one of the same thread, or of a thread
//!   that has waited for it. No dependency is recorded, and the read may lead to a strong write that no recorded execution has.
//!
//! If a read of the second kind is found, load buffering is not ruled out.

use crate::clock::{Agent, Clock};
use crate::equivalence::thread_permutation::ThreadPermutation;
use crate::load_buffering::deciders::Deciders;
use crate::load_buffering::earlier_reads::{BarrierThreads, ThreadKey};
use crate::load_buffering::value_dependent_branches;
use crate::load_buffering::value_dependent_orders::ValueDependentOrders;
use crate::{CheckedAccess, Races};
use isa::types::Scope;
use program::memory::location::RacedMemory;
use program::problem::{CodePlace, MachineAccessKind};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The writes of a program that strong reads may decide about.
#[derive(Clone, Debug, Default)]
pub struct ValueDependentWrites {
    /// What decides about the writes of each instruction.
    pub deciders: BTreeMap<CodePlace, Deciders>,
    /// Where threads go on after each instruction.
    pub ways: BTreeMap<CodePlace, InstructionWays>,
    /// The instructions that may write strongly.
    pub strong_writes: BTreeSet<CodePlace>,
    /// The exchanges whose results nobody uses, so that they write the same whatever they read.
    pub unread: BTreeSet<CodePlace>,
    /// The fences and barriers that strong reads may decide about.
    pub orders: ValueDependentOrders,
    /// The instructions of the kernel whose guards have one value in each thread.
    pub constant_guards: BTreeSet<u32>,
    /// Whether strong reads may decide about arrivals at mbarriers, and a thread goes on whether the phase is over or not.
    pub has_arrivals: bool,
    /// The branches and calls whose targets strong reads may decide about, with these reads. `None` if the search does not follow which of them threads
    /// reach.
    pub branches: Option<BTreeMap<CodePlace, BTreeSet<CodePlace>>>,
}

/// Where a thread goes on after an instruction.
#[derive(Clone, Debug, Default)]
pub struct InstructionWays {
    /// The next instructions in the same function.
    pub next: Vec<CodePlace>,
    /// Whether a strong read may decide which of them is next.
    pub is_decided: bool,
    /// Whether the instruction is a target of a branch that no strong read decides about.
    pub is_after_branch: bool,
}

impl InstructionWays {
    /// Whether there are several next instructions, and no strong read decides which one follows.
    pub fn is_open(&self) -> bool {
        self.next.len() > 1 && !self.is_decided
    }
}

/// A thread by its number in its CTA, and an instruction.
pub type ThreadPlace = (u32, CodePlace);

impl ValueDependentWrites {
    /// The reads that may decide about hidden writes of a thread. A write is hidden if the thread executes it to `memory` in an execution with load
    /// buffering only. It then breaks a chain of updates in `scope`. `written` is the memory to which the thread has executed an instruction in the explored
    /// executions, `is_branch_target` whether a branch has led it to an instruction.
    pub fn hidden(
        &self,
        (memory, scope): (&BTreeSet<RacedMemory>, Scope),
        written: &dyn Fn(CodePlace) -> BTreeSet<RacedMemory>,
        (is_branch_target, is_guarded): (&dyn Fn(CodePlace) -> bool, &dyn Fn(CodePlace) -> bool),
    ) -> BTreeSet<CodePlace> {
        let reachable = self.reachable(is_branch_target);
        let may_execute = |place: CodePlace| place.function != 0 || reachable.contains(&place);
        let mut hidden = BTreeSet::new();
        let breaks_chain = |deciders: &Deciders| deciders.updates_in.is_none_or(|updated| updated < scope);
        for (place, deciders) in self.deciders.iter().filter(|(place, one)| may_execute(**place) && breaks_chain(one)) {
            let written = written(*place);
            if written.is_empty() && is_guarded(*place) {
                // Its guard is false in each execution.
            } else if written.is_empty() {
                hidden.extend(&deciders.reads);
            } else if deciders.may_be_in_other_memory || !written.is_disjoint(memory) {
                hidden.extend(&deciders.addressing);
            }
        }
        hidden
    }

    /// The instructions of the kernel that a thread may reach. If no strong read decides about a branch, it leads where it has led the thread, or
    /// anywhere if the thread has never reached it.
    fn reachable(&self, is_branch_target: &dyn Fn(CodePlace) -> bool) -> BTreeSet<CodePlace> {
        let (mut open, mut seen) = (vec![CodePlace { function: 0, instruction: 0 }], BTreeSet::new());
        while let Some(at) = open.pop() {
            let Some(ways) = self.ways.get(&at).filter(|_| seen.insert(at)) else { continue };
            let is_known = ways.is_open() && ways.next.iter().any(|next| is_branch_target(*next));
            open.extend(ways.next.iter().filter(|next| !is_known || is_branch_target(**next)));
        }
        seen
    }

    /// Whether a thread may write strongly with an instruction, or after it. If no strong read decides about a branch, it leads where it has led a thread
    /// of the same number. A guard of one value in all threads of a number is one that was false for one of them.
    pub fn may_write_after(
        &self,
        (thread, first): ThreadPlace,
        branch_targets: &BTreeSet<ThreadPlace>,
        guarded: &BTreeSet<ThreadPlace>,
    ) -> bool {
        // The caller goes on after the function returns.
        let is_called = first.function != 0;
        let (mut open, mut seen) = (vec![first], BTreeSet::new());
        while let Some(at) = open.pop() {
            if self.strong_writes.contains(&at) && !guarded.contains(&(thread, at)) {
                return true;
            }
            let Some(ways) = self.ways.get(&at).filter(|_| seen.insert(at)) else { continue };
            let has_led = |next: &&CodePlace| !ways.is_open() || branch_targets.contains(&(thread, **next));
            open.extend(ways.next.iter().filter(has_led));
        }
        is_called && !self.strong_writes.is_empty()
    }
}

/// Writes of threads that strong reads may have decided about.
#[derive(Clone, Debug, Default)]
pub struct ValueDependentWriteLog {
    table: Arc<ValueDependentWrites>,
    writes: BTreeSet<ValueDependentWrite>,
    /// The reads that may have decided about branches of each thread.
    pub branched: BTreeMap<ThreadKey, BTreeSet<CodePlace>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ValueDependentWrite {
    thread: ThreadKey,
    place: CodePlace,
    /// The memory, its first byte and the number of bytes, if they are known.
    memory: Option<(RacedMemory, usize, usize)>,
    /// The epoch of the write.
    epoch: u32,
    spread: Spread,
}

/// The threads that may know of a write without a dependency on the reads that decided about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Spread {
    /// None: a branch on these reads decides about all that the thread does next.
    Nobody,
    /// The threads that synchronize with a later release of its thread. A thread that has only read the write depends on it.
    Later,
    /// Threads of its CTA that have waited for its thread.
    Cta,
    /// Threads of other CTAs, too.
    All,
}

impl ValueDependentWrite {
    fn overlaps(&self, access: &CheckedAccess) -> bool {
        self.memory.is_none_or(|(region, offset, bytes)| {
            region == access.region && offset < access.offset + access.bytes && access.offset < offset + bytes
        })
    }

    fn is_in(&self, access: &CheckedAccess) -> bool {
        self.memory.is_some_and(|(region, offset, bytes)| {
            region == access.region && access.offset <= offset && offset + bytes <= access.offset + access.bytes
        })
    }

    fn agent(&self) -> Agent {
        Agent { warp: self.thread.0, lane: self.thread.1 }
    }
}

impl ValueDependentWriteLog {
    /// The writes of the program that strong reads may decide about.
    pub const fn table(&self) -> &Arc<ValueDependentWrites> {
        &self.table
    }
}

/// Follows the writes of a program that strong reads may decide about.
pub fn follow_value_dependent_writes(races: &mut Races, table: Arc<ValueDependentWrites>) {
    races.reads.decided.table = table;
}

/// Notes an access of a thread to memory.
pub fn note_value_dependent(races: &mut Races, agent: Agent, access: &CheckedAccess) {
    if races.reads.decided.table.deciders.is_empty() {
        return;
    }
    let thread = (agent.warp, agent.lane);
    if races.reads.decided.table.deciders.contains_key(&access.place) {
        races.log.value_dependent_writes.insert((thread, access.place, access.region));
    }
    if access.kind != MachineAccessKind::Write && !races.reads.decided.table.unread.contains(&access.place) {
        miss_value_dependent(races, agent, access);
    }
    if access.kind == MachineAccessKind::Read {
        return;
    }
    if access.scope.is_some() {
        tell_later(races, agent);
        spread_value_dependent(races, agent, Spread::All);
    }
    races.reads.decided.writes.retain(|write| write.thread != thread || !write.is_in(access));
    if races.reads.decided.table.deciders.contains_key(&access.place) {
        add_value_dependent(races, agent, access.place, Some((access.region, access.offset, access.bytes)));
    }
}

/// Notes an instruction of a thread, which may begin an asynchronous write.
pub fn note_value_dependent_instruction(races: &mut Races, agent: Agent, place: CodePlace) {
    let table = races.reads.decided.table.clone();
    if table.deciders.is_empty() {
        return;
    }
    if table.ways.get(&place).is_some_and(|ways| ways.is_after_branch) {
        let number = races.thread(agent).1;
        races.log.branch_targets.insert((number, place));
        races.log.branch_targets_by_thread.insert(((agent.warp, agent.lane), place));
    }
    if table.deciders.get(&place).is_some_and(|deciders| deciders.is_asynchronous) {
        add_value_dependent(races, agent, place, None);
    }
    value_dependent_branches::note_value_dependent_branch(races, agent, place);
}

fn add_value_dependent(races: &mut Races, agent: Agent, place: CodePlace, memory: Option<(RacedMemory, usize, usize)>) {
    let table = races.reads.decided.table.clone();
    let Some(deciders) = table.deciders.get(&place).filter(|_| !races.reads.earlier.is_empty()) else { return };
    let thread = (agent.warp, agent.lane);
    let reads = value_dependent_branches::deciding(races, agent, deciders);
    let spread = if deciders.may_be_of_others || memory.is_none() {
        Spread::All
    } else if reads.is_empty() {
        return;
    } else if has_undecided(races, agent, &reads) {
        Spread::Later
    } else {
        Spread::Nobody
    };
    let epoch = races.warp(agent.warp).epoch;
    races.reads.decided.writes.insert(ValueDependentWrite { thread, place, memory, epoch, spread });
}

/// Whether a thread has executed one of `reads`, and no branch on it decides about what the thread does next.
fn has_undecided(races: &Races, agent: Agent, reads: &BTreeSet<CodePlace>) -> bool {
    let own = races.reads.earlier.get(&(agent.warp, agent.lane));
    let mut places = own.into_iter().flatten().filter_map(|read| read.place);
    places.any(|place| reads.contains(&place))
}

/// Notes a release of a thread. It tells others of the thread's earlier writes, and would do so without one of them, unless a branch on the reads that
/// decided about that write also decides about the release.
pub fn tell_later(races: &mut Races, agent: Agent) {
    let thread = (agent.warp, agent.lane);
    let is_own = |write: &&ValueDependentWrite| write.thread == thread && write.spread == Spread::Later;
    let own: Vec<ValueDependentWrite> = races.reads.decided.writes.iter().filter(is_own).copied().collect();
    for write in own {
        let deciders = races.reads.decided.table.deciders.get(&write.place);
        let is_told = deciders.is_some_and(|deciders| has_undecided(races, agent, &deciders.reads));
        races.reads.decided.writes.remove(&write);
        let spread = if is_told { Spread::All } else { Spread::Nobody };
        races.reads.decided.writes.insert(ValueDependentWrite { spread, ..write });
    }
}

/// Notes that the threads of its CTA, or all threads, may wait for a thread.
pub fn pass_value_dependent(races: &mut Races, agent: Agent, threads: Option<BarrierThreads>) {
    if races.reads.decided.writes.is_empty() {
        return;
    }
    tell_later(races, agent);
    let to = if threads.is_some() { Spread::Cta } else { Spread::All };
    let thread = (agent.warp, agent.lane);
    change_spread(races, |write| write.thread == thread, to);
    spread_value_dependent(races, agent, to);
}

/// Notes that a thread may pass on what it knows of other threads of its CTA.
fn spread_value_dependent(races: &mut Races, agent: Agent, to: Spread) {
    let thread = (agent.warp, agent.lane);
    let cta = races.thread(agent).0;
    let of_cta = races.numbers.of_cta;
    let is_told = |write: &ValueDependentWrite| {
        write.spread == Spread::Cta && write.thread != thread && (write.thread.0 / of_cta) as usize == cta
    };
    change_spread(races, is_told, to);
}

fn change_spread(races: &mut Races, is_one: impl Fn(&ValueDependentWrite) -> bool, to: Spread) {
    let is_changed = |write: &&ValueDependentWrite| write.spread < to && is_one(write);
    let changed: Vec<ValueDependentWrite> = races.reads.decided.writes.iter().filter(is_changed).copied().collect();
    for write in changed {
        races.reads.decided.writes.remove(&write);
        races.reads.decided.writes.insert(ValueDependentWrite { spread: to, ..write });
    }
}

/// Notes a read of a thread, if a write to this memory might be missing, so that the thread might do something else.
fn miss_value_dependent(races: &mut Races, agent: Agent, access: &CheckedAccess) {
    if races.reads.decided.writes.is_empty() {
        return;
    }
    let known = races.known(agent);
    let missable = |write: &ValueDependentWrite| write.overlaps(access) && may_be_missed(races, agent, &known, write);
    if races.reads.decided.writes.iter().any(missable) {
        let number = races.thread(agent).1;
        races.log.missable.insert((number, access.place));
    }
}

fn may_be_missed(races: &Races, reader: Agent, known: &Clock, write: &ValueDependentWrite) -> bool {
    let Some(deciders) = races.reads.decided.table.deciders.get(&write.place) else { return false };
    if write.agent() != reader {
        let is_near = races.thread(write.agent()).0 == races.thread(reader).0;
        let is_told = write.spread == Spread::All || write.spread == Spread::Cta && is_near;
        return is_told && known.has_epoch(write.agent(), write.epoch);
    }
    // A branch decides about all that its thread does afterwards, so a read that decides by branches alone is a dependency.
    let may_be_of_others = deciders.may_be_of_others && !deciders.redirecting.is_empty();
    let thread = (reader.warp, reader.lane);
    has_undecided(races, reader, &deciders.redirecting)
        || may_be_of_others && races.reads.passed.keys().any(|other| *other != thread)
}

/// The narrowest scope that includes all threads.
pub const fn scope_of_all(races: &Races) -> Scope {
    races.numbers.widest()
}

/// The threads and epochs of the writes, in the order in which they are added to a hash.
pub fn sorted_decided_epochs(races: &Races, permutation: &ThreadPermutation) -> Vec<(Agent, u32)> {
    sorted_decided(races, permutation).into_iter().map(|(_, agent, epoch)| (agent, epoch)).collect()
}

/// Adds the writes to a hash.
pub fn hash_value_dependent(races: &Races, permutation: &ThreadPermutation, hash: &mut impl Hasher) {
    sorted_decided(races, permutation).into_iter().for_each(|(name, ..)| name.hash(hash));
}

/// The writes by their names, each with its thread and epoch.
fn sorted_decided(races: &Races, permutation: &ThreadPermutation) -> Vec<(impl Hash + use<>, Agent, u32)> {
    let named = |write: &ValueDependentWrite| {
        let agent = permutation.agent(write.agent());
        let memory = write.memory.map(|(region, offset, bytes)| (permutation.region(region), offset, bytes));
        (((agent.warp, agent.lane), memory, write.place, write.spread), write.agent(), write.epoch)
    };
    let mut writes: Vec<_> = races.reads.decided.writes.iter().map(named).collect();
    writes.sort_unstable_by_key(|(name, ..)| *name);
    writes
}

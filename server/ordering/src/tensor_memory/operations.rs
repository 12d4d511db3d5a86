//! The order of operations on tensor memory (PTX ISA: memory consistency model of `tcgen05`).
//!
//! They are asynchronous, so program order alone orders none of them. Two are ordered if the first one has ended before the second begins, which a commit and
//! a wait for its mbarrier tell, or `tcgen05.wait`; or if they are a pair that is executed in the order of its issue, and program order or a synchronization
//! orders the issues. `docs/explanation/asynchronous-operations.md` derives this, and says which fences a synchronization needs.

use crate::Races;
use crate::agent::CopyAgent;
use crate::clock::{Agent, Clock};
use crate::tensor_memory::tensor_operation::{TensorAccess, TensorOperation, TensorOperationKind, conflict};
use program::lanes::lanes_of;
use program::problem::CodePlace;
use program::tensor::tensor_instruction::AwaitedTiles;
use program::tensor::tensor_mistake::TensorRaceCause;
use program::tensor::tensor_region::TensorRole;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A race with an earlier operation, or one that only a fence is missing against.
#[derive(Clone, Debug)]
pub struct TensorRace {
    /// The first thread of the earlier operation.
    pub earlier: Agent,
    /// Its instruction.
    pub place: CodePlace,
    /// What it does.
    pub earlier_role: TensorRole,
    /// What the new one does.
    pub role: TensorRole,
    /// The address.
    pub address: u32,
    /// Why.
    pub cause: TensorRaceCause,
}

/// An operation that later ones may race with.
#[derive(Clone, Debug)]
pub struct IssuedOperation {
    /// It.
    pub operation: TensorOperation,
    /// Its number among those of its thread, or of its warp.
    number: u32,
    /// The epoch of its thread.
    epoch: u32,
    /// The ends of operations that are executed after it, in a fixed order: the first one for each agent, and those of operations that later ones
    /// may race with.
    followers: Vec<OperationEnd>,
}

/// The end of an operation: who sees it, and its number.
type OperationEnd = (Agent, u32);

impl IssuedOperation {
    fn fenced(&self) -> Agent {
        let kind = if self.operation.is_of_warp() { CopyAgent::FencedTiles } else { CopyAgent::FencedOperations };
        self.operation.issuer().copying(kind)
    }

    fn end(&self) -> OperationEnd {
        (self.operation.end(), self.number)
    }

    fn has_ended(&self, clock: &Clock) -> bool {
        std::iter::once(&self.end()).chain(&self.followers).any(|(end, number)| clock.has_come_to(*end, *number))
    }

    /// Whether it changes what is allocated in the CTA of a slot, or can be.
    fn is_allocation_in(&self, slot: usize) -> bool {
        self.operation.kind == TensorOperationKind::Allocation
            && self.operation.accesses.iter().any(|access| access.slot == slot)
    }

    /// Whether program order or a synchronization orders a later operation after its issue.
    fn is_issued_before(&self, later: &TensorOperation, known: &Clock) -> bool {
        self.is_own(later) || self.known_to(known)[0]
    }

    /// Whether program order orders a later operation after its issue.
    const fn is_own(&self, later: &TensorOperation) -> bool {
        self.operation.agent.warp == later.agent.warp && self.operation.lanes & later.lanes != 0
    }

    /// What a clock knows of it: whether it was issued, whether a fence follows it, and whether it has ended.
    pub fn known_to(&self, clock: &Clock) -> [bool; 3] {
        [
            lanes_of(self.operation.lanes)
                .any(|lane| clock.has_come_to(Agent { lane: lane as u32, ..self.operation.agent }, self.epoch)),
            clock.has_come_to(self.fenced(), self.number),
            self.has_ended(clock),
        ]
    }

    /// Adds what is executed after it to a hash.
    pub fn hash_followers(&self, all: &[Self], hash: &mut impl Hasher) {
        for (agent, number) in &self.followers {
            (agent, all.iter().position(|one| one.end() == (*agent, *number))).hash(hash);
        }
    }

    /// Whether it is executed before one of some operations.
    fn is_followed_by_any(&self, ends: &[OperationEnd]) -> bool {
        self.followers.iter().any(|end| ends.contains(end))
    }

    /// Why a new operation is not ordered after it, if it is not.
    fn disorder(
        &self,
        (own, later, access): (&TensorAccess, &TensorOperation, &TensorAccess),
        LaterKnowledge { known, acquired, preceding }: &LaterKnowledge,
    ) -> Option<TensorRaceCause> {
        let is_own = self.is_own(later);
        let [is_issued, is_fenced, has_ended] = self.known_to(known);
        let is_pipelined = self.operation.is_pipelined(own, later, access) || self.is_followed_by_any(preceding);
        if !is_own && !is_issued && !is_fenced && !has_ended {
            return Some(TensorRaceCause::NotOrdered);
        }
        if !has_ended && !is_pipelined {
            return Some(TensorRaceCause::NotAwaited(self.operation.completion()));
        }
        // A wait of the same thread is no synchronization with another one, and what frees memory is not asynchronous.
        let needs_none = is_own && (is_pipelined || self.operation.is_of_warp());
        let [_, is_fenced, has_ended] = self.known_to(acquired);
        let has_fences = is_fenced || has_ended && !self.operation.is_of_warp();
        let is_free = later.kind == TensorOperationKind::Free;
        (!needs_none && !is_free && !has_fences).then_some(TensorRaceCause::NotFenced)
    }

    /// Whether it accesses what a new operation does.
    fn meets(&self, later: &TensorOperation) -> bool {
        let mut pairs = self.operation.accesses.iter().flat_map(|own| later.accesses.iter().map(move |new| (own, new)));
        pairs.any(|(own, new)| conflict(own, new))
    }

    /// Whether it accesses what a new operation does, and is executed before it if that does not race.
    fn precedes(&self, later: &TensorOperation) -> bool {
        let mut pairs = self.operation.accesses.iter().flat_map(|own| later.accesses.iter().map(move |new| (own, new)));
        pairs.any(|(own, new)| conflict(own, new) && self.operation.is_pipelined(own, later, new))
    }

    /// Whether whatever has to be ordered after it has to be ordered after a later operation, which then is.
    fn is_covered_by(&self, later: &TensorOperation) -> bool {
        let one = &self.operation;
        (one.agent, one.lanes, &one.kind, &one.accesses) == (later.agent, later.lanes, &later.kind, &later.accesses)
    }
}

/// What is known when an operation begins.
struct LaterKnowledge {
    /// What happens before it.
    known: Clock,
    /// What the last fences of its threads have acquired.
    acquired: Clock,
    /// The ends of the operations that are executed before it by the order of their issue.
    preceding: Vec<OperationEnd>,
}

/// The operations on tensor memory of a run.
#[derive(Clone, Debug, Default)]
pub struct TensorOperations {
    /// Those that later ones may race with, in a fixed order.
    pub issued: Vec<IssuedOperation>,
    counts: BTreeMap<Agent, u32>,
}

impl TensorOperations {
    fn count(&self, agent: Agent) -> u32 {
        self.counts.get(&agent).copied().unwrap_or(0)
    }
}

/// Checks an operation on tensor memory, and remembers it. Returns what it races with, the worst for each earlier instruction.
pub fn begin_tensor_operation(races: &mut Races, operation: TensorOperation) -> Vec<TensorRace> {
    let epoch = races.warp(operation.agent.warp).epoch;
    let knowledge = knowledge_of(races, &operation);
    let mut racing: Vec<TensorRace> = Vec::new();
    for issued in &races.tensors.issued {
        if issued.operation.kind == TensorOperationKind::Allocation {
            let is_ordered = !issued.meets(&operation) || issued.is_issued_before(&operation, &knowledge.known);
            if !is_ordered {
                races.log.left_out.unordered_allocations.insert(operation.place);
            }
            continue;
        }
        let found = issued.races_with(&operation, &knowledge);
        racing.extend(found.max_by_key(|race| race.cause));
    }
    if operation.kind == TensorOperationKind::Free {
        prune_tensor_operations(races, &operation, &knowledge.known);
        return racing;
    }
    let count = races.tensors.counts.entry(counter(operation.issuer(), operation.is_of_warp())).or_default();
    *count += 1;
    let follower = (operation.end(), *count);
    let issued = &mut races.tensors.issued;
    let preceding = &knowledge.preceding;
    for known in issued.iter_mut() {
        if preceding.contains(&known.end()) || known.is_followed_by_any(preceding) {
            known.followers.push(follower);
            known.followers.sort_unstable();
        }
    }
    issued.retain(|known| !known.is_covered_by(&operation));
    let at = issued.partition_point(|known| known.operation < operation);
    issued.insert(at, IssuedOperation { operation, number: follower.1, epoch, followers: Vec::new() });
    let ends: Vec<OperationEnd> = issued.iter().map(IssuedOperation::end).collect();
    for known in issued {
        let mut last = None;
        known.followers.retain(|end| last.replace(end.0) != Some(end.0) || ends.contains(end));
    }
    racing
}

/// A warp changes what is allocated in the CTA of a slot.
pub fn change_allocations(races: &mut Races, change: TensorOperation, slot: usize) {
    let epoch = races.warp(change.agent.warp).epoch;
    let known = knowledge_of(races, &change).known;
    let issued = &mut races.tensors.issued;
    let mut earlier = issued.iter().filter(|one| one.is_allocation_in(slot));
    if earlier.any(|one| !one.is_issued_before(&change, &known)) {
        races.log.left_out.unordered_allocations.insert(change.place);
    }
    // What has allocated nothing matters only for the next change, which has to be ordered after this one.
    let has_columns = |one: &IssuedOperation| one.operation.accesses.iter().any(|one| one.region.lanes() != 0);
    issued.retain(|one| !one.is_allocation_in(slot) || has_columns(one));
    let at = issued.partition_point(|known| known.operation < change);
    issued.insert(at, IssuedOperation { operation: change, number: u32::MAX, epoch, followers: Vec::new() });
}

fn knowledge_of(races: &mut Races, operation: &TensorOperation) -> LaterKnowledge {
    let (mut known, mut acquired) = (Clock::default(), Clock::default());
    let warp = races.warp(operation.agent.warp);
    for lane in lanes_of(operation.lanes) {
        known.join(warp.known(lane));
        if let Some((_, own)) = warp.fences(lane).fenced_tensors() {
            acquired.join(own);
        }
    }
    let preceding = races.tensors.issued.iter().filter(|known| known.precedes(operation));
    LaterKnowledge { known, acquired, preceding: preceding.map(IssuedOperation::end).collect() }
}

/// The tensor memory of a CTA is gone.
pub fn end_tensor_memory(races: &mut Races, slot: usize) {
    for known in &mut races.tensors.issued {
        known.operation.accesses.retain(|access| access.slot != slot);
    }
    races.tensors.issued.retain(|known| !known.operation.accesses.is_empty());
}

/// Later operations can only be on memory that was allocated again. A load that has not ended then may read what they write.
fn prune_tensor_operations(races: &mut Races, free: &TensorOperation, clock: &Clock) {
    let is_freed = |access: &TensorAccess| {
        free.accesses.iter().any(|freed| freed.slot == access.slot && freed.region.meets(&access.region))
    };
    let is_over = |known: &IssuedOperation| known.operation.kind != TensorOperationKind::Load || known.has_ended(clock);
    for known in races.tensors.issued.iter_mut().filter(|known| is_over(known)) {
        known.operation.accesses.retain(|access| !is_freed(access));
    }
    races.tensors.issued.retain(|known| !known.operation.accesses.is_empty());
}

/// A fence of tensor memory before a synchronization, in some lanes.
pub fn fence_tensors_before(races: &mut Races, warp: u32, lanes: u32) {
    let of_warp = races.tensors.count(counter(Agent { warp, lane: 0 }, true));
    for lane in lanes_of(lanes) {
        let agent = Agent { warp, lane: lane as u32 };
        let own = races.tensors.count(counter(agent, false));
        let thread = races.warp(warp).thread(lane);
        thread.known.raise(agent.copying(CopyAgent::FencedOperations), own);
        thread.known.raise(Agent { warp, lane: 0 }.copying(CopyAgent::FencedTiles), of_warp);
        thread.release_tensors();
    }
}

/// A fence of tensor memory after a synchronization, in some lanes.
pub fn fence_tensors_after(races: &mut Races, warp: u32, lanes: u32) {
    let threads = races.warp(warp);
    lanes_of(lanes).for_each(|lane| threads.thread(lane).acquire_tensors());
}

/// Lanes of a warp have waited for its loads or stores.
pub fn await_tiles(races: &mut Races, warp: u32, lanes: u32, tiles: AwaitedTiles) {
    let leader = Agent { warp, lane: 0 };
    let count = races.tensors.count(counter(leader, true));
    let ended = leader.copying(match tiles {
        AwaitedTiles::Loads => CopyAgent::TensorLoads,
        AwaitedTiles::Stores => CopyAgent::TensorStores,
    });
    let threads = races.warp(warp);
    lanes_of(lanes).for_each(|lane| threads.thread(lane).known.raise(ended, count));
}

/// Adds to the clock of a commit that all earlier operations of its thread have ended.
pub fn commit_tensors(races: &Races, thread: Agent, clock: &mut Clock) {
    let count = races.tensors.count(counter(thread, false));
    clock.raise(thread.copying(CopyAgent::TensorOperations), count);
    clock.raise(thread.copying(CopyAgent::FencedOperations), count);
}

/// One lane of a warp is about to write for all what each of them may have accessed before.
pub fn precede_in_warp(races: &mut Races, warp: u32, lanes: u32, writer: u32) {
    let threads = races.warp(warp);
    let epoch = threads.epoch;
    for lane in lanes_of(lanes & !(1 << writer)) {
        threads.thread(writer as usize).known.raise(Agent { warp, lane: lane as u32 }, epoch);
    }
    threads.epoch += 1;
}

/// Lanes of a warp see in program order what one of them has written for all.
pub fn share_in_warp(races: &mut Races, warp: u32, lanes: u32, writer: u32) {
    let threads = races.warp(warp);
    let epoch = threads.epoch;
    for lane in lanes_of(lanes & !(1 << writer)) {
        threads.thread(lane).known.raise(Agent { warp, lane: writer }, epoch);
    }
    threads.epoch += 1;
}

impl IssuedOperation {
    fn races_with<'o>(
        &'o self,
        later: &'o TensorOperation,
        knowledge: &'o LaterKnowledge,
    ) -> impl Iterator<Item = TensorRace> + 'o {
        let pairs = self.operation.accesses.iter().flat_map(|own| later.accesses.iter().map(move |new| (own, new)));
        let conflicting = pairs.filter(|(own, new)| conflict(own, new));
        conflicting.filter_map(move |(own, new)| {
            let cause = self.disorder((own, later, new), knowledge)?;
            let (earlier, place) = (self.operation.agent, self.operation.place);
            let address = new.region.address().max(own.region.address());
            Some(TensorRace { earlier, place, earlier_role: own.role, role: new.role, address, cause })
        })
    }
}

/// The agent by which operations of a thread, or of a warp, are counted.
const fn counter(issuer: Agent, of_warp: bool) -> Agent {
    issuer.copying(if of_warp { CopyAgent::FencedTiles } else { CopyAgent::FencedOperations })
}

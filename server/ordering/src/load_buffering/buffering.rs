//! Load buffering: executions in which threads read what others write after their own reads.
//!
//! They are not explored. Here is recorded what they would need: which strong writes come after which strong reads, in the order of a thread or by
//! a barrier, and whether the write depends on the read. [`crate::load_buffering::load_cycles`] decides whether such pairs can form a cycle.

use crate::clock::Agent;
use crate::load_buffering::earlier_reads::{
    AcquiredReads, BarrierThreads, EarlierRead, PassedOrder, PassedReads, ReadInfluence, ReadPattern, ReadPlace,
    ReadThenWrite, ThreadKey, ValueDependentOrder,
};
use crate::load_buffering::load_cycles::{BufferedLoads, cycles};
use crate::load_buffering::value_dependent_writes;
use crate::messages::strong_accesses::StrongAccesses;
use crate::{AccessOrder, Races};
use isa::types::{Scope, Sem};
use program::fence::{FenceSemantics, OrderedMemory};
use program::memory::location::{IsUpdate, LocationKey};
use program::operand::OrderSpelling;
use program::problem::CodePlace;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A strong read, and whether a write of the same instruction follows.
pub fn add_read(races: &mut Races, agent: Agent, (order, update): (AccessOrder, IsUpdate), read: ReadPlace) {
    let location = read.location;
    let reader = (agent.warp, agent.lane);
    let pattern = match order.spelling {
        OrderSpelling::Reduction => ReadPattern::None,
        OrderSpelling::Order | OrderSpelling::Volatile => ReadPattern::Acquire,
    };
    let acquires = pattern == ReadPattern::Acquire && matches!(order.sem, Sem::Acquire | Sem::AcqRel);
    let acquired = acquires.then_some(order.scope);
    let influence = ReadInfluence::Value(read);
    if acquired.is_some() {
        races.log.acquired_at.insert(location);
    }
    let (released, released_at, barrier, decided) = (None, None, None, None);
    let place = Some(read.place);
    let read = EarlierRead {
        reader,
        place,
        location,
        pattern,
        update,
        acquired,
        released,
        released_at,
        barrier,
        influence,
        decided,
    };
    races.reads.earlier.entry(reader).or_default().insert(read);
}

/// A thread reads a location strongly: notes which writes do not happen before.
pub fn note_writes_before(races: &mut Races, agent: Agent, key: LocationKey) {
    let known = races.known(agent);
    let location = races.history.as_ref().and_then(|history| history.get(&key));
    for message in location.into_iter().flat_map(|location| &location.messages).filter(|one| one.write.is_some()) {
        let Some((writer, epoch)) = message.observers.first() else { continue };
        if *writer != agent && !known.has_epoch(*writer, *epoch) {
            let threads = [*writer, agent].map(|agent| Some((agent.warp, agent.lane)));
            races.log.accesses.add_unordered(key, threads[0], threads[1]);
        }
    }
}

/// A thread writes to a location strongly: that does not happen before reads that have been executed.
fn note_readers_before(races: &mut Races, agent: Agent, key: LocationKey) {
    let writer = (agent.warp, agent.lane);
    let others = races.reads.earlier.iter().filter(|(reader, _)| **reader != writer);
    for (reader, _) in others.filter(|(_, reads)| reads.iter().any(|read| read.location == key)) {
        races.log.accesses.add_unordered(key, Some(writer), Some(*reader));
    }
}

/// Whether something computed from reads of a thread may matter.
pub fn has_read_values(races: &Races, agent: Agent) -> bool {
    let reads = races.reads.earlier.get(&(agent.warp, agent.lane));
    reads.is_some_and(|reads| reads.iter().any(|read| matches!(read.influence, ReadInfluence::Value(_))))
}

/// A thread executes an instruction again that has read a location before: what is computed from that is not followed any more.
pub fn forget_value(races: &mut Races, agent: Agent, read: ReadPlace) {
    change_reads(races, agent, |earlier| match earlier.influence {
        ReadInfluence::Value(value) if value == read => EarlierRead { influence: ReadInfluence::Unknown, ..*earlier },
        _ => *earlier,
    });
}

/// A thread executes a branch that depends on reads.
pub fn branch_on(races: &mut Races, agent: Agent, values: &BTreeSet<ReadPlace>) {
    change_reads(races, agent, |read| match read.influence {
        ReadInfluence::Value(value) if values.contains(&value) => read.controlling(),
        _ => *read,
    });
}

fn change_reads(races: &mut Races, agent: Agent, change: impl Fn(&EarlierRead) -> EarlierRead) {
    let Some(reads) = races.reads.earlier.get_mut(&(agent.warp, agent.lane)) else { return };
    if reads.iter().any(|read| change(read) != *read) {
        *reads = reads.iter().map(change).collect();
    }
}

/// A strong write, with the scope in which it releases.
pub fn write_behind_reads(
    races: &mut Races,
    agent: Agent,
    written: LocationKey,
    released: Option<Scope>,
    update: IsUpdate,
) {
    let writer = (agent.warp, agent.lane);
    note_readers_before(races, agent, written);
    let (sources, updating) = (races.reads.dependencies.sources(agent), races.reads.dependencies.updating(agent));
    let is_own = |source: &ReadPlace| Some(source.place) == updating && source.location == written;
    if update == IsUpdate::No || !sources.iter().any(is_own) {
        races.log.unchained.insert(written);
    }
    let (orders, place) = (&races.reads.decided.table().orders, races.reads.dependencies.current(agent));
    let depends = |read: &EarlierRead| match read.influence {
        ReadInfluence::Controls => true,
        ReadInfluence::Value(value) => sources.contains(&value),
        ReadInfluence::Unknown => false,
    };
    let own = races.reads.earlier.get(&writer);
    let is_open = |read: &EarlierRead| read.may_acquire() && !depends(read);
    let own_open = own.into_iter().flatten().filter(|read| is_open(read)).count();
    let open = own_open + usize::from(own.is_some() && knows_acquiring_reads(races, writer));
    for read in own.into_iter().flatten() {
        let is_own = matches!(read.influence, ReadInfluence::Value(value) if Some(value.place) == updating);
        let update = if is_own && read.location == written { update } else { IsUpdate::No };
        let others = open - usize::from(is_open(read));
        let acquired = if others > 0 { AcquiredReads::Unknown } else { AcquiredReads::Control };
        let released_there = read.released_at.filter(|(location, _)| *location == written).map(|(_, scope)| scope);
        let influence = if depends(read) { read.controlling() } else { read.of_unknown_influence() };
        let read = influence.before_write(place, orders);
        let read = EarlierRead { released: read.released.max(released).max(released_there), ..read };
        let order = PassedOrder::HappensBefore;
        races.log.reads_then_writes.insert(ReadThenWrite { writer, read, written, update, order, acquired });
    }
    release_at(races, agent, written, released);
    write_behind_others(races, agent, written, |fenced| released.max(fenced));
}

/// Whether others that a thread may have waited for have acquired something by reads.
fn knows_acquiring_reads(races: &Races, thread: ThreadKey) -> bool {
    let others = races.reads.passed.iter().filter(|(reader, _)| **reader != thread);
    let mut reads = others.flat_map(|(_, passed)| passed.iter().flat_map(|one| one.reads.iter()));
    reads.any(EarlierRead::may_acquire)
}

/// A strong write of a thread may have released what it has read: so do its later writes to the location, unless the write may be missing.
fn release_at(races: &mut Races, agent: Agent, written: LocationKey, released: Option<Scope>) {
    let Some(scope) = released else { return };
    let table = races.reads.decided.table().clone();
    if races.reads.dependencies.current(agent).is_some_and(|place| !table.deciders.contains_key(&place)) {
        change_reads(races, agent, |read| EarlierRead { released_at: Some((written, scope)), ..*read });
    }
}

/// A thread begins an asynchronous reduction, which writes strongly to some locations. No release of the thread is known to order it.
pub fn reduce_behind_reads(races: &mut Races, agent: Agent, written: &[LocationKey]) {
    let writer = (agent.warp, agent.lane);
    let reads: Vec<EarlierRead> = races.reads.earlier.get(&writer).into_iter().flatten().copied().collect();
    let table = races.reads.decided.table().clone();
    let orders = &table.orders;
    for written in written.iter().copied() {
        for read in &reads {
            let influence = match read.influence {
                ReadInfluence::Controls => ReadInfluence::Controls,
                ReadInfluence::Value(_) | ReadInfluence::Unknown => ReadInfluence::Unknown,
            };
            let read = EarlierRead { released: None, influence, ..read.before_write(None, orders) };
            let (update, order, acquired) = (IsUpdate::No, PassedOrder::HappensBefore, AcquiredReads::Unknown);
            races.log.reads_then_writes.insert(ReadThenWrite { writer, read, written, update, order, acquired });
        }
        write_behind_others(races, agent, written, |_| None);
        races.log.reduced_at.insert(written);
        races.log.unchained.insert(written);
        races.log.accesses.reduce(written);
    }
}

/// The same for reads of other threads that happen before by a barrier.
fn write_behind_others(
    races: &mut Races,
    agent: Agent,
    written: LocationKey,
    released: impl Fn(Option<Scope>) -> Option<Scope>,
) {
    if races.reads.passed.is_empty() {
        return;
    }
    let writer = (agent.warp, agent.lane);
    let warp = races.warp(agent.warp);
    let thread = warp.thread(agent.lane as usize);
    let known = thread.known.clone();
    let fences: Vec<_> = thread.released().iter().map(|(scope, at)| (*scope, at.clock(agent))).collect();
    // Its fences may be those that another execution is without.
    let orders = &races.reads.decided.table().orders;
    let is_fenced = races.reads.dependencies.current(agent).is_none_or(|place| !orders.uncovered.contains(&place));
    for (reader, passed) in races.reads.passed.iter().filter(|(reader, _)| **reader != writer) {
        let reading = Agent { warp: reader.0, lane: reader.1 };
        let is_known = |passed: &&PassedReads| known.has_epoch(reading, passed.epoch);
        let is_near = reader.0 == agent.warp || races.program.waits_between_warps;
        let is_executed = |passed: &&PassedReads| is_near && passed.order == PassedOrder::Executed;
        for read in passed.iter().filter(|passed| is_executed(passed) && !is_known(passed)) {
            for read in read.reads.iter() {
                let read = EarlierRead { acquired: None, released: None, ..read.of_unknown_influence() };
                let read = EarlierRead { barrier: None, ..read.before_write(None, orders) };
                let (update, order, acquired) = (IsUpdate::No, PassedOrder::Executed, AcquiredReads::Unknown);
                races.log.reads_then_writes.insert(ReadThenWrite { writer, read, written, update, order, acquired });
            }
        }
        let Some(last) = passed.iter().rev().find(is_known) else { continue };
        let is_after = |(_, clock): &&(Scope, crate::Clock)| clock.has_epoch(reading, last.epoch);
        let fenced = fences.iter().filter(|_| is_fenced).filter(is_after).map(|(scope, _)| *scope).max();
        for read in last.reads.iter() {
            let read = read.of_unknown_influence().before_write(None, orders);
            let read = EarlierRead { released: released(fenced), barrier: None, ..read };
            let (update, order, acquired) = (IsUpdate::No, PassedOrder::HappensBefore, AcquiredReads::Unknown);
            races.log.reads_then_writes.insert(ReadThenWrite { writer, read, written, update, order, acquired });
        }
    }
}

/// A fence of a thread.
pub fn order_reads(races: &mut Races, agent: Agent, fence: FenceSemantics) {
    if fence.is_sequential {
        value_dependent_writes::tell_later(races, agent);
    }
    if fence.acquires {
        let reads = races.reads.earlier.get(&(agent.warp, agent.lane)).into_iter().flatten();
        let acquired = reads.filter(|read| read.pattern == ReadPattern::Acquire);
        races.log.acquired_at.extend(acquired.map(|read| read.location));
    }
    if fence.memory != OrderedMemory::All {
        // What it does not order may be what is written.
        return;
    }
    let acquired = fence.acquires.then_some(fence.scope);
    let released = fence.releases.then_some(fence.scope);
    order_earlier(races, agent, |read, place| ValueDependentOrder {
        place,
        acquired: acquired.filter(|_| read.pattern == ReadPattern::Acquire),
        released,
        barrier: None,
    });
}

/// A thread arrives at a barrier or the like; `threads` if it waits there at once for all of those.
pub fn pass_reads(races: &mut Races, agent: Agent, threads: Option<BarrierThreads>) {
    value_dependent_writes::pass_value_dependent(races, agent, threads);
    keep_passed_reads(races, agent, threads);
}

/// The same at a fence, which nobody has to wait for.
pub fn keep_passed_reads(races: &mut Races, agent: Agent, threads: Option<BarrierThreads>) {
    let thread = (agent.warp, agent.lane);
    let Some(reads) = races.reads.earlier.get(&thread).filter(|reads| !reads.is_empty()) else { return };
    let reads = reads.clone();
    let epoch = races.warp(agent.warp).epoch;
    let passed = races.reads.passed.entry(thread).or_default();
    if passed.last().is_none_or(|last| *last.reads != reads) {
        passed.push(PassedReads { epoch, reads: Arc::new(reads), order: PassedOrder::HappensBefore });
    }
    order_earlier(races, agent, |_, place| ValueDependentOrder {
        place,
        acquired: None,
        released: None,
        barrier: threads,
    });
}

/// The current instruction of a thread orders its reads.
fn order_earlier(
    races: &mut Races,
    agent: Agent,
    order: impl Fn(&EarlierRead, Option<CodePlace>) -> ValueDependentOrder,
) {
    let (table, place) = (races.reads.decided.table().clone(), races.reads.dependencies.current(agent));
    change_reads(races, agent, |read| read.ordered_by(order(read, place), &table.orders));
}

/// A thread and others wait for each other without an order of memory: what they do next is executed after its reads, and after those of
/// which it knows. Who the others are is not remembered: any thread of its warp, or of all warps if these wait for each other, too.
pub fn pass_executed(races: &mut Races, agent: Agent) {
    pass_reads(races, agent, None);
    if races.reads.passed.is_empty() {
        return;
    }
    let (thread, known) = ((agent.warp, agent.lane), races.known(agent));
    order_by_execution(races, |reader, epoch| (reader.warp, reader.lane) == thread || known.has_epoch(reader, epoch));
}

/// Some reads, by their threads and epochs, are executed before what others do next.
pub fn order_by_execution(races: &mut Races, is_executed: impl Fn(Agent, u32) -> bool) {
    for ((warp, lane), passed) in &mut races.reads.passed {
        let reader = Agent { warp: *warp, lane: *lane };
        for reads in passed.iter_mut().filter(|reads| is_executed(reader, reads.epoch)) {
            reads.order = PassedOrder::Executed;
        }
    }
}

/// The reads through which cycles of pairs of several threads go that are no contradictions; not known if the search for them is cancelled.
pub fn buffered_reads(
    races: &Races,
    pairs: &BTreeSet<ReadThenWrite>,
    accesses: &StrongAccesses,
    cancelled: &dyn Fn() -> bool,
) -> BufferedLoads {
    cycles(pairs, accesses, &|thread| races.position(Agent { warp: thread.0, lane: thread.1 }), cancelled)
}

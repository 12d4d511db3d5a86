//! Asynchronous reductions: strong updates, which end at any time after they have begun and before somebody has waited for them.

use crate::Operation;
use crate::machine::copies::asynchronous::element_value;
use crate::machine::copies::asynchronous::{GroupAction, GroupWait, MemoryRange, PendingCopy};
use crate::machine::explorer::choices::commutative_updates::has_any_order;
use crate::machine::explorer::choices::message_choices::{ChosenMessages, Recency, combinations};
use crate::machine::explorer::choices::sharing::{SharedLocations, SharingAccess};
use crate::machine::explorer::choices::transition::Transition;
use crate::machine::ordering::load_buffering::buffering;
use crate::machine::ordering::{Agent, CopyAgent, LocationKey, RacedMemory};
use crate::machine::state::Machine;
use crate::machine::threads::executor::Executor;
use isa::types::Op;
use std::ops::Range;

/// Adds the ends of copies that others can notice to the steps that are possible now.
pub(in crate::machine::explorer) fn ends_of_copies(
    machine: &mut Machine<'_>,
    transitions: &mut Vec<Transition>,
    shared: &mut SharedLocations,
) {
    for at in 0..machine.copies.len() {
        let is_noticed = machine.copies[at].notifies_mbarrier();
        let chosen = match machine.copies[at].reduction {
            Some(operation) => updated_messages(machine, at, operation, shared),
            None => None,
        };
        match chosen {
            Some(all) => transitions.extend(all.into_iter().map(|chosen| Transition::EndCopy(at, chosen))),
            None if is_noticed => {
                let chosen = ChosenMessages { indices: Vec::new(), recency: Recency::Latest };
                transitions.push(Transition::EndCopy(at, chosen));
            }
            None => {}
        }
    }
}

/// The messages that the elements of a reduction under way can update, if it matters.
fn updated_messages(
    machine: &mut Machine<'_>,
    at: usize,
    operation: Operation,
    shared: &mut SharedLocations,
) -> Option<Vec<ChosenMessages>> {
    if !is_visible_reduction(machine, &machine.copies[at].clone(), operation, shared) {
        return None;
    }
    let element = operation.shape().bytes();
    let mut choices = Vec::new();
    for (key, _) in reduced_elements(machine, &machine.copies[at], element) {
        let value = machine.region_mut(key.0).load_wide(key.1, element);
        machine.races.begin_history(key, element, value);
        let location = machine.races.history().and_then(|history| history.get(&key));
        // Two reductions of a thread have no order.
        let known = &machine.copies[at].begin.clock;
        choices.push(location.map(|location| location.updatable(Agent::NOBODY, known, None)).unwrap_or_default());
    }
    Some(combinations(choices, shared))
}

/// Whether it matters when a reduction ends.
fn is_visible_reduction(
    machine: &Machine<'_>,
    copy: &PendingCopy,
    operation: Operation,
    shared: &mut SharedLocations,
) -> bool {
    let thread = copy.begin.agent;
    // Each instruction of each thread is on its own.
    let agent = Agent { lane: copy.place.instruction * 32 + thread.lane, ..thread.copying(CopyAgent::BulkWrites) };
    // Which order sums of floating point have is not explored as long as there is nothing else.
    let is_sum = operation.op() == Op::Add;
    let counts = (is_sum || has_any_order(operation)).then_some(operation);
    let access = SharingAccess { agent, may_wait: false, commuting: counts, counts };
    let elements = reduced_elements(machine, copy, operation.shape().bytes());
    let mut is_visible = false;
    for (key, _) in elements {
        if shared.is_visible(key, access) {
            shared.connect(key, thread);
            is_visible = true;
        }
    }
    is_visible
}

/// The locations of the elements that a copy writes, and their bytes in its data.
fn reduced_elements(machine: &Machine<'_>, copy: &PendingCopy, element: u32) -> Vec<(LocationKey, Range<usize>)> {
    let mut elements = Vec::new();
    for part in copy.part.parts(copy.length) {
        let place = match copy.destination {
            MemoryRange::Global(address) => machine
                .memory
                .find(address + part.to as u64, part.length as u64, 0)
                .map(|place| (RacedMemory::Global(place.allocation), place.offset)),
            MemoryRange::Shared(slot, offset) => Some((RacedMemory::Shared(slot), offset as usize + part.to)),
        };
        let Some((region, offset)) = place else { continue };
        let numbers = 0..part.length / element as usize;
        let bytes = numbers.map(|number| number * element as usize);
        elements.extend(bytes.map(|at| ((region, offset + at), part.from + at..part.from + at + element as usize)));
    }
    elements
}

/// A reduction begins: its writes come after the reads of its thread.
pub fn note_reduction(machine: &mut Machine<'_>, copy: &PendingCopy) {
    let Some(operation) = copy.reduction.filter(|_| machine.races.history().is_some()) else { return };
    let elements = reduced_elements(machine, copy, operation.shape().bytes());
    let written: Vec<LocationKey> = elements.into_iter().map(|(key, _)| key).collect();
    buffering::reduce_behind_reads(&mut machine.races, copy.begin.agent, &written);
}

/// A reduction ends: its elements update the chosen messages.
pub fn reduce_messages(
    machine: &mut Machine<'_>,
    copy: &PendingCopy,
    by: (Agent, u32),
    bytes: &[u8],
    operation: Operation,
) {
    let element = operation.shape().bytes();
    for (number, (key, data)) in reduced_elements(machine, copy, element).into_iter().enumerate() {
        let b = element_value(&bytes[data]);
        let location = machine.races.history().and_then(|history| history.get(&key));
        let Some(location) = location.filter(|location| location.size == element) else {
            machine.races.erase_history(key.0, key.1, element as usize, None);
            let memory = machine.region_mut(key.0);
            let new = operation.apply(memory.load_wide(key.1, element), b, 0);
            memory.store_wide(key.1, element, new);
            continue;
        };
        let chosen = machine.explored.chosen_messages.get(number).copied();
        let at = chosen.unwrap_or(location.messages.len() - 1);
        let new = operation.apply(location.messages[at].value, b, 0);
        machine.races.add_reduced_message(by, key, at, new);
        machine.write_last_message(key);
    }
}

/// Whether a lane waits for a reduction whose end others can notice.
pub(in crate::machine::explorer) fn waits_for_reduction(
    executor: &mut Executor<'_, '_>,
    GroupWait { kind, action }: GroupWait,
    lane: usize,
    shared: &mut SharedLocations,
) -> bool {
    let current = executor.warp.group_numbers(lane).current(kind);
    let before = match action {
        GroupAction::Wait(under_way) => current.saturating_sub(under_way.into()),
        GroupAction::WaitAll => current + 1,
        GroupAction::Commit | GroupAction::WaitRead(_) => return false,
    };
    let thread = executor.thread(lane);
    let covered = |copy: &&PendingCopy| copy.is_in_group(thread, kind, before);
    let copies: Vec<PendingCopy> = executor.machine.copies.iter().filter(covered).cloned().collect();
    copies.iter().any(|copy| {
        copy.reduction.is_some_and(|operation| is_visible_reduction(executor.machine, copy, operation, shared))
    })
}

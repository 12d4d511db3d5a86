//! Asynchronous reductions: strong updates, which end at any time after they have begun and before somebody has waited for them.

use crate::choices::commutative_updates::has_any_order;
use crate::choices::message_choices::{ChosenMessages, Recency, combinations};
use crate::choices::sharing::{SharedLocations, SharingAccess};
use crate::choices::transition::Transition;
use isa::types::Op;
use machine::copies::pending_copy::PendingCopy;
use machine::exploration::chosen_reductions::reduced_elements;
use machine::state::Machine;
use machine::threads::executor::Executor;
use ordering::{Agent, CopyAgent};
use program::copies::async_copy::{GroupAction, GroupWait};
use values::Operation;

/// Adds the ends of copies that others can notice to the steps that are possible now.
pub fn ends_of_copies(machine: &mut Machine<'_>, transitions: &mut Vec<Transition>, shared: &mut SharedLocations) {
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

/// Whether a lane waits for a reduction whose end others can notice.
pub fn waits_for_reduction(
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

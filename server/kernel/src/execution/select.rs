//! Which events of an execution are shown.

use ordering::{EventAction, ExecutionEdge, ExecutionRecord};
use std::collections::BTreeSet;

/// The most events.
const MOST_EVENTS: usize = 40;

/// The events that are shown.
pub(super) struct SelectedEvents {
    /// Their indices, ascending.
    pub events: Vec<usize>,
    /// How many of those that matter are left out, and of those that are not recorded any more.
    pub left_out: usize,
}

/// The events that threads can notice: accesses to memory that they share, and what orders them. Of many the last ones, and those that are needed:
/// of a race and its cause. What follows a race is not defined.
pub(super) fn selected(record: &ExecutionRecord, race: Option<[usize; 2]>, needed: &BTreeSet<usize>) -> SelectedEvents {
    let is_of_two = |edge: &&ExecutionEdge| record.events[edge.from].thread != record.events[edge.to].thread;
    let related: BTreeSet<usize> =
        record.edges.iter().filter(is_of_two).flat_map(|edge| [edge.from, edge.to]).collect();
    let matters = |at: &usize| match &record.events[*at].action {
        EventAction::Access(access) => access.is_shared,
        EventAction::Fence | EventAction::Barrier => true,
        EventAction::Mbarrier | EventAction::Wait => related.contains(at),
    };
    let end = race.map_or(record.events.len(), |[_, last]| last + 1);
    let mut events: Vec<usize> = (0..end).filter(|at| matters(at) || needed.contains(at)).collect();
    let hidden = events.len().saturating_sub(MOST_EVENTS);
    let first = events.get(hidden).copied().unwrap_or_default();
    events.retain(|at| *at >= first || needed.contains(at));
    SelectedEvents { events, left_out: record.forgotten + hidden }
}

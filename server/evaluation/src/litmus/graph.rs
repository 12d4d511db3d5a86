//! The graph of an execution: columns of events, and the relations between them as edges.

use super::test::Test;
use memory_model::{Execution, Relation};

/// An edge of the graph.
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) name: &'static str,
    pub(super) colour: &'static str,
    pub(super) bold: bool,
}

/// The edges of the graph, without those that follow by transitivity.
pub(super) fn edges(execution: &Execution, cycle: &[(usize, &'static str, usize)]) -> Vec<Edge> {
    let in_cycle = |from, to, name| cycle.iter().any(|(a, n, b)| (*a, *n, *b) == (from, name, to));
    let direct = |relation: &Relation| {
        let through = relation.then(relation);
        relation.filter(|a, b| !through.contains(a, b))
    };
    let relations = [
        ("po", "#888888", direct(&execution.program_order)),
        ("rf", "#c0392b", execution.reads_from.clone()),
        ("co", "#2471a3", direct(&execution.coherence_order)),
        ("fr", "#d68910", execution.from_reads.filter(|a, b| !execution.read_modify_write.contains(a, b))),
        ("sync", "#1e8449", execution.synchronizes_with.filter(|a, b| !execution.fence_sc_order.contains(a, b))),
        ("sc", "#7d3c98", direct(&execution.fence_sc_order)),
    ];
    let mut all = Vec::new();
    for (name, colour, relation) in relations {
        for (from, to) in relation.edges() {
            all.push(Edge { from, to, name, colour, bold: in_cycle(from, to, name) });
        }
    }
    for (from, name, to) in cycle {
        if !all.iter().any(|edge| (edge.from, edge.name, edge.to) == (*from, *name, *to)) {
            all.push(Edge { from: *from, to: *to, name, colour: "#117a65", bold: true });
        }
    }
    all
}

/// The columns: initial values, then each thread, with their events from top to bottom.
pub(super) fn columns(test: &Test, execution: &Execution) -> Vec<(String, Vec<usize>)> {
    let of = |thread: Option<usize>| {
        (0..execution.events.len()).filter(|at| execution.events[*at].thread == thread).collect()
    };
    let threads = test.program.threads.iter().enumerate().map(|(at, thread)| {
        let place = thread.place;
        (format!("{} @ cta {}, gpu {}", thread.name, place.cta, place.gpu), of(Some(at)))
    });
    std::iter::once(("initial values".to_owned(), of(None))).chain(threads).collect()
}

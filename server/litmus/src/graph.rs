//! The graph of an execution: columns of events, and the relations between them as edges.

use crate::report::{event_label, event_text};
use crate::test::Test;
use kernel::graph::{Edge, Graph, GraphColumn, GraphEvent, colour};
use memory_model::{Execution, Relation};

/// The graph of an execution. The edges of `cycle` are emphasised.
pub fn graph(source: &str, test: &Test, execution: &Execution, cycle: &[(usize, &'static str, usize)]) -> Graph {
    let event = |(row, number): (usize, usize)| GraphEvent {
        number,
        row,
        label: event_label(source, test, execution, number),
        text: event_text(source, test, execution, number),
    };
    let columns = columns(test, execution)
        .into_iter()
        .map(|(name, events)| GraphColumn { name, events: events.into_iter().enumerate().map(event).collect() });
    Graph {
        name: test.name.clone(),
        columns: columns.collect(),
        edges: edges(execution, cycle),
        events: execution.events.len(),
    }
}

/// The edges of the graph, without those that follow by transitivity.
fn edges(execution: &Execution, cycle: &[(usize, &'static str, usize)]) -> Vec<Edge> {
    let in_cycle = |from, to, name| cycle.iter().any(|(a, n, b)| (*a, *n, *b) == (from, name, to));
    let direct = |relation: &Relation| {
        let through = relation.then(relation);
        relation.filter(|a, b| !through.contains(a, b))
    };
    let relations = [
        ("po", direct(&execution.program_order)),
        ("rf", execution.reads_from.clone()),
        ("co", direct(&execution.coherence_order)),
        ("fr", execution.from_reads.filter(|a, b| !execution.read_modify_write.contains(a, b))),
        ("sync", execution.synchronizes_with.filter(|a, b| !execution.fence_sc_order.contains(a, b))),
        ("sc", direct(&execution.fence_sc_order)),
    ];
    let mut all = Vec::new();
    for (name, relation) in relations {
        for (from, to) in relation.edges() {
            all.push(Edge { from, to, name, colour: colour(name), bold: in_cycle(from, to, name) });
        }
    }
    for (from, name, to) in cycle {
        if !all.iter().any(|edge| (edge.from, edge.name, edge.to) == (*from, *name, *to)) {
            all.push(Edge { from: *from, to: *to, name, colour: colour(""), bold: true });
        }
    }
    all
}

/// The columns: initial values, then each thread, with their events from top to bottom.
fn columns(test: &Test, execution: &Execution) -> Vec<(String, Vec<usize>)> {
    let of = |thread: Option<usize>| {
        (0..execution.events.len()).filter(|at| execution.events[*at].thread == thread).collect()
    };
    let threads = test.program.threads.iter().enumerate().map(|(at, thread)| {
        let place = thread.place;
        (format!("{} @ cta {}, gpu {}", thread.name, place.cta, place.gpu), of(Some(at)))
    });
    std::iter::once(("initial values".to_owned(), of(None))).chain(threads).collect()
}

//! The axioms of the model. Each is a function that returns the edges of a violation, if there is one.

use crate::relations::event::EventKind;
use crate::relations::execution::Execution;
use crate::relations::relation::Relation;

/// An axiom of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axiom {
    /// Coherence order includes causality order between writes to the same memory.
    Coherence,
    /// Fence-SC order does not contradict causality order.
    FenceSc,
    /// No morally strong write comes between the read and the write of an atomic.
    Atomicity,
    /// No value depends on itself.
    NoThinAir,
    /// Morally strong operations on one location are sequentially consistent.
    ScPerLocation,
    /// A read does not observe a write that is causally after it, or overwritten by a causally earlier write.
    Causality,
}

/// All axioms, in the order of the PTX ISA.
pub const AXIOMS: [Axiom; 6] =
    [Axiom::Coherence, Axiom::FenceSc, Axiom::Atomicity, Axiom::NoThinAir, Axiom::ScPerLocation, Axiom::Causality];

/// An axiom that an execution violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The violated axiom.
    pub axiom: Axiom,
    /// A path of edges that shows the violation: source, name of the relation, target. It is a cycle, except for atomicity.
    pub edges: Vec<(usize, &'static str, usize)>,
}

impl Axiom {
    /// The name of the axiom.
    pub fn name(self) -> &'static str {
        match self {
            Axiom::Coherence => "Coherence",
            Axiom::FenceSc => "FenceSC",
            Axiom::Atomicity => "Atomicity",
            Axiom::NoThinAir => "NoThinAir",
            Axiom::ScPerLocation => "ScPerLocation",
            Axiom::Causality => "Causality",
        }
    }

    /// The rule that the axiom states, without a full stop.
    pub fn summary(self) -> &'static str {
        match self {
            Axiom::Coherence => "coherence order must follow causality order between writes to the same location",
            Axiom::FenceSc => "fence-SC order must not contradict causality order",
            Axiom::Atomicity => "no morally strong write may come between the read and the write of an atomic",
            Axiom::NoThinAir => "no value may depend on itself",
            Axiom::ScPerLocation => "morally strong operations on one location must be sequentially consistent",
            Axiom::Causality => {
                "a read may not observe a write that is causally after it, nor one that a causally earlier write has overwritten"
            }
        }
    }

    /// The violation of the axiom by an execution, if any.
    pub fn violated(self, execution: &Execution) -> Option<Violation> {
        let edges = match self {
            Axiom::Coherence => coherence(execution),
            Axiom::FenceSc => fence_sc(execution),
            Axiom::Atomicity => atomicity(execution),
            Axiom::NoThinAir => no_thin_air(execution),
            Axiom::ScPerLocation => sc_per_location(execution),
            Axiom::Causality => causality(execution),
        };
        edges.map(|edges| Violation { axiom: self, edges })
    }
}

type LabelledEdges = Vec<(usize, &'static str, usize)>;

/// Coherence order includes causality order between writes to the same memory, orders all morally strong writes, and is irreflexive.
pub fn coherence(x: &Execution) -> Option<LabelledEdges> {
    let write = |at: usize| x.events[at].kind == EventKind::Write;
    let writes = |a: usize, b: usize| write(a) && write(b) && x.events[a].same_memory(&x.events[b]);
    let outside = x.causality_order.filter(writes).edges().find(|(a, b)| !x.coherence_order.contains(*a, *b));
    if let Some((a, b)) = outside {
        return Some(if x.coherence_order.contains(b, a) {
            vec![(a, "cause", b), (b, "co", a)]
        } else {
            vec![(a, "cause", b)]
        });
    }
    let unordered = x
        .atomic
        .filter(writes)
        .edges()
        .find(|(a, b)| !x.coherence_order.contains(*a, *b) && !x.coherence_order.contains(*b, *a));
    if let Some((a, b)) = unordered {
        return Some(vec![(a, "ms", b)]);
    }
    let at = x.coherence_order.reflexive_event()?;
    Some(vec![(at, "co", at)])
}

/// No two fences are in fence-SC order one way and in base causality order the other way.
pub fn fence_sc(x: &Execution) -> Option<LabelledEdges> {
    let (a, b) = x.fence_sc_order.edges().find(|(a, b)| x.base_causality_order.contains(*b, *a))?;
    Some(vec![(a, "sc", b), (b, "cause", a)])
}

/// No morally strong write is in coherence order between the write that an atomic reads and its own write.
pub fn atomicity(x: &Execution) -> Option<LabelledEdges> {
    let [fr, co] = [&x.from_reads, &x.coherence_order].map(|relation| relation.intersection(&x.atomic));
    x.read_modify_write.edges().find_map(|(read, write)| {
        let between = (0..x.events.len()).find(|at| fr.contains(read, *at) && co.contains(*at, write))?;
        Some(vec![(read, "fr", between), (between, "co", write)])
    })
}

/// Reads-from and dependencies have no cycle.
pub fn no_thin_air(x: &Execution) -> Option<LabelledEdges> {
    named_cycle(&[("rf", &x.reads_from), ("dep", &x.dependency)])
}

/// Morally strong communication and program order per location have no cycle.
pub fn sc_per_location(x: &Execution) -> Option<LabelledEdges> {
    let communication = [&x.reads_from, &x.coherence_order, &x.from_reads];
    let [rf, co, fr] = communication.map(|relation| relation.intersection(&x.atomic));
    named_cycle(&[("po", &x.program_order_per_location), ("rf", &rf), ("fr", &fr), ("co", &co)])
}

/// Reads-from and from-reads do not contradict causality order, and no read observes an operation that is issued after it.
pub fn causality(x: &Execution) -> Option<LabelledEdges> {
    let violated = |name, relation: &Relation| {
        let (a, b) = relation.edges().find(|(a, b)| x.causality_order.contains(*b, *a))?;
        Some(vec![(a, name, b), (b, "cause", a)])
    };
    let overwritten = || {
        let (a, b) = x.reads_from.edges().find(|(a, b)| x.overwrites.contains(*b, *a))?;
        Some(vec![(a, "rf", b), (b, "issue", a)])
    };
    violated("rf", &x.reads_from).or_else(|| violated("fr", &x.from_reads)).or_else(overwritten)
}

/// A shortest cycle in the union of relations. Each edge has the name of the first relation that contains it.
fn named_cycle(relations: &[(&'static str, &Relation)]) -> Option<LabelledEdges> {
    let empty = Relation::empty(relations.first()?.1.count());
    let all = relations.iter().fold(empty, |all, (_, relation)| all.union(relation));
    let cycle = all.cycle()?;
    let name = |a, b| relations.iter().find(|(_, relation)| relation.contains(a, b)).map_or("", |(name, _)| *name);
    Some(cycle.windows(2).map(|pair| (pair[0], name(pair[0], pair[1]), pair[1])).collect())
}

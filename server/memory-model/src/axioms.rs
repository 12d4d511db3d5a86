//! The axioms, one predicate each: what an execution must not do, and the events that show it where it does.

use crate::event::EventKind;
use crate::execution::Execution;
use crate::relation::Relation;

/// An axiom of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axiom {
    /// Writes of one memory are ordered as causality has them.
    Coherence,
    /// The order of `fence.sc` does not contradict causality.
    FenceSc,
    /// Nothing morally strong comes between the halves of an atomic.
    Atomicity,
    /// No value comes out of itself.
    NoThinAir,
    /// At one location, morally strong operations look as if they came one after the other.
    ScPerLocation,
    /// Nothing is read that causality hides.
    Causality,
}

/// All of them, in the order of the reference.
pub const AXIOMS: [Axiom; 6] =
    [Axiom::Coherence, Axiom::FenceSc, Axiom::Atomicity, Axiom::NoThinAir, Axiom::ScPerLocation, Axiom::Causality];

/// An axiom that an execution violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which one.
    pub axiom: Axiom,
    /// Edges that show it, one behind the other: from, name of the relation, to. A cycle but for atomicity.
    pub edges: Vec<(usize, &'static str, usize)>,
}

impl Axiom {
    /// Its name.
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

    /// What it says, in one sentence without a full stop.
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

    /// How an execution violates it.
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

/// Causality between writes of one memory is in their order, writes that are morally strong to each other are ordered, and no write is
/// behind itself.
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
        .morally_strong
        .filter(writes)
        .edges()
        .find(|(a, b)| !x.coherence_order.contains(*a, *b) && !x.coherence_order.contains(*b, *a));
    if let Some((a, b)) = unordered {
        return Some(vec![(a, "ms", b)]);
    }
    let at = x.coherence_order.reflexive_event()?;
    Some(vec![(at, "co", at)])
}

/// The order of `fence.sc` and base causality do not go opposite ways.
pub fn fence_sc(x: &Execution) -> Option<LabelledEdges> {
    let (a, b) = x.fence_sc_order.edges().find(|(a, b)| x.base_causality_order.contains(*b, *a))?;
    Some(vec![(a, "sc", b), (b, "cause", a)])
}

/// No write is morally strongly between what an atomic reads and what it writes.
pub fn atomicity(x: &Execution) -> Option<LabelledEdges> {
    let [fr, co] = [&x.from_reads, &x.coherence_order].map(|relation| relation.intersection(&x.morally_strong));
    x.read_modify_write.edges().find_map(|(read, write)| {
        let between = (0..x.events.len()).find(|at| fr.contains(read, *at) && co.contains(*at, write))?;
        Some(vec![(read, "fr", between), (between, "co", write)])
    })
}

/// Values do not depend on themselves.
pub fn no_thin_air(x: &Execution) -> Option<LabelledEdges> {
    named_cycle(&[("rf", &x.reads_from), ("dep", &x.dependency)])
}

/// Communication that is morally strong, and program order at one location, have no cycle.
pub fn sc_per_location(x: &Execution) -> Option<LabelledEdges> {
    let communication = [&x.reads_from, &x.coherence_order, &x.from_reads];
    let [rf, co, fr] = communication.map(|relation| relation.intersection(&x.morally_strong));
    named_cycle(&[("po", &x.program_order_per_location), ("rf", &rf), ("fr", &fr), ("co", &co)])
}

/// What a read reads is not behind it, and what it must know is not behind what it reads.
pub fn causality(x: &Execution) -> Option<LabelledEdges> {
    let violated = |name, relation: &Relation| {
        let (a, b) = relation.edges().find(|(a, b)| x.causality_order.contains(*b, *a))?;
        Some(vec![(a, name, b), (b, "cause", a)])
    };
    violated("rf", &x.reads_from).or_else(|| violated("fr", &x.from_reads))
}

/// A shortest cycle in the union of relations, each edge under the first name that has it.
fn named_cycle(relations: &[(&'static str, &Relation)]) -> Option<LabelledEdges> {
    let empty = Relation::empty(relations.first()?.1.count());
    let all = relations.iter().fold(empty, |all, (_, relation)| all.union(relation));
    let cycle = all.cycle()?;
    let name = |a, b| relations.iter().find(|(_, relation)| relation.contains(a, b)).map_or("", |(name, _)| *name);
    Some(cycle.windows(2).map(|pair| (pair[0], name(pair[0], pair[1]), pair[1])).collect())
}

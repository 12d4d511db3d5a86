//! An execution as text, and as a graph.

use crate::execution::{CauseKind, ExecutionCause, KernelEdge, KernelEvent, KernelExecution};
use crate::graph::{Edge, Graph, GraphColumn, GraphEvent, colour, meaning};
use crate::reports::step_access::{StepAccess, described};
use std::fmt::Write;
use values::Value;

/// The most columns that are drawn as text.
const MOST_COLUMNS: usize = 16;

/// The most pairs of a relation in text.
const MOST_PAIRS: usize = 32;

/// The name of the edge that is missing between a write and a read of it.
const UNSYNCHRONIZED: &str = "unsynchronized";

impl KernelEvent {
    /// What it does, after its instruction.
    fn effect(&self) -> String {
        let effect =
            if self.accesses.is_empty() { String::new() } else { format!("  → {}", described(&self.accesses)) };
        let problem = self.problem.map(|code| format!("  ← {code}")).unwrap_or_default();
        effect + &problem
    }

    /// The event in a box: the instruction, and the values in brackets.
    fn label(&self) -> String {
        let values = |letter: &str, values: &[Value]| match values {
            [] => String::new(),
            values => format!(" {letter}={}", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
        };
        let access = |access: &StepAccess| {
            format!("  [{}{}{}]", access.memory, values("R", &access.read), values("W", &access.written))
        };
        let accesses: String = self.accesses.iter().map(access).collect();
        let problem = self.problem.map(|code| format!("  ← {code}")).unwrap_or_default();
        format!("{}: {}{accesses}{problem}", self.line, self.instruction.trim_end_matches(';'))
    }
}

impl KernelExecution {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The execution as text: a line for each event, with a column for each thread, then the relations.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.left_out > 0 {
            let _ = writeln!(text, "  {} other events are not shown", self.left_out);
        }
        let digits = self.events.len().to_string().len();
        for (at, event) in self.events.iter().enumerate() {
            let columns: String = match self.columns.len() {
                1..=MOST_COLUMNS => {
                    (0..self.columns.len()).map(|at| if at == event.column { '●' } else { '│' }).collect()
                }
                _ => String::new(),
            };
            let (number, name) = (at + 1, &self.columns[event.column]);
            let KernelEvent { line, instruction, .. } = event;
            let effect = event.effect();
            let _ = writeln!(text, "  {number:digits$} {columns}  {name}: line {line}: {instruction}{effect}");
        }
        for relation in ["rf", "co", "fr", "sync", "race"] {
            let of_relation = self.edges.iter().filter(|edge| edge.relation == relation);
            let pairs: Vec<String> =
                of_relation.map(|KernelEdge { from, to, .. }| format!("{} → {}", from + 1, to + 1)).collect();
            if !pairs.is_empty() {
                let shown = pairs[..pairs.len().min(MOST_PAIRS)].join(", ");
                let more = match pairs.len().saturating_sub(MOST_PAIRS) {
                    0 => String::new(),
                    more => format!(", and {more} more"),
                };
                let _ = writeln!(text, "  {relation} ({}): {shown}{more}", meaning(relation));
            }
        }
        let buffered: Vec<String> = self
            .edges
            .iter()
            .filter(|edge| edge.relation == "rf" && edge.from > edge.to)
            .map(|KernelEdge { from, to, .. }| format!("{} → {}", from + 1, to + 1))
            .collect();
        if !buffered.is_empty() {
            let shown = buffered.join(", ");
            let _ = writeln!(
                text,
                "  load buffering: in no order of these events is every write before the reads of it ({shown})"
            );
        }
        for missing in self.missing.iter().take(MOST_PAIRS) {
            let (from, to) = (missing.from + 1, missing.to + 1);
            let _ = writeln!(text, "  {UNSYNCHRONIZED}: {from} → {to}, because {}", missing.reason(from, to));
        }
        self.cause_text().iter().for_each(|cause| text.push_str(&format!("  cause: {cause}\n")));
        text
    }

    /// What a data race lacks, where neither its message nor a value that is passed on says so.
    fn cause_text(&self) -> Option<String> {
        let ExecutionCause { accesses, kind, events } = self.cause.as_ref()?;
        let [first, second] = accesses.map(|at| at + 1);
        let ctas = || accesses.map(|at| self.events[at].thread.cta);
        let between = format!("between {first} and {second}");
        Some(match kind {
            CauseKind::Stated | CauseKind::Unsynchronized => return None,
            CauseKind::NoWarpBarrier => format!("no barrier {between}, and no `bar.warp.sync`"),
            CauseKind::NoBarrier => format!("no barrier {between}"),
            CauseKind::OtherBarriers => format!("no barrier {between} that both threads pass"),
            CauseKind::Copy => match events.first() {
                Some(wait) => format!("the wait {} is not for this copy", wait + 1),
                None => "nothing waits for the copy".to_owned(),
            },
            CauseKind::NothingPassed => {
                let [one, other] = ctas();
                format!("CTA {one} and CTA {other} pass nothing on to each other {between}")
            }
        })
    }

    /// The execution as a graph.
    pub fn graph(&self, name: &str) -> Graph {
        let rows = self.rows();
        let column = |(column, name): (usize, &String)| {
            let own = self.events.iter().enumerate().filter(|(_, event)| event.column == column);
            let event = |(number, event): (usize, &KernelEvent)| {
                let label = event.label();
                let text = format!("{name}: {label}");
                GraphEvent { number, row: rows[number], label, text }
            };
            GraphColumn { name: name.clone(), events: own.map(event).collect() }
        };
        let edge = |KernelEdge { relation: name, from, to }: KernelEdge| Edge {
            from,
            to,
            name,
            colour: colour(name),
            bold: name == "race",
        };
        let missing =
            self.missing.iter().map(|one| KernelEdge { relation: UNSYNCHRONIZED, from: one.from, to: one.to });
        let mut edges: Vec<Edge> =
            self.program_order().chain(self.edges.iter().copied()).chain(missing).map(edge).collect();
        edges.sort_by_key(|edge| (edge.from, edge.to));
        Graph {
            name: name.to_owned(),
            columns: self.columns.iter().enumerate().map(column).collect(),
            edges,
            events: self.events.len(),
        }
    }

    /// The edges between an event and the next one of its column.
    fn program_order(&self) -> impl Iterator<Item = KernelEdge> {
        let next =
            |from: usize| (from + 1..self.events.len()).find(|to| self.events[*to].column == self.events[from].column);
        (0..self.events.len()).filter_map(move |from| Some(KernelEdge { relation: "po", from, to: next(from)? }))
    }

    /// The row of each event: below those that it follows.
    fn rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = Vec::new();
        for at in 0..self.events.len() {
            let before = self.edges.iter().filter(|edge| edge.to == at && edge.from < at).map(|edge| edge.from);
            let own = (0..at).rev().find(|other| self.events[*other].column == self.events[at].column);
            rows.push(before.chain(own).map(|from| rows[from] + 1).max().unwrap_or_default());
        }
        rows
    }
}

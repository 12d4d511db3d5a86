//! Execution graphs: threads as columns of events, and the relations between events as edges.

mod dot;
mod svg;

/// The format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Graphviz.
    Dot,
    /// Scalable Vector Graphics.
    Svg,
}

/// An execution graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its title.
    pub name: String,
    /// The columns. Those without events are not drawn.
    pub columns: Vec<GraphColumn>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The number of events, by which edges name them.
    pub events: usize,
}

/// A column: the events of a thread, or initial values.
#[derive(Clone, Debug, Default)]
pub struct GraphColumn {
    /// Its head.
    pub name: String,
    /// Its events from top to bottom.
    pub events: Vec<GraphEvent>,
}

/// An event.
#[derive(Clone, Debug)]
pub struct GraphEvent {
    /// Its number.
    pub number: usize,
    /// The row of its box.
    pub row: usize,
    /// The text in its box.
    pub label: String,
    /// The text where no column says whose it is.
    pub text: String,
}

/// An edge of the graph.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The event at which it begins.
    pub from: usize,
    /// The event at which it ends.
    pub to: usize,
    /// The relation.
    pub name: &'static str,
    /// The colour of the relation.
    pub colour: &'static str,
    /// Whether it is emphasised.
    pub bold: bool,
}

impl Graph {
    /// The graph in a format.
    pub fn picture(&self, format: PictureFormat) -> String {
        match format {
            PictureFormat::Dot => dot::dot(self),
            PictureFormat::Svg => svg::svg(self),
        }
    }
}

/// The colour of a relation.
pub fn colour(relation: &str) -> &'static str {
    match relation {
        "po" => "#888888",
        "rf" => "#c0392b",
        "co" => "#2471a3",
        "fr" => "#d68910",
        "sync" => "#1e8449",
        "sc" => "#7d3c98",
        "race" | "unsynchronized" => "#e60026",
        _ => "#117a65",
    }
}

/// What a relation means.
pub fn meaning(relation: &str) -> &'static str {
    match relation {
        "po" => "program order",
        "rf" => "reads from",
        "co" => "coherence order",
        "fr" => "reads before",
        "sync" => "synchronizes with",
        "sc" => "fence.sc order",
        "cause" => "causality order",
        "race" => "not ordered",
        "unsynchronized" => "read without an order",
        _ => "relation of the violated axiom",
    }
}

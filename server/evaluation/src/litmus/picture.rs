//! Execution graphs: threads as columns, relations as coloured edges, violations in bold.

use super::report::{event_label, event_text};
use super::result::LitmusResult;
use super::test::Test;
use memory_model::{Execution, Relation};
use std::fmt::Write;

/// The format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Graphviz.
    Dot,
    /// Scalable Vector Graphics.
    Svg,
}

/// An edge of the graph.
struct Edge {
    from: usize,
    to: usize,
    name: &'static str,
    colour: &'static str,
    bold: bool,
}

/// The graphs of the executions of a result, one after the other.
pub fn pictures(source: &str, test: &Test, answer: &LitmusResult, format: PictureFormat) -> String {
    let allowed = answer.witnesses.iter().map(|(_, execution)| (execution, &[][..]));
    let forbidden = answer.counterexample.iter().map(|found| (&found.execution, &found.violation.edges[..]));
    allowed.chain(forbidden).map(|(execution, cycle)| picture(source, test, execution, cycle, format)).collect()
}

/// The graph of an execution. The edges of `cycle` are emphasised.
pub fn picture(
    source: &str,
    test: &Test,
    execution: &Execution,
    cycle: &[(usize, &'static str, usize)],
    format: PictureFormat,
) -> String {
    let edges = edges(execution, cycle);
    match format {
        PictureFormat::Dot => dot(source, test, execution, &edges),
        PictureFormat::Svg => svg(source, test, execution, &edges),
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn dot(source: &str, test: &Test, execution: &Execution, edges: &[Edge]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = format!("digraph {} {{\n  node [shape=box, fontname=monospace];\n", quoted(&test.name));
    for (column, (name, events)) in columns(test, execution).into_iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{column} {{ label={};", quoted(&name));
        for at in events {
            let _ = writeln!(out, "    e{at} [label={}];", quoted(&event_text(source, test, execution, at)));
        }
        out += "  }\n";
    }
    for Edge { from, to, name, colour, bold } in edges {
        let width = if *bold { ", penwidth=3" } else { "" };
        let _ = writeln!(out, "  e{from} -> e{to} [label={name}, color=\"{colour}\", fontcolor=\"{colour}\"{width}];");
    }
    out + "}\n"
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

/// Distances in pixels: between columns, between rows, the height of a box, the width of a character.
const COLUMN_GAP: usize = 120;
const ROW_HEIGHT: usize = 64;
const BOX_HEIGHT: i64 = 28;
const CHARACTER_WIDTH: usize = 8;

/// The box of an event.
#[derive(Clone, Copy, Debug, Default)]
struct EventBox {
    x: i64,
    y: i64,
    width: i64,
}

fn svg(source: &str, test: &Test, execution: &Execution, edges: &[Edge]) -> String {
    let label = |at: usize| event_label(source, test, execution, at);
    let columns = columns(test, execution);
    let rows = columns.iter().map(|(_, events)| events.len()).max().unwrap_or_default();
    let (mut boxes, mut heads) = (String::new(), String::new());
    let mut places = vec![EventBox::default(); execution.events.len()];
    let mut x = COLUMN_GAP / 2;
    for (name, events) in columns.iter().filter(|(_, events)| !events.is_empty()) {
        let labels: Vec<String> = events.iter().map(|at| label(*at)).collect();
        let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
        let width = (longest * CHARACTER_WIDTH + 16).max(name.chars().count() * CHARACTER_WIDTH);
        let _ = writeln!(heads, "<text x=\"{x}\" y=\"24\" font-weight=\"bold\">{}</text>", escape(name));
        for (row, (at, label)) in events.iter().zip(labels).enumerate() {
            let y = row * ROW_HEIGHT + 40;
            places[*at] = EventBox { x: x as i64, y: y as i64, width: width as i64 };
            let (left, base) = (x + 8, y + 18);
            let _ = writeln!(
                boxes,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX_HEIGHT}\" rx=\"4\" fill=\"#f4f6f7\" stroke=\"#566573\"/>\
                 <text x=\"{left}\" y=\"{base}\">{}</text>",
                escape(&label)
            );
        }
        x += width + COLUMN_GAP;
    }
    let (width, height) = (x - COLUMN_GAP / 2, rows * ROW_HEIGHT + 60);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"12\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{heads}{boxes}",
        escape(&test.name)
    );
    for (number, edge) in edges.iter().enumerate() {
        arrow(&mut out, edge, places[edge.from], places[edge.to], number);
    }
    out + "</svg>\n"
}

/// A curve from one box to another, labelled with the name of the relation.
fn arrow(out: &mut String, edge: &Edge, from: EventBox, to: EventBox, number: usize) {
    let (EventBox { x, y, width }, EventBox { x: u, y: v, width: target_width }) = (from, to);
    let half = width / 2;
    let shift = (number as i64 % 5 - 2) * 9;
    let (start, end) = if x == u {
        (
            (x + half + shift, y + if v > y { BOX_HEIGHT } else { 0 }),
            (u + half + shift, v + if v > y { 0 } else { BOX_HEIGHT }),
        )
    } else if u > x {
        ((x + width, y + BOX_HEIGHT / 2), (u, v + BOX_HEIGHT / 2))
    } else {
        ((x, y + BOX_HEIGHT / 2), (u + target_width, v + BOX_HEIGHT / 2))
    };
    let bend = if x == u { (shift * 4, 0) } else { (0, shift * 3) };
    let middle = ((start.0 + end.0) / 2 + bend.0, (start.1 + end.1) / 2 + bend.1);
    // The label is at one of three points of the curve (t in tenths), so that labels of neighbouring edges do not overlap.
    let t = [5, 3, 7][number % 3];
    let on = |a: i64, b: i64, c: i64| ((10 - t) * (10 - t) * a + 2 * t * (10 - t) * b + t * t * c) / 100;
    let label = (on(start.0, middle.0, end.0) + 4, on(start.1, middle.1, end.1) - 4);
    let width = if edge.bold { 3 } else { 1 };
    let dash = if edge.name == "po" { " stroke-dasharray=\"3 3\"" } else { "" };
    let _ = writeln!(
        out,
        "<path d=\"M{} {} Q{} {} {} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash}/>\
         <circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"/><text x=\"{}\" y=\"{}\" fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
        start.0,
        start.1,
        middle.0,
        middle.1,
        end.0,
        end.1,
        edge.colour,
        end.0,
        end.1,
        edge.colour,
        label.0,
        label.1,
        edge.colour,
        edge.name
    );
}

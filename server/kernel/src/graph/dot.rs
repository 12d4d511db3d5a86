//! Graphs in the format of Graphviz.

use crate::graph::{Edge, Graph};
use std::fmt::Write;

/// The graph for Graphviz.
pub(super) fn dot(graph: &Graph) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = format!("digraph {} {{\n  node [shape=box, fontname=monospace];\n", quoted(&graph.name));
    for (number, column) in graph.columns.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{ label={};", quoted(&column.name));
        for event in &column.events {
            let _ = writeln!(out, "    e{} [label={}];", event.number, quoted(&event.text));
        }
        out += "  }\n";
    }
    for Edge { from, to, name, colour, bold } in &graph.edges {
        let width = if *bold { ", penwidth=3" } else { "" };
        let _ = writeln!(out, "  e{from} -> e{to} [label={name}, color=\"{colour}\", fontcolor=\"{colour}\"{width}];");
    }
    out + "}\n"
}

//! Execution graphs in the formats of Graphviz and SVG.

use super::graph::{Edge, columns, edges};
use super::report::event_text;
use super::result::LitmusResult;
use super::svg::svg;
use super::test::Test;
use memory_model::Execution;
use std::fmt::Write;

/// The format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Graphviz.
    Dot,
    /// Scalable Vector Graphics.
    Svg,
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

//! Draws an execution graph: threads as columns, relations as labelled curves, and a legend.

use crate::graph::{Edge, Graph, GraphColumn, GraphEvent, meaning};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Distances in pixels.
const MARGIN: i64 = 24;
const COLUMN_GAP: i64 = 100;
const ROW_HEIGHT: i64 = 92;
const BOX_HEIGHT: i64 = 32;
const HEAD_HEIGHT: i64 = 44;
const LEGEND_LINE: i64 = 20;
/// Fits the longest entry of the legend.
const MIN_WIDTH: i64 = 360;
const CHARACTER_WIDTH: i64 = 8;
const LABEL_HEIGHT: i64 = 15;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default)]
struct Area {
    x: i64,
    y: i64,
    width: i64,
    height: i64,
}

impl Area {
    fn overlaps(&self, other: &Area) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// The side of a box that an edge is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BoxSide {
    Left,
    Right,
    Top,
    Bottom,
}

/// A box and its column and row.
#[derive(Clone, Copy, Debug, Default)]
struct EventBox {
    area: Area,
    column: usize,
    row: usize,
}

impl EventBox {
    /// Where the edge with a number out of a count is attached to a side.
    fn anchor(&self, side: BoxSide, number: usize, count: usize) -> (i64, i64) {
        let Area { x, y, width, height } = self.area;
        let share = |length: i64| length * (number as i64 + 1) / (count as i64 + 1);
        match side {
            BoxSide::Left => (x, y + share(height)),
            BoxSide::Right => (x + width, y + share(height)),
            BoxSide::Top => (x + share(width), y),
            BoxSide::Bottom => (x + share(width), y + height),
        }
    }
}

/// A quadratic curve.
struct Curve {
    start: (i64, i64),
    control: (i64, i64),
    end: (i64, i64),
}

impl Curve {
    /// The point at a percentage of the curve.
    fn at(&self, percent: i64) -> (i64, i64) {
        let rest = 100 - percent;
        let on = |a: i64, b: i64, c: i64| (rest * rest * a + 2 * percent * rest * b + percent * percent * c) / 10_000;
        (on(self.start.0, self.control.0, self.end.0), on(self.start.1, self.control.1, self.end.1))
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The graph as SVG.
pub(super) fn svg(graph: &Graph) -> String {
    let edges = &graph.edges;
    let mut drawing = Drawing::default();
    drawing.boxes(graph);
    let curves = drawing.curves(edges);
    let labels = drawing.labels(edges, &curves);
    let (legend, legend_height) = legend(edges, drawing.height, drawing.width);
    let (width, height) = (drawing.width, drawing.height + legend_height + MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"13\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}",
        escape(&graph.name),
        drawing.shapes
    );
    for (edge, curve) in edges.iter().zip(&curves) {
        arrow(&mut out, edge, curve);
    }
    for (edge, label) in edges.iter().zip(&labels) {
        let (x, y, weight) = (label.x + 2, label.y + 12, if edge.bold { " font-weight=\"bold\"" } else { "" });
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" fill=\"{}\"{weight} stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\">{}</text>",
            edge.colour, edge.name
        );
    }
    out + &legend + "</svg>\n"
}

/// The boxes, and the size that they need.
#[derive(Default)]
struct Drawing {
    shapes: String,
    /// The box of each event.
    boxes: Vec<EventBox>,
    width: i64,
    height: i64,
}

impl Drawing {
    fn boxes(&mut self, graph: &Graph) {
        self.boxes = vec![EventBox::default(); graph.events];
        let mut x = MARGIN;
        let columns = graph.columns.iter().filter(|column| !column.events.is_empty());
        for (column, GraphColumn { name, events }) in columns.enumerate() {
            let characters = |text: &str| text.chars().count() as i64 * CHARACTER_WIDTH;
            let longest = events.iter().map(|event| characters(&event.label)).max().unwrap_or_default();
            let width = (longest + 20).max(characters(name));
            let _ = writeln!(self.shapes, "<text x=\"{x}\" y=\"26\" font-weight=\"bold\">{}</text>", escape(name));
            for GraphEvent { number, row, label, .. } in events {
                let (number, row) = (*number, *row);
                let y = HEAD_HEIGHT + row as i64 * ROW_HEIGHT;
                self.boxes[number] = EventBox { area: Area { x, y, width, height: BOX_HEIGHT }, column, row };
                self.height = self.height.max(y + BOX_HEIGHT + MARGIN);
                let _ = writeln!(
                    self.shapes,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX_HEIGHT}\" rx=\"5\" fill=\"#f4f6f7\" stroke=\"#566573\"/>\
                     <text x=\"{}\" y=\"{}\">{}</text>",
                    x + 10,
                    y + 21,
                    escape(label)
                );
            }
            x += width + COLUMN_GAP;
        }
        // Half a gap on the right for edges between rows that are not neighbours.
        self.width = (x - COLUMN_GAP / 2).max(MIN_WIDTH);
    }

    /// The sides that an edge connects.
    fn sides(&self, edge: &Edge) -> (BoxSide, BoxSide) {
        let (from, to) = (self.boxes[edge.from], self.boxes[edge.to]);
        match from.column.cmp(&to.column) {
            std::cmp::Ordering::Less => (BoxSide::Right, BoxSide::Left),
            std::cmp::Ordering::Greater => (BoxSide::Left, BoxSide::Right),
            std::cmp::Ordering::Equal if from.row + 1 == to.row => (BoxSide::Bottom, BoxSide::Top),
            std::cmp::Ordering::Equal if to.row + 1 == from.row => (BoxSide::Top, BoxSide::Bottom),
            std::cmp::Ordering::Equal => (BoxSide::Right, BoxSide::Right),
        }
    }

    /// The curve of each edge. Edges at the same side of a box are attached next to each other.
    fn curves(&self, edges: &[Edge]) -> Vec<Curve> {
        let mut counts: BTreeMap<(usize, BoxSide), usize> = BTreeMap::new();
        let mut number = |at, side| {
            let count = counts.entry((at, side)).or_default();
            *count += 1;
            *count - 1
        };
        let mut ends = Vec::new();
        for edge in edges {
            let (out, into) = self.sides(edge);
            ends.push(((out, number(edge.from, out)), (into, number(edge.to, into))));
        }
        let anchor = |at: usize, (side, number): (BoxSide, usize)| {
            self.boxes[at].anchor(side, number, counts.get(&(at, side)).copied().unwrap_or(1))
        };
        let curve =
            |(edge, (out, into)): (&Edge, (_, _))| self.curve(edge, anchor(edge.from, out), anchor(edge.to, into));
        edges.iter().zip(ends).map(curve).collect()
    }

    fn curve(&self, edge: &Edge, start: (i64, i64), end: (i64, i64)) -> Curve {
        let (from, to) = (self.boxes[edge.from], self.boxes[edge.to]);
        let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2);
        let control = if from.column == to.column {
            let distant = from.row.abs_diff(to.row) != 1;
            (middle.0 + if distant { COLUMN_GAP * 2 / 3 } else { 0 }, middle.1)
        } else if from.column.abs_diff(to.column) > 1 {
            // Between two rows, so that the curve does not cross the boxes of the columns between.
            let gap = HEAD_HEIGHT + BOX_HEIGHT + (ROW_HEIGHT - BOX_HEIGHT) / 2;
            let row = ((middle.1 - gap + ROW_HEIGHT / 2) / ROW_HEIGHT).max(0);
            (middle.0, 2 * (gap + row * ROW_HEIGHT) - middle.1)
        } else {
            middle
        };
        Curve { start, control, end }
    }

    /// The place of each label on its curve: where it overlaps no box and no other label, if there is such a place.
    fn labels(&self, edges: &[Edge], curves: &[Curve]) -> Vec<Area> {
        let mut taken: Vec<Area> = self.boxes.iter().map(|event| event.area).collect();
        let mut labels = Vec::new();
        for (edge, curve) in edges.iter().zip(curves) {
            let width = edge.name.len() as i64 * CHARACTER_WIDTH + 4;
            let place = |percent: i64, lower: i64| {
                let (x, y) = curve.at(percent);
                Area { x: x - width / 2, y: y - LABEL_HEIGHT / 2 + lower, width, height: LABEL_HEIGHT }
            };
            let candidates = [0, -12, 12, -24, 24].into_iter().flat_map(|lower| {
                [50, 40, 60, 30, 70, 22, 78, 14, 86].into_iter().map(move |percent| place(percent, lower))
            });
            let is_free = |area: &Area| taken.iter().all(|other| !area.overlaps(other));
            let label = candidates.into_iter().find(is_free).unwrap_or_else(|| place(50, 0));
            taken.push(label);
            labels.push(label);
        }
        labels
    }
}

/// A curve with an arrowhead.
fn arrow(out: &mut String, edge: &Edge, curve: &Curve) {
    let Curve { start, control, end } = curve;
    let width = if edge.bold { 3 } else { 1 };
    let dash = if matches!(edge.name, "po" | "unsynchronized") { " stroke-dasharray=\"4 4\"" } else { "" };
    let _ = writeln!(
        out,
        "<path d=\"M{} {} Q{} {} {} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash}/>",
        start.0, start.1, control.0, control.1, end.0, end.1, edge.colour
    );
    let (dx, dy) = ((end.0 - control.0) as f64, (end.1 - control.1) as f64);
    let length = dx.hypot(dy).max(1.0);
    let size = if edge.bold { 11.0 } else { 8.0 };
    let (ux, uy) = (dx / length * size, dy / length * size);
    let (x, y) = (end.0 as f64, end.1 as f64);
    let _ = writeln!(
        out,
        "<path d=\"M{x:.0} {y:.0} L{:.1} {:.1} L{:.1} {:.1} Z\" fill=\"{}\"/>",
        x - ux - uy / 2.5,
        y - uy + ux / 2.5,
        x - ux + uy / 2.5,
        y - uy - ux / 2.5,
        edge.colour
    );
}

/// The meaning of each relation in the graph, in lines of a width, and their height.
fn legend(edges: &[Edge], y: i64, width: i64) -> (String, i64) {
    let (mut out, mut x, mut line, mut known) = (String::new(), MARGIN, 0, Vec::new());
    for edge in edges {
        if known.contains(&edge.name) {
            continue;
        }
        known.push(edge.name);
        let text = format!("{}: {}", edge.name, meaning(edge.name));
        let length = text.len() as i64 * CHARACTER_WIDTH;
        if x > MARGIN && x + length > width {
            (x, line) = (MARGIN, line + 1);
        }
        let base = y + 12 + line * LEGEND_LINE;
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{base}\" fill=\"{}\">{text}</text>", edge.colour);
        x += length + 3 * CHARACTER_WIDTH;
    }
    (out, (line + 1) * LEGEND_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphColumn, GraphEvent, colour};

    /// Two threads of four events each, with each relation between many pairs of them.
    fn busy() -> Graph {
        let event = |number: usize| GraphEvent {
            number,
            row: number % 4,
            label: format!("st.release.gpu [y], {number}"),
            text: String::new(),
        };
        let column = |thread: usize| GraphColumn {
            name: format!("P{thread}@cta {thread},gpu 0"),
            events: (4 * thread..4 * thread + 4).map(event).collect(),
        };
        let names = ["po", "rf", "co", "fr", "sync", "race"];
        let pairs = (0..8_usize).flat_map(|from| (0..8).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let edge = |(at, (from, to)): (usize, (usize, usize))| {
            let name = names[at % names.len()];
            Edge { from, to, name, colour: colour(name), bold: false }
        };
        let edges = pairs.step_by(5).enumerate().map(edge).collect();
        Graph { name: "busy".to_owned(), columns: vec![column(0), column(1)], edges, events: 8 }
    }

    #[test]
    fn no_label_overlaps_a_box_or_another_label() {
        let graph = busy();
        let mut drawing = Drawing::default();
        drawing.boxes(&graph);
        let labels = drawing.labels(&graph.edges, &drawing.curves(&graph.edges));
        assert_eq!(labels.len(), graph.edges.len());
        for (at, label) in labels.iter().enumerate() {
            let free = |other: &Area| !label.overlaps(other);
            assert!(labels[..at].iter().all(free), "{labels:?}");
            assert!(drawing.boxes.iter().all(|event| free(&event.area)), "{label:?}");
        }
    }
}

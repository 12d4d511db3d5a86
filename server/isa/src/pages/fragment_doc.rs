//! A matrix operand as text: what it is, and which lane holds which element in which register.

use crate::fragment_layout::{FragmentLayout, PositionBit};
use crate::matrix_operand::MatrixOperand;
use std::fmt::Write;
use std::ops::Range;

/// The most rows and columns of the table.
const MOST: u32 = 16;

impl MatrixOperand {
    /// What it is, as Markdown: `**Matrix A**, the left factor: 16 × 8 elements of `.tf32``.
    pub fn summary(&self) -> String {
        let (rows, columns) = (self.rows, self.columns);
        let element = self.element;
        let what = match element {
            "b1" => format!("words of 32 elements of `.{element}`"),
            _ => format!("elements of `.{element}`"),
        };
        let stored = if self.is_sparse { " that are stored" } else { "" };
        format!("**Matrix {}**, {}: {rows} × {columns} {what}{stored}", self.role.letter(), self.role.summary())
    }

    /// Which elements the registers of each thread hold, as Markdown; those of the register with a number are bold. `None` if that is not known.
    pub fn layout_page(&self, register: Option<u32>) -> Option<String> {
        let layout = self.layout.as_ref()?;
        let thread = if layout.threads() > 32 { "Thread" } else { "Lane" };
        let [row, column] = self.dimensions.map(|dimension| formula(layout, dimension));
        let mut text = format!(
            "{thread} `t` holds in its element `e` that of row `{row}`, column `{column}`{}. {}",
            self.product(layout),
            self.elements_by_register()
        );
        if self.is_measured {
            text += " PTX leaves this open; it is what an H200 does.";
        }
        let _ = write!(text, "\n\n{}", self.table(layout, register));
        Some(text)
    }

    /// The number of the product, if an instruction computes several.
    fn product(&self, layout: &FragmentLayout) -> String {
        match formula(layout, 3).as_str() {
            "0" => String::new(),
            product => format!(" of product `{product}`"),
        }
    }

    fn elements_by_register(&self) -> String {
        match (self.elements_of_register(), self.bits) {
            (1, 64) => "Each register of 64 bits has one element.".to_owned(),
            (1, _) => "Each register has one element.".to_owned(),
            (count, _) => {
                format!("Register `r` has the elements `{count}r` to `{count}r + {}`, the lowest first.", count - 1)
            }
        }
    }

    /// A table of the first rows and columns. Neighbours in one register share a cell.
    fn table(&self, layout: &FragmentLayout, register: Option<u32>) -> String {
        let [high, wide] = self.cell(layout);
        let (rows, columns) = ((self.rows / high).min(MOST), (self.columns / wide).min(MOST));
        let mut cells = vec![String::new(); (rows * columns) as usize];
        for thread in 0..layout.threads() {
            for element in 0..layout.elements() {
                let position = layout.position(thread, element);
                let [row, column] = self.place(position);
                let is_first = row % high == 0 && column % wide == 0 && position[3] == 0;
                let (row, column) = (row / high, column / wide);
                if is_first && row < rows && column < columns {
                    let number = element / self.elements_of_register();
                    let mark = if register == Some(number) { "**" } else { "" };
                    cells[(row * columns + column) as usize] = format!("{mark}t{thread} r{number}{mark}");
                }
            }
        }
        let name = |at: u32, length: u32| match length {
            1 => at.to_string(),
            _ => format!("{}–{}", at * length, at * length + length - 1),
        };
        let mut text = String::from("| |");
        (0..columns).for_each(|column| text += &format!(" {} |", name(column, wide)));
        text += "\n|---|";
        text += &"---|".repeat(columns as usize);
        for row in 0..rows {
            let line = &cells[(row * columns) as usize..((row + 1) * columns) as usize];
            let _ = write!(text, "\n| **{}** | {} |", name(row, high), line.join(" | "));
        }
        let left_out = (self.rows > rows * high, self.columns > columns * wide);
        let shown = |what: &str, count: u32| format!("the first {count} {what}");
        let _ = match left_out {
            (false, false) => Ok(()),
            (true, false) => write!(text, "\n\nShown: {}.", shown("rows", rows * high)),
            (false, true) => write!(text, "\n\nShown: {}.", shown("columns", columns * wide)),
            (true, true) => {
                write!(text, "\n\nShown: {} and {}.", shown("rows", rows * high), shown("columns", columns * wide))
            }
        };
        text
    }

    /// The rows and columns that the elements of one register have in common.
    fn cell(&self, layout: &FragmentLayout) -> [u32; 2] {
        let places = |element| self.place(layout.position(0, element));
        let first = places(0);
        let neighbours = |at: usize| {
            let is_next = |element: &u32| {
                let mut expected = first;
                expected[at] += element;
                places(*element) == expected
            };
            let count = self.elements_of_register().min(layout.elements());
            (1..count).take_while(is_next).count() as u32 + 1
        };
        [neighbours(0), neighbours(1)]
    }
}

/// A run of bits of the number of a thread or an element that are a run of bits of a position.
struct BitRun {
    from: Range<u32>,
    to: u32,
}

/// A row, a column or a product as a formula of the thread `t` and its element `e`.
fn formula(layout: &FragmentLayout, dimension: usize) -> String {
    let of_elements = u32::BITS - (layout.elements() - 1).leading_zeros();
    let threads = runs(layout.thread_bits(), dimension, layout.thread_bits().len() as u32);
    let elements = runs(layout.element_bits(), dimension, of_elements);
    let mut terms: Vec<(u32, String)> = Vec::new();
    terms.extend(threads.iter().map(|run| (run.to, term("t", run, layout.thread_bits().len() as u32))));
    terms.extend(elements.iter().map(|run| (run.to, term("e", run, of_elements))));
    terms.sort_by_key(|(to, _)| std::cmp::Reverse(*to));
    let terms: Vec<String> = terms.into_iter().map(|(_, term)| term).collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}

/// The runs of the first bits of a number.
fn runs(bits: &[PositionBit], dimension: usize, count: u32) -> Vec<BitRun> {
    let mut runs: Vec<BitRun> = Vec::new();
    for (at, bit) in (0..count).zip(bits).filter(|(_, bit)| bit.dimension == dimension) {
        match runs.last_mut() {
            Some(last) if last.from.end == at && last.to + (at - last.from.start) == bit.bit => last.from.end += 1,
            _ => runs.push(BitRun { from: at..at + 1, to: bit.bit }),
        }
    }
    runs
}

/// A run of the bits of a number with `count` bits.
fn term(name: &str, run: &BitRun, count: u32) -> String {
    let mut text = name.to_owned();
    if run.from.start > 0 {
        let _ = write!(text, " / {}", 1u32 << run.from.start);
    }
    if run.from.end < count {
        let _ = write!(text, " % {}", 1u32 << run.from.len());
    }
    if run.to > 0 {
        let _ = write!(text, " * {}", 1u32 << run.to);
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::resolve::{Resolution, resolve};
    use crate::{MatrixOperand, Module, Spelling};

    fn operand(opcode: &str, name: &str) -> MatrixOperand {
        let words: Vec<&str> = opcode.split('.').collect();
        match resolve(&Spelling { mnemonic: words[0], modifiers: &words[1..] }, &Module::default()) {
            Resolution::Legal(instruction) => instruction.matrix_operand(name).expect("a matrix"),
            other => panic!("{opcode}: {other:?}"),
        }
    }

    const MMA: &str = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";

    #[test]
    fn a_layout_is_a_formula_and_a_table() {
        let page = operand(MMA, "d").layout_page(Some(2)).expect("a layout");
        assert!(
            page.starts_with(
                "Lane `t` holds in its element `e` that of row `e / 2 * 8 + t / 4`, column `t % 4 * 2 + e % 2`."
            ),
            "{page}"
        );
        assert!(page.contains("\n| **0** | t0 r0 | t0 r1 | t1 r0 |"), "{page}");
        assert!(page.contains("\n| **9** | **t4 r2** | t4 r3 | **t5 r2** |"), "{page}");
        assert_eq!(page.lines().filter(|line| line.starts_with("| **")).count(), 16, "{page}");
    }

    #[test]
    fn elements_of_one_register_share_a_cell() {
        let page = operand(MMA, "a").layout_page(None).expect("a layout");
        assert!(page.contains("\n| | 0–1 | 2–3 |"), "{page}");
        assert!(page.contains("\n| **8** | t0 r1 | t1 r1 | t2 r1 | t3 r1 | t0 r3 |"), "{page}");
        let page = operand(MMA, "b").layout_page(None).expect("a layout");
        assert!(page.contains("\n| **0–1** | t0 r0 | t4 r0 |"), "{page}");
    }

    #[test]
    fn a_large_matrix_is_shown_in_part() {
        let operand = operand("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", "d");
        let page = operand.layout_page(None).expect("a layout");
        assert!(page.contains("row `t / 32 * 16 + e / 2 % 2 * 8 + t / 4 % 8`"), "{page}");
        assert!(page.contains("column `e / 4 * 8 + t % 4 * 2 + e % 2`"), "{page}");
        assert!(page.ends_with("Shown: the first 16 rows and the first 16 columns."), "{page}");
    }
}

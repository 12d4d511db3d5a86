//! Which element of a matrix each register of a thread holds: the rows of `tables/fragments.rows`.

use crate::tables::rows::{Line, RowError, expect_read, rows_file};
use std::sync::LazyLock;

/// A bit of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PositionBit {
    pub dimension: usize,
    pub bit: u32,
}

/// The position of an element: its row in a and d, its column in b and d, its column in a or row in b, and the product among several.
pub type ElementPosition = [u32; 4];

/// Where the elements of a matrix are in the registers of the threads that hold it together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentLayout {
    threads: Vec<PositionBit>,
    elements: Vec<PositionBit>,
    /// The elements of each thread.
    count: u32,
}

impl FragmentLayout {
    /// The position of an element of a thread: both are numbered from 0.
    pub fn position(&self, thread: u32, element: u32) -> ElementPosition {
        let mut position = [0; 4];
        for (bits, number) in [(&self.threads, thread), (&self.elements, element)] {
            for (at, of) in bits.iter().enumerate() {
                position[of.dimension] |= (number >> at & 1) << of.bit;
            }
        }
        position
    }

    /// The threads that hold the matrix.
    pub fn threads(&self) -> u32 {
        1 << self.threads.len()
    }

    /// The elements that a thread holds.
    pub const fn elements(&self) -> u32 {
        self.count
    }

    /// The bits of a position by those of the number of the thread, the lowest first.
    pub(crate) fn thread_bits(&self) -> &[PositionBit] {
        &self.threads
    }

    /// The bits of a position by those of the number of the element in a thread, the lowest first.
    pub(crate) fn element_bits(&self) -> &[PositionBit] {
        &self.elements
    }

    /// The same with the first elements of each thread.
    pub fn first_elements(&self, count: u32) -> Self {
        Self { count, ..self.clone() }
    }
}

/// The layouts by instruction, matrix, size, and bits of an element.
type Rows = Vec<([&'static str; 4], FragmentLayout)>;

static LAYOUTS: LazyLock<Rows> =
    LazyLock::new(|| expect_read(rows_file!("fragments.rows").lines().map(read).collect()));

fn read(line: Line) -> Result<([&'static str; 4], FragmentLayout), RowError> {
    let (head, elements) = line.text.split_once('|').ok_or_else(|| line.error("missing `|` before the elements"))?;
    let words: Vec<&str> = head.split_whitespace().collect();
    let [instruction, matrix, size, bits, threads @ ..] = &words[..] else {
        return Err(line.error("an instruction, a matrix, a size and the bits of an element are expected"));
    };
    let bit = |word: &str| {
        let (dimension, bit) = word.split_at_checked(1)?;
        let dimension = ["m", "n", "k", "q"].iter().position(|known| *known == dimension)?;
        Some(PositionBit { dimension, bit: bit.parse().ok()? })
    };
    let read_bits = |words: &[&str]| words.iter().map(|word| bit(word)).collect::<Option<Vec<_>>>();
    let elements: Vec<&str> = elements.split_whitespace().collect();
    let layout = read_bits(threads).zip(read_bits(&elements));
    let (threads, elements) = layout.ok_or_else(|| line.error("a bit of a position is expected: `m0`"))?;
    let count = 1 << elements.len();
    Ok(([instruction, matrix, size, bits], FragmentLayout { threads, elements, count }))
}

/// The layout of a matrix, such as `a` of size `m16k16`, of an instruction on elements of so many bits; `None` if it is not known.
pub fn fragment_layout(instruction: &str, matrix: &str, size: &str, bits: u32) -> Option<&'static FragmentLayout> {
    let bits = bits.to_string();
    let fits = |key: &[&str; 4]| key[..3] == [instruction, matrix, size] && (key[3] == "-" || key[3] == bits);
    LAYOUTS.iter().find(|(key, _)| fits(key)).map(|(_, layout)| layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_element_of_a_matrix_is_held_once() {
        for (key, layout) in LAYOUTS.iter() {
            let threads = 0..layout.threads();
            let positions: Vec<ElementPosition> =
                threads.flat_map(|thread| (0..layout.elements()).map(move |at| layout.position(thread, at))).collect();
            let different: BTreeSet<&ElementPosition> = positions.iter().collect();
            assert_eq!(different.len(), positions.len(), "{key:?}");
        }
    }

    #[test]
    fn a_size_says_how_many_elements_there_are() {
        for (key, layout) in LAYOUTS.iter().filter(|(key, _)| key[2] != "m64") {
            let numbers = key[2].split(['m', 'n', 'k']).filter_map(|number| number.parse::<u32>().ok());
            let words = if key[3] == "1" { 32 } else { 1 };
            let products = if key[1].contains('.') { 4 } else { 1 };
            assert_eq!(numbers.product::<u32>() * products / words, layout.threads() * layout.elements(), "{key:?}");
        }
    }

    #[test]
    fn neighbours_of_a_row_are_in_one_register() {
        let layout = fragment_layout("mma", "a", "m16k16", 16).expect("a layout");
        assert_eq!(
            [0, 1, 2, 4].map(|element| layout.position(5, element)),
            [[1, 0, 2, 0], [1, 0, 3, 0], [9, 0, 2, 0], [1, 0, 10, 0]]
        );
    }
}

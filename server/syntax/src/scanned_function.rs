//! A function that was scanned instead of visited in its tree.

use crate::fast_scanner;
use crate::fast_scanner::ScannedElement;
use crate::instruction::is_call;
use crate::reader::Token;
use std::ops::Range;

/// A function without syntax errors, as its elements.
#[derive(Debug)]
pub struct ScannedFunction {
    text: String,
    start: usize,
    elements: Vec<ScannedElement>,
}

impl ScannedFunction {
    /// Scans a text that is one function; `None` if the scanner does not recognize a part of it.
    pub fn of(text: &str) -> Option<Self> {
        Self::at(0, text.to_owned())
    }

    /// Scans the text of a function that begins at an offset of its file.
    pub(crate) fn at(start: usize, text: String) -> Option<Self> {
        let elements = fast_scanner::scan_function(&text, start)?;
        Some(ScannedFunction { text, start, elements })
    }

    /// What it consists of, in order.
    pub(crate) fn elements(&self) -> &[ScannedElement] {
        &self.elements
    }

    /// Its instructions.
    pub fn instructions(&self) -> impl Iterator<Item = InstructionText<'_>> {
        let text = |start: u32, end: u32| self.text(start as usize..end as usize);
        self.elements.iter().filter_map(move |element| match element {
            ScannedElement::Instruction(at) => Some(InstructionText {
                is_guarded: at.start < at.opcode,
                opcode: Token {
                    text: text(at.opcode, at.opcode_end).into(),
                    range: at.opcode as usize..at.opcode_end as usize,
                },
                behind: text(at.opcode_end, at.end),
            }),
            _ => None,
        })
    }

    /// The number of its elements: instructions, declarations, labels and braces.
    pub fn element_count(&self) -> usize {
        self.elements.len()
    }

    /// The text in a byte range of the file that is within the function.
    pub fn text(&self, range: Range<usize>) -> &str {
        &self.text[range.start - self.start..range.end - self.start]
    }
}

/// The text of an instruction of a scanned function.
#[derive(Debug)]
pub struct InstructionText<'t> {
    /// Whether it has a guard.
    pub is_guarded: bool,
    /// Its opcode.
    pub opcode: Token<'t>,
    /// What follows the opcode.
    behind: &'t str,
}

impl<'t> InstructionText<'t> {
    /// The operands, in written order.
    pub fn operands(&self) -> impl Iterator<Item = &'t str> {
        let split = if is_call(&self.opcode.text) { fast_scanner::call_operands } else { fast_scanner::operands };
        split(self.behind).into_iter().map(|range| &self.behind[range])
    }
}

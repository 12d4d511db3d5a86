//! A hand-written scanner of PTX in canonical form, as compilers write nearly all of it. Text that it recognizes is not parsed.
//!
//! It recognizes a small subset of the grammar's language, and leaves everything else to the parser. If it cannot follow a text with certainty,
//! the parser reads all of it.

mod constant;
mod data;
mod declaration;
mod head;
mod instruction;
mod module;

pub(crate) use crate::fast_scanner::declaration::{DeclarationContext, declarations};
pub(crate) use crate::fast_scanner::instruction::{call_operands, operands};

use crate::declaration::ParameterKind;
use crate::fast_scanner::module::FastScanner;
use std::ops::Range;

/// An instruction in canonical form: the byte offsets of its start and end, and of those of its opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScannedInstruction {
    pub(crate) start: u32,
    pub(crate) opcode: u32,
    pub(crate) opcode_end: u32,
    pub(crate) end: u32,
}

/// An element that the scanner recognized, and that is therefore not in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScannedElement {
    Instruction(ScannedInstruction),
    /// A label's name; the `:` touches it.
    Label {
        start: u32,
        end: u32,
    },
    /// A declaration, with its `;` or up to its value.
    Declaration {
        start: u32,
        end: u32,
    },
    /// The start of a function, and its name.
    Function {
        start: u32,
        name: u32,
        name_end: u32,
    },
    /// A function's parameter.
    Parameter {
        start: u32,
        end: u32,
        kind: ParameterKind,
    },
    /// A function's last byte.
    End(u32),
    /// A `{` in a function.
    Open(u32),
    /// Its `}`.
    Close(u32),
}

impl ScannedElement {
    pub(crate) fn start(self) -> usize {
        (match self {
            ScannedElement::Instruction(instruction) => instruction.start,
            ScannedElement::Label { start, .. } | ScannedElement::Declaration { start, .. } => start,
            ScannedElement::Function { start, .. } | ScannedElement::Parameter { start, .. } => start,
            ScannedElement::Open(at) | ScannedElement::Close(at) | ScannedElement::End(at) => at,
        }) as usize
    }
}

impl ScannedElement {
    /// The same element so many bytes later.
    fn moved(self, by: u32) -> Self {
        match self {
            ScannedElement::Instruction(ScannedInstruction { start, opcode, opcode_end, end }) => {
                let [start, opcode, opcode_end, end] = [start, opcode, opcode_end, end].map(|at| at + by);
                ScannedElement::Instruction(ScannedInstruction { start, opcode, opcode_end, end })
            }
            ScannedElement::Label { start, end } => ScannedElement::Label { start: start + by, end: end + by },
            ScannedElement::Declaration { start, end } => {
                ScannedElement::Declaration { start: start + by, end: end + by }
            }
            ScannedElement::Function { start, name, name_end } => {
                ScannedElement::Function { start: start + by, name: name + by, name_end: name_end + by }
            }
            ScannedElement::Parameter { start, end, kind } => {
                ScannedElement::Parameter { start: start + by, end: end + by, kind }
            }
            ScannedElement::End(at) => ScannedElement::End(at + by),
            ScannedElement::Open(at) => ScannedElement::Open(at + by),
            ScannedElement::Close(at) => ScannedElement::Close(at + by),
        }
    }
}

/// Consecutive items of a module, which can be parsed without the others.
#[derive(Debug)]
pub(crate) struct ParsePart {
    pub(crate) range: Range<usize>,
    /// Ranges that the parser skips.
    pub(crate) excluded: Vec<Range<usize>>,
}

/// The result of a scan.
#[derive(Debug)]
pub(crate) struct ScanResult {
    /// The recognized elements, in order.
    pub(crate) elements: Vec<ScannedElement>,
    /// Whether there is a directive comment: `//=`, `//!`, `/*=` or `/*!`.
    pub(crate) has_directive_comment: bool,
    /// The functions, variables, sections and `.file` directives that were recognized as a whole, in order.
    pub(crate) items: Vec<Range<u32>>,
    /// The whole text, in parts.
    pub(crate) parts: Vec<ParsePart>,
}

/// Scans a text; `None` if it cannot be followed with certainty.
pub(crate) fn scan(text: &str) -> Option<ScanResult> {
    // A zero byte is an error everywhere, in comments too.
    if text.len() > u32::MAX as usize || memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    FastScanner::of(text).scan()
}

/// Scans a text that is one function, which starts at an offset of its file; `None` if a part of it is not in canonical form.
pub(crate) fn scan_function(text: &str, offset: usize) -> Option<Vec<ScannedElement>> {
    if offset + text.len() > u32::MAX as usize || memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    let mut elements = FastScanner::of(text).only_function()?;
    elements.iter_mut().for_each(|element| *element = element.moved(offset as u32));
    Some(elements)
}

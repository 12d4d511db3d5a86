//! What a text is made of where it is spelt in the plainest way, read by hand so that a parser need not: nearly all that compilers write.
//!
//! What is recognised here is a part of the grammar's language, and a small one: whatever is spelt in another way is left to the parser. Where
//! the text cannot be followed with certainty, all of it is.

mod constant;
mod data;
mod declaration;
mod head;
mod instruction;
mod module;

pub(crate) use declaration::declarations;
pub(crate) use instruction::{call_operands, operands};

use module::FastScanner;
use std::ops::Range;

/// An instruction in plain spelling: where it begins, where its opcode does, and where they end, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScannedInstruction {
    pub(crate) start: u32,
    pub(crate) opcode: u32,
    pub(crate) opcode_end: u32,
    pub(crate) end: u32,
}

/// What is left out of the tree.
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
    /// A function begins, and where its name is.
    Function {
        start: u32,
        name: u32,
        name_end: u32,
    },
    /// A function's parameter.
    Parameter {
        start: u32,
        end: u32,
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
            ScannedElement::Instruction(plain) => plain.start,
            ScannedElement::Label { start, .. } | ScannedElement::Declaration { start, .. } => start,
            ScannedElement::Function { start, .. } | ScannedElement::Parameter { start, .. } => start,
            ScannedElement::Open(at) | ScannedElement::Close(at) | ScannedElement::End(at) => at,
        }) as usize
    }
}

/// Some of a module's items, one after the other, that can be parsed without the others.
#[derive(Debug)]
pub(crate) struct ParsePart {
    pub(crate) range: Range<usize>,
    /// What a parser may pass over.
    pub(crate) holes: Vec<Range<usize>>,
}

/// What was recognised in a text.
#[derive(Debug)]
pub(crate) struct ScanResult {
    /// What is left out, in order.
    pub(crate) pieces: Vec<ScannedElement>,
    /// Whether there is a comment to us: `//=`, `//!`, `/*=` or `/*!`.
    pub(crate) has_directive_comment: bool,
    /// The functions, variables, sections and `.file` directives that are left out as a whole, in order.
    pub(crate) items: Vec<Range<u32>>,
    /// The whole text, part by part.
    pub(crate) parts: Vec<ParsePart>,
}

/// Reads a text; `None` where it cannot be followed with certainty.
pub(crate) fn outline(text: &str) -> Option<ScanResult> {
    // A zero byte is an error wherever it stands, in comments too.
    if text.len() > u32::MAX as usize || memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    FastScanner::of(text).outline()
}

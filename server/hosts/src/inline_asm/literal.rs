//! The literals of a host text.

use std::ops::Range;

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub struct PartLiteral {
    /// The text between its quotes.
    pub inner: Range<usize>,
    /// How its text is written.
    pub form: LiteralForm,
    /// Whether it is terminated.
    pub closed: bool,
}

/// How the text of a literal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralForm {
    /// A literal of C++: whether it is raw, and whether it is narrow. The compiler accepts no other.
    Cpp {
        /// `R"(…)"`
        raw: bool,
        /// Without `L`, `u` or `U` before it.
        narrow: bool,
    },
    /// A literal of Python, or the text of one between two replacement fields.
    Python(PythonLiteral),
    /// A literal of another language.
    Escaped(LiteralEscapes),
    /// No literal: attributes of an object of Python, whose names are the words of an opcode.
    Attributes,
}

/// The escapes of a language whose literals need nothing else to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralEscapes {
    /// Raw literals of Rust, and text that is in no literal.
    None,
    /// JSON.
    Json,
    /// LLVM IR and MLIR: `\0A`.
    Llvm,
    /// Rust.
    Rust,
    /// Julia, where `$` interpolates.
    Julia,
}

/// How the text of a literal of Python is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PythonLiteral {
    /// Whether it has no escapes.
    pub raw: bool,
    /// The quote around it.
    pub quote: char,
    /// Whether three quotes are around it.
    pub triple: bool,
    /// What is replaced in it.
    pub formatting: Formatting,
}

/// How values are put into a literal of Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formatting {
    /// Not at all.
    None,
    /// Those of an f-string are parts of their own; braces are doubled.
    Interpolated,
    /// By `format`: `{…}`.
    Braces,
    /// By the operator `%`.
    Percent,
}

impl PartLiteral {
    /// Whether an offset is between its quotes.
    pub fn contains(&self, offset: usize) -> bool {
        self.inner.start <= offset && offset <= self.inner.end
    }
}

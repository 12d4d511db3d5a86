//! A template after the substitution of its operands.

use super::template_char::TemplateChar;
use std::ops::Range;

/// A sequence of a template that the compiler rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// `%[name]`
    Named,
    /// A modifier of an operand that does not exist.
    Modifier,
    /// A special character that begins nothing.
    Lonely,
    /// `${` without its `}`, or with something else than a number in it.
    Braces,
    /// `$(` inside of `$(`.
    Nested,
}

/// A template after substitution.
#[derive(Debug, Default)]
pub(crate) struct Substituted {
    pub units: Vec<TemplateChar>,
    /// The uses of operands: ranges in the host text and operand numbers.
    pub uses: Vec<(Range<usize>, usize)>,
    /// The errors, with ranges in the host text.
    pub mistakes: Vec<(Range<usize>, TemplateError)>,
}

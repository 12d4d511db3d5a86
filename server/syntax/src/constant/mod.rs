//! Constants: their types, and those that the assembler rejects: numbers out of range and divisions by zero.
//!
//! They are read from the text, because the tree keeps operands and data as single leaves.

mod expression;
mod filter;
mod literal;
#[cfg(test)]
mod tests;
mod types;
mod value;

pub use crate::constant::expression::OPERATOR_LEVELS;
pub use crate::constant::literal::Overflow;
pub use crate::constant::types::{ConstantType, Mistyped, constant_type};
pub use crate::constant::value::integer_value;

use crate::lexer::{Lexer, NumberKind, TokenKind};
use ropey::Rope;
use std::ops::Range;

/// A word, a number or a sign.
#[derive(Clone, Copy, Debug)]
struct ConstantToken<'t> {
    kind: TokenKind,
    text: &'t str,
    start: usize,
}

impl ConstantToken<'_> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

fn tokens(text: &str) -> Vec<ConstantToken<'_>> {
    Lexer::code(text)
        .map(|(kind, range)| ConstantToken { kind, text: &text[range.clone()], start: range.start })
        .collect()
}

/// A constant that the assembler rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidConstant {
    /// The number, or the divisor.
    pub range: Range<usize>,
    /// What is wrong with it.
    pub mistake: ConstantError,
}

/// What is wrong with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantError {
    /// It is out of range.
    Overflow(Overflow),
    /// It is a divisor, and zero.
    DivisionByZero,
}

/// The constants in a byte range that the assembler rejects, in text order. The range neither begins nor ends inside a comment or string.
pub fn invalid_constants(text: &Rope, range: Range<usize>) -> Vec<InvalidConstant> {
    let slice = text.byte_slice(range.clone());
    if !filter::may_be_invalid(slice.chunks().map(str::as_bytes)) {
        return Vec::new();
    }
    let text = slice.to_string();
    // Contiguous text, so that no word is cut at the end of a chunk.
    if !filter::may_be_invalid(std::iter::once(text.as_bytes())) {
        return Vec::new();
    }
    let tokens = tokens(&text);
    let mut places = NarrowPlaces::default();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let narrow = places.is_narrow(&tokens, at);
        let mistake = match token.kind {
            TokenKind::Number(NumberKind::Integer) if narrow => literal::narrow(token.text),
            TokenKind::Number(NumberKind::Integer) => literal::wide(token.text),
            TokenKind::Number(NumberKind::Decimal) => literal::float(token.text),
            _ => None,
        };
        found.extend(mistake.map(|overflow| (token.range(), ConstantError::Overflow(overflow))));
        if token.kind == TokenKind::Sign && matches!(token.text, "/" | "%") {
            let divisor = value::zero_operand(&tokens[at + 1..]);
            found.extend(divisor.map(|range| (range, ConstantError::DivisionByZero)));
        }
    }
    let whole = |part: Range<usize>| range.start + part.start..range.start + part.end;
    found.into_iter().map(|(part, mistake)| InvalidConstant { range: whole(part), mistake }).collect()
}

/// Tracks where numbers have 32 bits.
#[derive(Default)]
struct NarrowPlaces {
    /// How many more 32-bit numbers the directive has.
    left: usize,
    /// Whether this is a register declaration, with its count in `<>`.
    registers: bool,
}

impl NarrowPlaces {
    /// Advances to a token; returns whether a number there has 32 bits.
    fn is_narrow(&mut self, tokens: &[ConstantToken], at: usize) -> bool {
        let token = &tokens[at];
        match token.kind {
            TokenKind::Word | TokenKind::Dotted => {
                self.registers |= token.text == ".reg";
                self.left = numbers(token.text);
                false
            }
            TokenKind::Number(NumberKind::Integer) => {
                let counted = self.left > 0;
                self.left = self.left.saturating_sub(1);
                counted || self.registers && at > 0 && tokens[at - 1].text == "<"
            }
            TokenKind::Sign => {
                if token.text != "," {
                    self.left = 0;
                }
                self.registers &= !matches!(token.text, ";" | "{" | "}");
                false
            }
            _ => false,
        }
    }
}

/// How many numbers after a word have 32 bits.
fn numbers(word: &str) -> usize {
    match word {
        ".loc" | "inlined_at" | ".maxntid" | ".reqntid" | ".reqnctapercluster" => 3,
        ".file"
        | ".align"
        | ".address_size"
        | ".maxnreg"
        | ".local_maxnreg"
        | ".minnctapersm"
        | ".maxnctapersm"
        | ".maxclusterrank"
        | ".abi_preserve"
        | ".abi_preserve_control" => 1,
        _ => 0,
    }
}

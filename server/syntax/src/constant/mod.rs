//! Constants: their types, and those that the assembler refuses: numbers that do not fit, and divisions by zero, wherever they stand.
//!
//! Reads the text and not the tree, which keeps operands and data as single leaves.

mod expression;
mod filter;
mod literal;
#[cfg(test)]
mod tests;
mod types;
mod value;

pub use literal::Overflow;
pub use types::{ConstantType, Mistyped, constant_type};

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

/// A constant that the assembler refuses.
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
    /// It does not fit.
    Overflow(Overflow),
    /// Something is divided by it, and it is zero.
    DivisionByZero,
}

/// The constants in a byte range that the assembler refuses, in the order of the text. The range neither begins nor ends within a comment or a string.
pub fn invalid_constants(text: &Rope, range: Range<usize>) -> Vec<InvalidConstant> {
    let slice = text.byte_slice(range.clone());
    if !filter::may_be_invalid(slice.chunks().map(str::as_bytes)) {
        return Vec::new();
    }
    let text = slice.to_string();
    // In one piece, no word is cut where a chunk ends.
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

/// Where in a text numbers have 32 bits.
#[derive(Default)]
struct NarrowPlaces {
    /// How many more of them the directive has.
    left: usize,
    /// Whether registers are being declared, whose number stands in `<>`.
    registers: bool,
}

impl NarrowPlaces {
    /// Goes on to a token, and says whether it stands where a number has 32 bits.
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

/// How many numbers behind a word have 32 bits.
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

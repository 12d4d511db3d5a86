//! What type a constant expression has, as the assembler types it: integers and floating-point numbers never mix.
//!
//! Must not know instructions.

use std::ops::Range;
use syntax::Token;

/// The type of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// 64 bits, signed or not; cut to the width that is wanted.
    Integer,
    /// The bits of a 32-bit number, `0f…`.
    Single,
    /// A decimal number, or the bits of a 64-bit number, `0d…`.
    Double,
}

/// A part of an expression that is not typed as its surroundings want it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistyped {
    pub range: Range<usize>,
    pub message: &'static str,
}

/// The type of an expression, given by its pieces.
pub(super) fn literal(pieces: &[Token]) -> Result<Literal, Mistyped> {
    Parser { pieces, at: 0, depth: 0 }.choice()
}

/// Binary operators, the loosest first; on each level what may stand in place of the other.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];
const COMPARISONS: Range<usize> = 5..7;
const ARITHMETIC: usize = 8;

/// How deep parentheses and signs are followed; beyond that an expression counts as an integer.
const DEPTH: usize = 100;

struct Parser<'p, 'a> {
    pieces: &'p [Token<'a>],
    at: usize,
    depth: usize,
}

impl Parser<'_, '_> {
    fn choice(&mut self) -> Result<Literal, Mistyped> {
        self.depth += 1;
        if self.depth > DEPTH {
            self.at = self.pieces.len();
            return Ok(Literal::Integer);
        }
        let start = self.at;
        let condition = self.binary(0)?;
        if self.next_is("?") {
            self.integer(condition, start)?;
            for sign in ["?", ":"] {
                self.take(sign);
                let start = self.at;
                let branch = self.choice()?;
                self.integer(branch, start)?;
            }
        }
        self.depth -= 1;
        Ok(condition)
    }

    fn binary(&mut self, level: usize) -> Result<Literal, Mistyped> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let start = self.at;
        let mut left = self.binary(level + 1)?;
        while self.operator(level) {
            let middle = self.at;
            let right = self.binary(level + 1)?;
            if left != right {
                return Err(self.mistyped(start, "an integer and a floating-point number do not go together"));
            }
            if !COMPARISONS.contains(&level) && level < ARITHMETIC {
                self.integer(left, start)?;
                self.integer(right, middle)?;
            }
            if COMPARISONS.contains(&level) {
                left = Literal::Integer;
            }
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Literal, Mistyped> {
        let start = self.at;
        self.depth += 1;
        let Some(piece) = self.pieces.get(start).filter(|_| self.depth <= DEPTH) else {
            self.at = self.pieces.len();
            return Ok(Literal::Integer);
        };
        self.at += 1;
        let ty = match &*piece.text {
            "-" | "+" => self.unary()?,
            "!" | "~" => {
                let operand = self.unary()?;
                self.integer(operand, start + 1)?;
                operand
            }
            "(" => match self.pieces.get(self.at).filter(|word| word.text.starts_with('.') && is_type(&word.text)) {
                Some(cast) => {
                    self.at += 1;
                    self.take(")");
                    if !matches!(&*cast.text, ".s64" | ".u64") {
                        return Err(Mistyped {
                            range: cast.range.clone(),
                            message: "a constant can be cast to `.s64` and `.u64` only",
                        });
                    }
                    let operand = self.unary()?;
                    self.integer(operand, start + 3)?;
                    operand
                }
                None => {
                    let inner = self.choice()?;
                    self.take(")");
                    inner
                }
            },
            number => of_number(number),
        };
        self.depth -= 1;
        Ok(ty)
    }

    /// Takes an operator of a level, if one is next. Signs of two characters are two pieces.
    fn operator(&mut self, level: usize) -> bool {
        let sign = |at: usize| self.pieces.get(at).map_or("", |piece| &*piece.text);
        let (first, second) = (sign(self.at), sign(self.at + 1));
        let both = [first, second].concat();
        let double = LEVELS.iter().flat_map(|level| level.iter()).any(|operator| *operator == both && both.len() == 2);
        let operator = if double { both.as_str() } else { first };
        let found = LEVELS[level].contains(&operator);
        self.at += if found { operator.len() } else { 0 };
        found
    }

    fn next_is(&self, sign: &str) -> bool {
        self.pieces.get(self.at).is_some_and(|piece| piece.text == sign)
    }

    fn take(&mut self, sign: &str) {
        self.at += usize::from(self.next_is(sign));
    }

    fn integer(&self, ty: Literal, start: usize) -> Result<(), Mistyped> {
        match ty {
            Literal::Integer => Ok(()),
            _ => Err(self.mistyped(start, "this operator works on integers only")),
        }
    }

    /// What was read since a piece is wrong.
    fn mistyped(&self, start: usize, message: &'static str) -> Mistyped {
        let first = self.pieces.get(start).map_or(0, |piece| piece.range.start);
        let last = self.pieces.get(self.at.saturating_sub(1)).map_or(first, |piece| piece.range.end);
        Mistyped { range: first..last.max(first), message }
    }
}

fn is_type(word: &str) -> bool {
    word[1..].starts_with(|c: char| c.is_ascii_alphabetic())
}

fn of_number(text: &str) -> Literal {
    let lower = text.to_ascii_lowercase();
    match lower.as_bytes() {
        [b'0', b'f', ..] => Literal::Single,
        [b'0', b'd', ..] => Literal::Double,
        [b'0', b'x', ..] => Literal::Integer,
        _ if lower.contains(['.', 'e']) && lower.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            Literal::Double
        }
        _ => Literal::Integer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::{Operand, Rope};

    fn typed(text: &str) -> Result<Literal, Mistyped> {
        let rope = Rope::from_str(text);
        let token = syntax::Reader::new(&rope).read(0..text.len());
        literal(&Operand::new(token).pieces())
    }

    #[test]
    fn expressions_have_the_assemblers_types() {
        for text in [
            "1",
            "-0x1F",
            "1+2*3",
            "(1+2)*3",
            "1.0<2.0",
            "1?2:3",
            "!1",
            "WARP_SZ",
            "(.s64)1",
            "1<<2|3",
            "1.0==2.0 && 1",
        ] {
            assert_eq!(typed(text), Ok(Literal::Integer), "{text}");
        }
        for text in ["1.0", "-1.5e3", "-(1.0)", "1.0*2.0-1.0", "0d3FF0000000000000", ".5"] {
            assert_eq!(typed(text), Ok(Literal::Double), "{text}");
        }
        assert_eq!(typed("(0f3F800000)"), Ok(Literal::Single));
    }

    #[test]
    fn integers_and_floats_do_not_mix() {
        for (text, range) in [
            ("1.5+2", 0..5),
            ("!1.0", 1..4),
            ("1.0&&2.0", 0..8),
            ("1?1.0:2", 2..5),
            ("1.0?1:2", 0..3),
            ("(.u64)1.0", 6..9),
            ("(.f32)1", 1..5),
            ("1<<2.0", 0..6),
        ] {
            assert_eq!(typed(text).map_err(|e| e.range), Err(range), "{text}");
        }
    }

    #[test]
    fn endless_nesting_ends() {
        assert_eq!(typed(&"(".repeat(100_000)), Ok(Literal::Integer));
        assert_eq!(typed(&"-".repeat(100_000)), Ok(Literal::Integer));
    }
}

//! The types of constant expressions, as in the assembler: integers and floating-point numbers do not mix.

use crate::constant::expression::{ConstantParser, Semantics, Subexpression};
use crate::constant::tokens;
use crate::lexer::NumberKind;
use crate::reader::Token;
use std::ops::Range;

/// The type of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantType {
    /// 64 bits, signed or not; truncated to the width of its use.
    Integer,
    /// The bits of a 32-bit number, `0f…`.
    Single,
    /// A decimal number, or the bits of a 64-bit number, `0d…`.
    Double,
}

/// A subexpression whose type does not match its use.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistyped {
    /// Its byte range.
    pub range: Range<usize>,
    /// What is wrong with it.
    pub message: &'static str,
}

/// The type of an expression; one that cannot be parsed counts as an integer.
pub fn constant_type(expression: &Token) -> Result<ConstantType, Mistyped> {
    let start = expression.range.start;
    match ConstantParser::<Types>::new(&tokens(&expression.text)).expression() {
        Ok(part) => Ok(part.value),
        Err(None) => Ok(ConstantType::Integer),
        Err(Some(Mistyped { range, message })) => {
            Err(Mistyped { range: start + range.start..start + range.end, message })
        }
    }
}

struct Types;

fn integer(part: &Subexpression<ConstantType>, blamed: &Range<usize>) -> Result<(), Option<Mistyped>> {
    match part.value {
        ConstantType::Integer => Ok(()),
        _ => {
            Err(Some(Mistyped { range: blamed.clone(), message: "expected an integer, found a floating-point number" }))
        }
    }
}

/// The type of what an operator computes from operands of a type. Measured: floating-point numbers are 64 bits wide then.
fn computed(operand: ConstantType) -> ConstantType {
    match operand {
        ConstantType::Integer => ConstantType::Integer,
        ConstantType::Single | ConstantType::Double => ConstantType::Double,
    }
}

impl Semantics for Types {
    type Value = ConstantType;
    type Error = Option<Mistyped>;

    fn unreadable() -> Self::Error {
        None
    }

    fn number(kind: NumberKind, _: &str) -> Result<ConstantType, Self::Error> {
        Ok(match kind {
            NumberKind::Integer => ConstantType::Integer,
            NumberKind::Single => ConstantType::Single,
            NumberKind::Double | NumberKind::Decimal => ConstantType::Double,
        })
    }

    fn warp_size() -> ConstantType {
        ConstantType::Integer
    }

    fn unary(sign: &str, operand: Subexpression<ConstantType>) -> Result<ConstantType, Self::Error> {
        if matches!(sign, "!" | "~") {
            integer(&operand, &operand.range)?;
        }
        Ok(if sign == "-" { computed(operand.value) } else { operand.value })
    }

    fn binary(
        sign: &str,
        left: Subexpression<ConstantType>,
        right: Subexpression<ConstantType>,
    ) -> Result<ConstantType, Self::Error> {
        let whole = left.range.start..right.range.end;
        if computed(left.value) != computed(right.value) {
            let message = "mismatched types: integer and floating-point number";
            return Err(Some(Mistyped { range: whole, message }));
        }
        match sign {
            "==" | "!=" | "<" | "<=" | ">" | ">=" => return Ok(ConstantType::Integer),
            "+" | "-" | "*" | "/" => {}
            _ => integer(&left, &whole)?,
        }
        Ok(computed(left.value))
    }

    fn cast(to: Subexpression<&str>, operand: Subexpression<ConstantType>) -> Result<ConstantType, Self::Error> {
        if !matches!(to.value, ".s64" | ".u64") {
            let message = "invalid cast: expected `.s64` or `.u64`";
            return Err(Some(Mistyped { range: to.range, message }));
        }
        integer(&operand, &operand.range)?;
        Ok(operand.value)
    }

    fn choice(
        condition: Subexpression<ConstantType>,
        yes: Subexpression<ConstantType>,
        no: Subexpression<ConstantType>,
    ) -> Result<ConstantType, Self::Error> {
        for part in [&condition, &yes, &no] {
            integer(part, &part.range)?;
        }
        Ok(condition.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::RopeReader;
    use ropey::Rope;

    fn typed(text: &str) -> Result<ConstantType, Mistyped> {
        constant_type(&RopeReader::new(&Rope::from_str(text)).read(0..text.len()))
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
            assert_eq!(typed(text), Ok(ConstantType::Integer), "{text}");
        }
        for text in [
            "1.0",
            "-1.5e3",
            "-(1.0)",
            "-(0f3F800000)",
            "(0f3F800000)*(1.0)",
            "1.0*2.0-1.0",
            "0d3FF0000000000000",
            ".5",
        ] {
            assert_eq!(typed(text), Ok(ConstantType::Double), "{text}");
        }
        assert_eq!(typed("(0f3F800000)"), Ok(ConstantType::Single));
    }

    #[test]
    fn integers_and_floats_do_not_mix() {
        for (text, range) in [
            ("1.5+2", 0..5),
            ("!1.0", 1..4),
            ("1.0&&2.0", 0..8),
            ("1.0 % 2.0", 0..9),
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
        assert_eq!(typed(&"(".repeat(100_000)), Ok(ConstantType::Integer));
        assert_eq!(typed(&"-".repeat(100_000)), Ok(ConstantType::Integer));
    }
}

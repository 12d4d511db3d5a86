//! The value of a constant expression as the assembler computes it: signed and unsigned integers of 64 bits, and `double`.

use crate::constant::expression::{ConstantParser, Semantics, Subexpression};
use crate::constant::{ConstantToken, tokens};
use crate::lexer::{Number, NumberKind};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ConstantValue {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
}

use ConstantValue::{Double, Signed, Unsigned};

/// The range of an operator's right operand, if it is zero.
pub(super) fn zero_operand(tokens: &[ConstantToken]) -> Option<Range<usize>> {
    let operand = ConstantParser::<Values>::new(tokens).unary().ok()?;
    (!operand.value.is_true()).then_some(operand.range)
}

/// The value of an expression of integers; of an unsigned one, as it is.
pub fn integer_value(expression: &str) -> Option<i128> {
    match ConstantParser::<Values>::new(&tokens(expression)).expression().ok()?.value {
        Signed(value) => Some(value.into()),
        Unsigned(value) => Some(value.into()),
        Double(_) => None,
    }
}

struct Values;

impl Semantics for Values {
    type Value = ConstantValue;
    type Error = ();

    fn unreadable() {}

    fn number(_: NumberKind, text: &str) -> Result<ConstantValue, ()> {
        match Number::parse(text).ok_or(())? {
            Number::Integer { value, unsigned } => Ok(match i64::try_from(value) {
                Ok(value) if !unsigned => Signed(value),
                _ => Unsigned(value),
            }),
            Number::Double(value) | Number::Decimal(value) => Ok(Double(value)),
            Number::Single(_) => Err(()),
        }
    }

    fn warp_size() -> ConstantValue {
        Signed(32)
    }

    fn unary(sign: &str, operand: Subexpression<ConstantValue>) -> Result<ConstantValue, ()> {
        match (sign, operand.value) {
            ("-", Signed(value)) => Ok(Signed(value.wrapping_neg())),
            ("-", Unsigned(value)) => Ok(Unsigned(value.wrapping_neg())),
            ("-", Double(value)) => Ok(Double(-value)),
            ("!", value) => Ok(Signed(i64::from(!value.is_true()))),
            ("~", Signed(value)) => Ok(Signed(!value)),
            ("~", Unsigned(value)) => Ok(Unsigned(!value)),
            ("~", Double(_)) => Err(()),
            (_, value) => Ok(value),
        }
    }

    fn binary(
        sign: &str,
        left: Subexpression<ConstantValue>,
        right: Subexpression<ConstantValue>,
    ) -> Result<ConstantValue, ()> {
        apply(sign, left.value, right.value).ok_or(())
    }

    fn cast(to: Subexpression<&str>, operand: Subexpression<ConstantValue>) -> Result<ConstantValue, ()> {
        let bits = operand.value.bits().ok_or(())?;
        match to.value {
            ".u64" => Ok(Unsigned(bits)),
            ".s64" => Ok(Signed(bits.cast_signed())),
            _ => Err(()),
        }
    }

    fn choice(
        condition: Subexpression<ConstantValue>,
        yes: Subexpression<ConstantValue>,
        no: Subexpression<ConstantValue>,
    ) -> Result<ConstantValue, ()> {
        Ok(if condition.value.is_true() { yes.value } else { no.value })
    }
}

impl ConstantValue {
    fn is_true(self) -> bool {
        match self {
            Signed(value) => value != 0,
            Unsigned(value) => value != 0,
            Double(value) => value != 0.0,
        }
    }

    /// The bits of an integer.
    fn bits(self) -> Option<u64> {
        match self {
            Signed(value) => Some(value.cast_unsigned()),
            Unsigned(value) => Some(value),
            Double(_) => None,
        }
    }
}

fn apply(operator: &str, left: ConstantValue, right: ConstantValue) -> Option<ConstantValue> {
    // As the processor shifts: by the low six bits.
    let places = || right.bits().map(|places| places as u32);
    match (operator, left, right) {
        ("&&", ..) => Some(Signed(i64::from(left.is_true() && right.is_true()))),
        ("||", ..) => Some(Signed(i64::from(left.is_true() || right.is_true()))),
        ("<<", Signed(value), _) => Some(Signed(value.wrapping_shl(places()?))),
        (">>", Signed(value), _) => Some(Signed(value.wrapping_shr(places()?))),
        ("<<", Unsigned(value), _) => Some(Unsigned(value.wrapping_shl(places()?))),
        (">>", Unsigned(value), _) => Some(Unsigned(value.wrapping_shr(places()?))),
        (_, Double(left), Double(right)) => double(operator, left, right),
        (_, Signed(left), Signed(right)) => signed(operator, left, right),
        _ => unsigned(operator, left.bits()?, right.bits()?),
    }
}

fn compare<T: PartialOrd>(operator: &str, left: T, right: T) -> Option<ConstantValue> {
    let holds = match operator {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => return None,
    };
    Some(Signed(i64::from(holds)))
}

fn double(operator: &str, left: f64, right: f64) -> Option<ConstantValue> {
    match operator {
        "+" => Some(Double(left + right)),
        "-" => Some(Double(left - right)),
        "*" => Some(Double(left * right)),
        "/" => Some(Double(left / right)),
        _ => compare(operator, left, right),
    }
}

/// The operators on integers of 64 bits, which wrap.
macro_rules! integer {
    ($name:ident, $integer:ty, $value:ident) => {
        fn $name(operator: &str, left: $integer, right: $integer) -> Option<ConstantValue> {
            Some($value(match operator {
                "/" => left.checked_div(right)?,
                "%" => left.checked_rem(right)?,
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "&" => left & right,
                "|" => left | right,
                "^" => left ^ right,
                _ => return compare(operator, left, right),
            }))
        }
    };
}

integer!(signed, i64, Signed);
integer!(unsigned, u64, Unsigned);

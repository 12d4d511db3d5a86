//! What the parts of a condition come to: a number, the device that code is compiled for, or a condition on it.
//!
//! Must not know how conditions are written, nor what macros stand for.

use super::archs::Archs;
use super::condition::Condition;

/// What a part of a condition comes to.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(i64),
    /// `__CUDA_ARCH__`, divided.
    Arch(u32),
    Truth(Condition),
}

impl Value {
    pub fn unknown() -> Self {
        Value::Truth(Condition::unknown())
    }

    fn certain(holds: bool) -> Self {
        Value::Truth(if holds { Condition::always() } else { Condition::never() })
    }

    pub fn truth(self) -> Condition {
        match self {
            Value::Number(0) => Condition::never(),
            Value::Number(_) | Value::Arch(_) => Condition::always(),
            Value::Truth(condition) => condition,
        }
    }
}

/// What two values come to with a sign of arithmetic between them.
pub(super) fn calculate(left: Value, sign: u8, right: Value) -> Value {
    let number = |made: Option<i64>| made.map_or_else(Value::unknown, Value::Number);
    match (left, sign, right) {
        (Value::Number(a), b'*', Value::Number(b)) => number(a.checked_mul(b)),
        (Value::Number(a), b'/', Value::Number(b)) => number(a.checked_div(b)),
        (Value::Number(a), b'+', Value::Number(b)) => number(a.checked_add(b)),
        (Value::Number(a), b'-', Value::Number(b)) => number(a.checked_sub(b)),
        (Value::Arch(by), b'/', Value::Number(b @ 1..=1000)) => Value::Arch(by.saturating_mul(b as u32)),
        (Value::Truth(condition), ..) | (_, _, Value::Truth(condition)) => Value::Truth(condition),
        _ => Value::unknown(),
    }
}

/// What a comparison comes to.
pub(super) fn compare(left: Value, sign: &str, right: Value) -> Value {
    let turned = match sign {
        ">=" => "<=",
        "<=" => ">=",
        ">" => "<",
        "<" => ">",
        same => same,
    };
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Value::certain(match sign {
            ">=" => a >= b,
            "<=" => a <= b,
            ">" => a > b,
            "<" => a < b,
            "==" => a == b,
            _ => a != b,
        }),
        (Value::Arch(by), Value::Number(number)) => archs(by, sign, number),
        (Value::Number(number), Value::Arch(by)) => archs(by, turned, number),
        (Value::Truth(condition), Value::Number(0)) if sign == "==" => Value::Truth(condition.not()),
        (Value::Truth(condition), _) | (_, Value::Truth(condition)) => Value::Truth(condition),
        (Value::Arch(_), Value::Arch(_)) => Value::unknown(),
    }
}

/// `__CUDA_ARCH__ / by SIGN number`.
fn archs(by: u32, sign: &str, number: i64) -> Value {
    let clamp = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
    let from = clamp(number.saturating_mul(i64::from(by)));
    let to = clamp(number.saturating_mul(i64::from(by)).saturating_add(i64::from(by) - 1));
    let condition = |low, high| Condition::exactly(&Archs::between(low, high));
    Value::Truth(match sign {
        ">=" => condition(from, u32::MAX),
        ">" => condition(to.saturating_add(1), u32::MAX),
        "<=" => condition(0, to),
        "<" => match from {
            0 => Condition::never(),
            from => condition(0, from - 1),
        },
        "==" => condition(from, to),
        _ => condition(from, to).not(),
    })
}

//! The value of a part of a condition: a number, the device architecture, or a condition on it.

use super::archs::Archs;
use super::condition::ArchCondition;

/// The value of a part of a condition.
#[derive(Clone, Debug)]
pub(super) enum ConditionValue {
    Number(i64),
    /// `__CUDA_ARCH__`, divided.
    Arch(u32),
    Truth(ArchCondition),
}

impl ConditionValue {
    pub fn unknown() -> Self {
        ConditionValue::Truth(ArchCondition::unknown())
    }

    fn certain(holds: bool) -> Self {
        ConditionValue::Truth(if holds { ArchCondition::always() } else { ArchCondition::never() })
    }

    pub fn truth(self) -> ArchCondition {
        match self {
            ConditionValue::Number(0) => ArchCondition::never(),
            ConditionValue::Number(_) => ArchCondition::always(),
            // The name is not defined elsewhere, and then it is 0.
            ConditionValue::Arch(_) => ArchCondition::device(),
            ConditionValue::Truth(condition) => condition,
        }
    }
}

/// The value of an arithmetic operation.
pub(super) fn calculate(left: ConditionValue, sign: u8, right: ConditionValue) -> ConditionValue {
    let number = |made: Option<i64>| made.map_or_else(ConditionValue::unknown, ConditionValue::Number);
    match (left, sign, right) {
        (ConditionValue::Number(a), b'*', ConditionValue::Number(b)) => number(a.checked_mul(b)),
        (ConditionValue::Number(a), b'/', ConditionValue::Number(b)) => number(a.checked_div(b)),
        (ConditionValue::Number(a), b'+', ConditionValue::Number(b)) => number(a.checked_add(b)),
        (ConditionValue::Number(a), b'-', ConditionValue::Number(b)) => number(a.checked_sub(b)),
        (ConditionValue::Arch(by), b'/', ConditionValue::Number(b @ 1..=1000)) => {
            ConditionValue::Arch(by.saturating_mul(b as u32))
        }
        (ConditionValue::Truth(condition), ..) | (_, _, ConditionValue::Truth(condition)) => {
            ConditionValue::Truth(condition)
        }
        _ => ConditionValue::unknown(),
    }
}

/// The value of a comparison.
pub(super) fn compare(left: ConditionValue, sign: &str, right: ConditionValue) -> ConditionValue {
    let turned = match sign {
        ">=" => "<=",
        "<=" => ">=",
        ">" => "<",
        "<" => ">",
        same => same,
    };
    match (left, right) {
        (ConditionValue::Number(a), ConditionValue::Number(b)) => ConditionValue::certain(holds(a, sign, b)),
        (ConditionValue::Arch(by), ConditionValue::Number(number)) => archs(by, sign, number),
        (ConditionValue::Number(number), ConditionValue::Arch(by)) => archs(by, turned, number),
        (ConditionValue::Truth(condition), ConditionValue::Number(0)) if sign == "==" => {
            ConditionValue::Truth(condition.not())
        }
        (ConditionValue::Truth(condition), _) | (_, ConditionValue::Truth(condition)) => {
            ConditionValue::Truth(condition)
        }
        (ConditionValue::Arch(_), ConditionValue::Arch(_)) => ConditionValue::unknown(),
    }
}

/// `__CUDA_ARCH__ / by SIGN number`. The name is 0 in code that is for no device.
fn archs(by: u32, sign: &str, number: i64) -> ConditionValue {
    let clamp = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
    let from = clamp(number.saturating_mul(i64::from(by)));
    let to = clamp(number.saturating_mul(i64::from(by)).saturating_add(i64::from(by) - 1));
    let condition = |low, high| ArchCondition::exactly(&Archs::between(low, high));
    let condition = match sign {
        ">=" => condition(from, u32::MAX),
        ">" => condition(to.saturating_add(1), u32::MAX),
        "<=" => condition(0, to),
        "<" => match from {
            0 => ArchCondition::never(),
            from => condition(0, from - 1),
        },
        "==" => condition(from, to),
        _ => condition(from, to).not(),
    };
    let holds_elsewhere = holds(0, sign, number);
    ConditionValue::Truth(if holds_elsewhere {
        condition.not().only_for_devices().not()
    } else {
        condition.only_for_devices()
    })
}

/// Whether a comparison of numbers is true.
fn holds(a: i64, sign: &str, b: i64) -> bool {
    match sign {
        ">=" => a >= b,
        "<=" => a <= b,
        ">" => a > b,
        "<" => a < b,
        "==" => a == b,
        _ => a != b,
    }
}

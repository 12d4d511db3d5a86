//! Conversions between integers.

use crate::scalar::lanes::Apply;
use crate::scalar::types::{ScalarType, Words};

/// A conversion between integers, with or without saturation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct IntegerConversion {
    to: ScalarType,
    from: ScalarType,
    saturates: bool,
}

impl IntegerConversion {
    pub(super) fn of(words: &Words<'_>, to: ScalarType, from: ScalarType) -> Option<Self> {
        (to.is_integer() && from.is_integer()).then(|| Self { to, from, saturates: words.has("sat") })
    }

    pub(super) const fn saturates(self) -> bool {
        self.saturates
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { to, from, saturates } = self;
        match (saturates, to, from) {
            (true, ..) => apply.value(move |[a, ..]| saturate(to, from, a)),
            (false, ScalarType::Unsigned(64), ScalarType::Unsigned(32)) => apply.value(|[a, ..]| u64::from(a as u32)),
            (false, ScalarType::Signed(64), ScalarType::Signed(32)) => apply.value(|[a, ..]| a as i32 as u64),
            (false, ScalarType::Unsigned(32), ScalarType::Unsigned(64)) => apply.value(|[a, ..]| u64::from(a as u32)),
            _ => apply.value(move |[a, ..]| to.extend(from.extend(a))),
        }
    }
}

/// An integer limited to the range of another type.
pub(super) fn saturate(to: ScalarType, from: ScalarType, bits: u64) -> u64 {
    let number = from.extend(bits);
    let number = if from.is_signed() { i128::from(number as i64) } else { i128::from(number) };
    let (smallest, largest) = limits(to);
    number.clamp(smallest, largest) as u64
}

/// The smallest and the largest integer of a type.
pub(super) const fn limits(ty: ScalarType) -> (i128, i128) {
    let width = ty.bits();
    if ty.is_signed() { (-1 << (width - 1), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

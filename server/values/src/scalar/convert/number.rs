//! Conversions from, to and between floating-point numbers.

use crate::scalar::convert::integer::limits;
use crate::scalar::float::Clamp;
use crate::scalar::format::{DecodedFloat, FiniteNumber, FloatFormat, Rounding};
use crate::scalar::lanes::Apply;
use crate::scalar::types::{ScalarType, Words};

/// From an integer to a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct FromInteger {
    to: FloatFormat,
    from: ScalarType,
    rounding: Rounding,
    clamp: Clamp,
}

impl FromInteger {
    pub(super) fn of(words: &Words<'_>, to: ScalarType, from: ScalarType) -> Option<Self> {
        match to {
            ScalarType::Float(to) if from.is_integer() => {
                Some(Self { to, from, rounding: words.rounding()?, clamp: Clamp::of(words) })
            }
            _ => None,
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { to, from, rounding, clamp } = self;
        let plain = clamp == Clamp::None && rounding == Rounding::Nearest;
        match (plain && to == FloatFormat::F32, from) {
            (true, ScalarType::Signed(32)) => apply.value(|[a, ..]| (a as i32 as f32).to_bits().into()),
            (true, ScalarType::Unsigned(32)) => apply.value(|[a, ..]| (a as u32 as f32).to_bits().into()),
            _ => apply.value(move |[a, ..]| {
                let number = from.extend(a);
                let negative = from.is_signed() && (number as i64) < 0;
                let significand = if negative { number.wrapping_neg() } else { number };
                clamp.clamp(to, to.round(FiniteNumber { negative, exponent: 0, significand }, rounding))
            }),
        }
    }
}

/// From a floating-point number to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct ToInteger {
    to: ScalarType,
    from: FloatFormat,
    rounding: Rounding,
    flush: bool,
}

impl ToInteger {
    pub(super) fn of(words: &Words<'_>, to: ScalarType, from: ScalarType) -> Option<Self> {
        match from {
            ScalarType::Float(from) if to.is_integer() => {
                Some(Self { to, from, rounding: words.rounding()?, flush: words.has("ftz") })
            }
            _ => None,
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { to, from, rounding, flush } = self;
        if rounding == Rounding::Zero && from == FloatFormat::F32 && to == ScalarType::Signed(32) {
            return apply.value(|[a, ..]| f32::from_bits(a as u32) as i32 as u64);
        }
        apply.value(move |[a, ..]| {
            let bits = if flush { from.flush(a & (from.sign() << 1).wrapping_sub(1)) } else { a };
            let (smallest, largest) = limits(to);
            match from.decode(bits) {
                DecodedFloat::Nan => nan_as_integer(to, from),
                DecodedFloat::Infinite(negative) => {
                    if negative {
                        smallest as u64
                    } else {
                        largest as u64
                    }
                }
                DecodedFloat::Finite(number) => {
                    let magnitude = rounded_magnitude(number, rounding) as i128;
                    let integer = if number.negative { -magnitude } else { magnitude };
                    integer.clamp(smallest, largest) as u64
                }
            }
        })
    }
}

/// What a NaN becomes: the sign bit alone if one of the types has 64 bits, else zero.
const fn nan_as_integer(to: ScalarType, from: FloatFormat) -> u64 {
    if from.bits() == 64 || to.bits() == 64 { to.extend(1 << (to.bits() - 1)) } else { 0 }
}

/// The magnitude rounded to an integer; at most 2^64 and a little, so that every type saturates.
fn rounded_magnitude(number: FiniteNumber, rounding: Rounding) -> u128 {
    let FiniteNumber { negative, exponent, significand } = number;
    if exponent >= 0 {
        return u128::from(significand) << exponent.min(64);
    }
    let shift = exponent.unsigned_abs();
    let (kept, rest, half) = match shift {
        0..64 => (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1)),
        _ => (0, u64::from(significand != 0), 2),
    };
    let up = rounding.rounds_up(negative, kept & 1 != 0, rest.cmp(&half), rest == 0);
    u128::from(kept) + u128::from(up)
}

/// Between floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct FloatConversion {
    to: FloatFormat,
    from: FloatFormat,
    rounding: Rounding,
    /// Whether the result is an integer.
    integral: bool,
    flush: bool,
    saturates: bool,
    clamp: Clamp,
}

impl FloatConversion {
    pub(super) fn of(words: &Words<'_>, to: ScalarType, from: ScalarType) -> Option<Self> {
        let (ScalarType::Float(to), ScalarType::Float(from)) = (to, from) else { return None };
        Some(Self {
            to,
            from,
            rounding: words.rounding().unwrap_or(Rounding::Nearest),
            integral: ["rni", "rzi", "rmi", "rpi"].iter().any(|word| words.has(word)),
            flush: words.has("ftz"),
            saturates: words.has("satfinite"),
            clamp: Clamp::of(words),
        })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        if self == Self::plain(FloatFormat::F32, FloatFormat::F16) {
            return apply.value(|[a, ..]| recoded(FloatFormat::F32, FloatFormat::F16, a));
        }
        if self == Self::plain(FloatFormat::F16, FloatFormat::F32) {
            return apply.value(|[a, ..]| recoded(FloatFormat::F16, FloatFormat::F32, a));
        }
        if self == Self::plain(FloatFormat::BF16, FloatFormat::F32) {
            return apply.value(|[a, ..]| recoded(FloatFormat::BF16, FloatFormat::F32, a));
        }
        apply.value(move |[a, ..]| self.convert(a))
    }

    /// The conversion that rounds to nearest, without anything else.
    const fn plain(to: FloatFormat, from: FloatFormat) -> Self {
        let rounding = Rounding::Nearest;
        Self { to, from, rounding, integral: false, flush: false, saturates: false, clamp: Clamp::None }
    }

    /// One number, as its bits.
    pub(super) fn convert(self, bits: u64) -> u64 {
        let Self { to, from, .. } = self;
        let bits = bits & (from.sign() << 1).wrapping_sub(1);
        let bits =
            if self.flush && from == FloatFormat::F32 && to != FloatFormat::F16 { from.flush(bits) } else { bits };
        let converted = match from.decode(bits) {
            DecodedFloat::Nan => self.nan(bits),
            DecodedFloat::Infinite(negative) if self.saturates => to.largest() | (u64::from(negative) * to.sign()),
            DecodedFloat::Infinite(negative) => to.overflow(negative, Rounding::Nearest),
            DecodedFloat::Finite(number) if self.integral => self.integer(number),
            DecodedFloat::Finite(number) => self.round(number),
        };
        self.clamp.clamp(to, converted)
    }

    fn round(self, number: FiniteNumber) -> u64 {
        let Self { to, rounding, .. } = self;
        let rounded = to.round(number, rounding);
        let magnitude = rounded & (to.sign() - 1);
        if self.saturates && magnitude > to.largest() {
            return rounded & to.sign() | to.largest();
        }
        if !(self.flush && to == FloatFormat::F32) || magnitude >= to.smallest_normal() {
            return rounded;
        }
        rounded & to.sign()
    }

    /// The bits of a number rounded to an integer.
    fn integer(self, number: FiniteNumber) -> u64 {
        if number.exponent >= 0 {
            return self.to.round(number, Rounding::Nearest);
        }
        let significand = rounded_magnitude(number, self.rounding) as u64;
        self.to.round(FiniteNumber { negative: number.negative, exponent: 0, significand }, Rounding::Nearest)
    }

    /// What a NaN becomes. Conversions from and to binary64 keep its payload.
    fn nan(self, bits: u64) -> u64 {
        let Self { to, from, .. } = self;
        let plain = !self.integral && !self.flush && self.clamp == Clamp::None;
        let moved = (to == from && to.bits() >= 32) || (to == FloatFormat::F32 && from == FloatFormat::BF16);
        match (to, from) {
            (FloatFormat::TF32, _) if self.rounding == Rounding::NearestAway => {
                let truncated = bits & !0x1fff;
                if self.saturates { truncated - 0x2000 } else { truncated }
            }
            _ if moved && plain => bits << (to.bits() - from.bits()),
            (FloatFormat::F64, _) if self.flush => FloatFormat::F32.nan() << 29 | 0x7ff0_0000_0000_0000,
            (FloatFormat::F64, _) | (_, FloatFormat::F64) => to.nan_with_payload(from, bits),
            _ => to.nan(),
        }
    }
}

/// The bits of a number of one format rounded to the nearest of another.
#[inline(always)]
fn recoded(to: FloatFormat, from: FloatFormat, bits: u64) -> u64 {
    to.encode(from.to_f64(bits & (from.sign() << 1).wrapping_sub(1)), Rounding::Nearest)
}

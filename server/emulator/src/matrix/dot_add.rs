//! The sum of products and an accumulator as tensor cores compute it: the addends are aligned to the greatest exponent, truncated and added exactly.

use crate::matrix::element::AccumulatorType;
use crate::scalar::{DecodedFloat, FiniteNumber, FloatFormat, Rounding};

/// The exponent of a zero: below all others, so that it never is the greatest.
const OF_ZERO: i32 = -2000;
/// The exponent of an infinity or a NaN. In a product, even one with zero, it stays above that of every number.
const OF_SPECIAL: i32 = 20_000;
/// The least exponent of a product that is not a number.
const LEAST_SPECIAL: i32 = OF_SPECIAL + OF_ZERO;
/// The least exponent that addends are aligned to. Measured on an H200.
const LEAST_ALIGNMENT: i32 = -133;
/// The NaN of an accumulator in binary32.
const SINGLE_NAN: u32 = 0x7fff_ffff;
/// The NaN of an accumulator in binary16.
const HALF_NAN: u64 = 0x7fff;
/// The fraction bits of binary32.
const SINGLE_FRACTION: u32 = 23;

/// A number that is multiplied: `significand * 2^(exponent - fraction bits of its format)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    significand: i32,
    exponent: i32,
}

impl Factor {
    /// The number of these bits. A subnormal one has the least exponent and no hidden bit.
    pub(super) fn new(format: FloatFormat, bits: u64) -> Self {
        let padding = format.padding();
        match format.decode(bits >> padding << padding) {
            DecodedFloat::Nan => Self { significand: 0, exponent: OF_SPECIAL },
            DecodedFloat::Infinite(negative) => {
                Self { significand: if negative { -1 } else { 1 }, exponent: OF_SPECIAL }
            }
            DecodedFloat::Finite(FiniteNumber { significand: 0, .. }) => Self { significand: 0, exponent: OF_ZERO },
            DecodedFloat::Finite(FiniteNumber { negative, exponent, significand }) => {
                let magnitude = (significand >> padding) as i32;
                let exponent = exponent + (padding + format.fraction_bits()) as i32;
                Self { significand: if negative { -magnitude } else { magnitude }, exponent }
            }
        }
    }

    const fn is_special(self) -> bool {
        self.exponent >= LEAST_SPECIAL
    }

    const fn is_nan(self) -> bool {
        self.is_special() && self.significand == 0
    }

    /// The product with another number, if it is not finite: the sign of an infinity; zero for a NaN.
    const fn special_product(self, other: Self) -> Option<i32> {
        if !self.is_special() && !other.is_special() {
            return None;
        }
        Some(if self.is_nan() || other.is_nan() { 0 } else { self.significand.signum() * other.significand.signum() })
    }
}

/// How products are added to an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FusedDotAdd {
    /// The fraction bits that an addend keeps below the greatest exponent.
    pub(super) kept_bits: u32,
    /// The fraction bits of a result in binary32.
    pub(super) result_bits: u32,
    /// The type of the result.
    pub(super) result: AccumulatorType,
}

impl FusedDotAdd {
    /// The accumulator `c`, a number in binary32, after products of numbers whose formats have so many fraction bits together.
    pub(super) fn add(&self, a: &[Factor], b: &[Factor], c: Factor, fraction_bits: u32) -> u64 {
        let exponents = a.iter().zip(b).map(|(a, b)| a.exponent + b.exponent);
        let greatest = exponents.fold(c.exponent.max(LEAST_ALIGNMENT), i32::max);
        if greatest >= LEAST_SPECIAL {
            return self.special(a, b, c);
        }
        let raised = self.kept_bits - fraction_bits;
        let addend = |(a, b): (&Factor, &Factor)| {
            let product = a.significand * b.significand;
            let kept = (product.unsigned_abs() << raised) >> (greatest - a.exponent - b.exponent).min(31);
            if product < 0 { -i64::from(kept) } else { i64::from(kept) }
        };
        let products: i64 = a.iter().zip(b).map(addend).sum();
        let cut = (greatest - c.exponent).min(40) as u32 + SINGLE_FRACTION;
        let kept = ((u64::from(c.significand.unsigned_abs()) << self.kept_bits) >> cut) as i64;
        let sum = products + if c.significand < 0 { -kept } else { kept };
        self.rounded(sum, greatest - self.kept_bits as i32)
    }

    /// The result for a number that is not finite among the addends.
    fn special(&self, a: &[Factor], b: &[Factor], c: Factor) -> u64 {
        let products = a.iter().zip(b).filter_map(|(a, b)| a.special_product(*b));
        let own = c.is_special().then_some(c.significand);
        let signs = products.chain(own);
        let (mut positive, mut negative) = (false, false);
        for sign in signs {
            positive |= sign >= 0;
            negative |= sign <= 0;
        }
        let is_nan = positive && negative;
        match self.result {
            AccumulatorType::Half if is_nan => HALF_NAN,
            AccumulatorType::Half => FloatFormat::F16.overflow(negative, Rounding::Nearest),
            _ if is_nan => SINGLE_NAN.into(),
            _ => FloatFormat::F32.overflow(negative, Rounding::Nearest),
        }
    }

    /// The result for `sum * 2^unit`. A zero is positive.
    fn rounded(&self, sum: i64, unit: i32) -> u64 {
        let (negative, magnitude) = (sum < 0, sum.unsigned_abs());
        let bits = match self.result {
            AccumulatorType::Half => {
                let number = FiniteNumber { negative, exponent: unit, significand: magnitude };
                FloatFormat::F16.round(number, Rounding::Nearest)
            }
            _ => truncated(magnitude, unit, self.result_bits) | u64::from(negative) << 31,
        };
        let magnitude = bits << (64 - self.result.bits()) << 1;
        if magnitude == 0 { 0 } else { bits }
    }
}

/// The binary32 number of at most `magnitude * 2^unit` with so many fraction bits; what is too large becomes infinity.
fn truncated(magnitude: u64, unit: i32, fraction_bits: u32) -> u64 {
    const LEAST: i32 = -126;
    if magnitude == 0 {
        return 0;
    }
    let exponent = (63 - magnitude.leading_zeros() as i32 + unit).max(LEAST);
    let cut = exponent - fraction_bits as i32 - unit;
    let kept = if cut >= 0 { magnitude.checked_shr(cut as u32).unwrap_or(0) } else { magnitude << -cut };
    let kept = kept << (SINGLE_FRACTION - fraction_bits);
    let hidden = 1 << SINGLE_FRACTION;
    match exponent {
        128.. => FloatFormat::F32.overflow(false, Rounding::Nearest),
        _ if kept < hidden => kept,
        _ => ((exponent - LEAST) as u64 + 1) << SINGLE_FRACTION | (kept - hidden),
    }
}

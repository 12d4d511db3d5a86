//! The sum of products and an accumulator as tensor cores compute it: the addends are aligned to the greatest exponent, truncated and added exactly.

use crate::matrix::element::AccumulatorType;
use crate::scalar::{DecodedFloat, FiniteNumber, FloatFormat, Rounding, power_of_two};

/// The exponent of a zero: below all others, so that it never is the greatest.
const OF_ZERO: i16 = -1000;
/// The exponent of an infinity or a NaN. In a product, even one with zero, it stays above that of every number.
const OF_SPECIAL: i16 = 6000;
/// The least exponent of a product that is not a number.
const LEAST_SPECIAL: i16 = OF_SPECIAL + OF_ZERO;
/// The least exponent that addends are aligned to. Measured on an H200.
const LEAST_ALIGNMENT: i16 = -133;
/// The NaN of an accumulator in binary32.
const SINGLE_NAN: u32 = 0x7fff_ffff;
/// The NaN of an accumulator in binary16.
const HALF_NAN: u64 = 0x7fff;
/// The bias of the exponent of binary64.
const F64_BIAS: i32 = 1023;
/// The fraction bits of binary64.
const F64_FRACTION: u32 = 52;
/// The fraction bits of binary32.
const SINGLE_FRACTION: u32 = 23;

/// What is subtracted from a magnitude so that rounding to the nearest integer truncates it: a product has at most 22 bits, so what is above an integer is
/// below the next one by more than the difference to a half.
const BELOW_HALF: f64 = 0.5 - 1.0 / (1 << 24) as f64;
/// A number whose sum with another one below 2^51 is rounded to an integer.
const TO_INTEGER: f64 = 1.5 * (1_u64 << 52) as f64;
/// The products that are added at the same time.
const TOGETHER: usize = 4;

/// Numbers that are multiplied, with their exponents: a subnormal one has the least exponent.
#[derive(Clone, Debug, Default)]
pub(super) struct Factors {
    exponents: Vec<i16>,
    values: Vec<f64>,
}

/// Some of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct FactorSlice<'a> {
    exponents: &'a [i16],
    values: &'a [f64],
}

impl Factors {
    /// The numbers of these bits.
    pub(super) fn new(format: FloatFormat, bits: impl Iterator<Item = u64>) -> Self {
        let (exponents, values) = bits.map(|bits| factor(format, bits)).unzip();
        Self { exponents, values }
    }

    /// So many from a place on.
    pub(super) fn slice(&self, from: usize, count: usize) -> FactorSlice<'_> {
        FactorSlice { exponents: &self.exponents[from..from + count], values: &self.values[from..from + count] }
    }

    /// Replaces all by some of others.
    pub(super) fn select(&mut self, from: FactorSlice, places: impl Iterator<Item = usize> + Clone) {
        self.exponents.clear();
        self.exponents.extend(places.clone().map(|at| from.exponents[at]));
        self.values.clear();
        self.values.extend(places.map(|at| from.values[at]));
    }

    /// All of them.
    pub(super) fn all(&self) -> FactorSlice<'_> {
        self.slice(0, self.values.len())
    }
}

impl<'a> FactorSlice<'a> {
    /// How many there are.
    pub(super) const fn len(self) -> usize {
        self.values.len()
    }

    /// Parts of so many.
    pub(super) fn chunks(self, count: usize) -> impl Iterator<Item = FactorSlice<'a>> {
        let parts = self.exponents.chunks(count).zip(self.values.chunks(count));
        parts.map(|(exponents, values)| FactorSlice { exponents, values })
    }
}

/// The exponent and the value of a number. Unused bits below its fraction do not count.
#[inline]
fn factor(format: FloatFormat, bits: u64) -> (i16, f64) {
    match format.normal_exponent(bits) {
        Some(exponent) => {
            let fraction_bits = format.fraction_bits();
            let fraction = bits >> format.padding() & ((1 << fraction_bits) - 1);
            let sign = bits >> (format.bits() - 1) & 1;
            let biased = (exponent + F64_BIAS) as u64;
            let value = sign << 63 | biased << F64_FRACTION | fraction << (F64_FRACTION - fraction_bits);
            (exponent as i16, f64::from_bits(value))
        }
        None => other_factor(format, bits),
    }
}

/// The same of a zero, a subnormal number, or one with the greatest exponent, which may be no number.
#[inline(never)]
fn other_factor(format: FloatFormat, bits: u64) -> (i16, f64) {
    let padding = format.padding();
    let bits = bits >> padding << padding;
    let exponent = match format.decode(bits) {
        DecodedFloat::Nan | DecodedFloat::Infinite(_) => OF_SPECIAL,
        DecodedFloat::Finite(FiniteNumber { significand: 0, .. }) => OF_ZERO,
        DecodedFloat::Finite(number) => (number.exponent + (padding + format.fraction_bits()) as i32) as i16,
    };
    (exponent, format.to_f64(bits))
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
    /// The accumulator `c`, a number in binary32, after products.
    pub(super) fn add(&self, a: FactorSlice, b: FactorSlice, c: u32) -> u64 {
        let (of_c, value) = factor(FloatFormat::F32, c.into());
        let exponents = a.exponents.iter().zip(b.exponents).map(|(a, b)| a + b);
        let greatest = exponents.fold(of_c.max(LEAST_ALIGNMENT), i16::max);
        if greatest >= LEAST_SPECIAL {
            return self.special(a, b, value);
        }
        let scale = power_of_two(self.kept_bits as i32 - i32::from(greatest));
        // An accumulator has two bits more than a product.
        let sum = truncated_products(a.values, b.values, scale) + (value * scale).trunc();
        self.rounded(sum as i64, i32::from(greatest) - self.kept_bits as i32)
    }

    /// The result for a number that is not finite among the addends.
    fn special(&self, a: FactorSlice, b: FactorSlice, c: f64) -> u64 {
        let sum = a.values.iter().zip(b.values).map(|(a, b)| a * b).filter(|product| !product.is_finite());
        let sum = sum.chain((!c.is_finite()).then_some(c)).fold(0.0, |sum, addend| sum + addend);
        let negative = sum < 0.0;
        match self.result {
            AccumulatorType::Half if sum.is_nan() => HALF_NAN,
            AccumulatorType::Half => FloatFormat::F16.overflow(negative, Rounding::Nearest),
            _ if sum.is_nan() => SINGLE_NAN.into(),
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

/// The sum of products by a power of two, each truncated to an integer. Every step is exact.
fn truncated_products(a: &[f64], b: &[f64], scale: f64) -> f64 {
    let truncated = |a: f64, b: f64| {
        let product = a * b * scale;
        (product.abs() - BELOW_HALF + TO_INTEGER - TO_INTEGER).copysign(product)
    };
    let mut sums = [0.0; TOGETHER];
    let (parts, others) = (a.chunks_exact(TOGETHER).zip(b.chunks_exact(TOGETHER)), a.len() / TOGETHER * TOGETHER);
    for (a, b) in parts {
        for at in 0..TOGETHER {
            sums[at] += truncated(a[at], b[at]);
        }
    }
    let rest = a[others..].iter().zip(&b[others..]).map(|(a, b)| truncated(*a, *b));
    sums.into_iter().sum::<f64>() + rest.sum::<f64>()
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

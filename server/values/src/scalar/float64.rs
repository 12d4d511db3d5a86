//! Arithmetic on binary64, with every rounding.

use crate::scalar::float::FloatOp;
use crate::scalar::format::{DecodedFloat, FiniteNumber, FloatFormat, Rounding};
use crate::scalar::lanes::Apply;
use crate::scalar::types::{ScalarType, Words};

/// The NaN of an operation on numbers, such as infinity minus infinity.
pub(super) const NAN: u64 = 0xfff8_0000_0000_0000;
/// The bit that makes a NaN a quiet one.
const QUIET: u64 = 0x0008_0000_0000_0000;

/// A sum, product or combination of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Float64Arithmetic {
    pub(super) op: FloatOp,
    rounding: Rounding,
}

impl Float64Arithmetic {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let op = FloatOp::of(words.mnemonic)?;
        let is_f64 = words.types.first() == Some(&ScalarType::Float(FloatFormat::F64));
        is_f64.then(|| Self { op, rounding: words.rounding().unwrap_or(Rounding::Nearest) })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let number = f64::from_bits;
        if self.rounding == Rounding::Nearest {
            return match self.op {
                FloatOp::Add => apply.value(|[a, b, ..]| or_nan(number(a) + number(b), [a, b])),
                FloatOp::Sub => apply.value(|[a, b, ..]| or_nan(number(a) - number(b), [a, b])),
                FloatOp::Mul => apply.value(|[a, b, ..]| or_nan(number(a) * number(b), [a, b])),
                FloatOp::Fma => apply.value(|[a, b, c, _]| or_nan(number(a).mul_add(number(b), number(c)), [a, b, c])),
            };
        }
        let rounding = self.rounding;
        match self.op {
            FloatOp::Add => {
                apply.value(move |[a, b, ..]| or_exact(number(a) + number(b), &[a, b], || sum(a, b, rounding)))
            }
            FloatOp::Sub => apply
                .value(move |[a, b, ..]| or_exact(number(a) - number(b), &[a, b], || sum(a, b ^ 1 << 63, rounding))),
            FloatOp::Mul => apply.value(move |[a, b, ..]| {
                or_exact(number(a) * number(b), &[a, b], || round(product(finite(a), finite(b)), rounding))
            }),
            FloatOp::Fma => apply.value(move |[a, b, c, _]| {
                let near = number(a).mul_add(number(b), number(c));
                or_exact(near, &[a, b, c], || combine(product(finite(a), finite(b)), wide(finite(c)), rounding))
            }),
        }
    }
}

/// The bits of a result, or the NaN that the hardware returns.
#[inline]
pub(super) fn or_nan<const N: usize>(result: f64, sources: [u64; N]) -> u64 {
    if result.is_nan() { nan_of(&sources) } else { result.to_bits() }
}

/// The second source that is a NaN, else the third, else the first, made quiet; or the NaN of an operation on numbers.
pub(super) fn nan_of(sources: &[u64]) -> u64 {
    let by_priority = sources.iter().skip(1).chain(sources.first());
    let source = by_priority.copied().find(|&bits| f64::from_bits(bits).is_nan());
    source.map_or(NAN, |bits| bits | QUIET)
}

/// The rounded result if all sources are finite; `near` is the one to nearest.
pub(super) fn or_exact(near: f64, sources: &[u64], exact: impl FnOnce() -> u64) -> u64 {
    if sources.iter().all(|&bits| f64::from_bits(bits).is_finite()) {
        return exact();
    }
    if near.is_nan() { nan_of(sources) } else { near.to_bits() }
}

/// A number of up to 126 bits: `significand * 2^exponent`.
#[derive(Clone, Copy)]
pub(super) struct WideNumber {
    negative: bool,
    exponent: i32,
    significand: u128,
}

/// The parts of a finite number.
pub(super) fn finite(bits: u64) -> FiniteNumber {
    match FloatFormat::F64.decode(bits) {
        DecodedFloat::Finite(number) => number,
        DecodedFloat::Nan | DecodedFloat::Infinite(_) => unreachable!("callers exclude them"),
    }
}

fn wide(number: FiniteNumber) -> WideNumber {
    WideNumber { negative: number.negative, exponent: number.exponent, significand: u128::from(number.significand) }
}

fn product(a: FiniteNumber, b: FiniteNumber) -> WideNumber {
    WideNumber {
        negative: a.negative != b.negative,
        exponent: a.exponent + b.exponent,
        significand: u128::from(a.significand) * u128::from(b.significand),
    }
}

fn sum(a: u64, b: u64, rounding: Rounding) -> u64 {
    combine(wide(finite(a)), wide(finite(b)), rounding)
}

/// The rounded sum of two numbers.
fn combine(a: WideNumber, b: WideNumber, rounding: Rounding) -> u64 {
    if a.significand == 0 && b.significand == 0 {
        let negative = if a.negative == b.negative { a.negative } else { rounding == Rounding::Down };
        return u64::from(negative) << 63;
    }
    let (a, b) = (at_top(a), at_top(b));
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let shifted = shift_right(small.significand, (large.exponent - small.exponent) as u32);
    let significand =
        if large.negative == small.negative { large.significand + shifted } else { large.significand - shifted };
    let cancelled = significand == 0;
    let negative = if cancelled { rounding == Rounding::Down } else { large.negative };
    round(WideNumber { negative, exponent: large.exponent, significand }, rounding)
}

/// The same number with its highest bit at 126; a zero gets the smallest exponent.
fn at_top(number: WideNumber) -> WideNumber {
    if number.significand == 0 {
        return WideNumber { exponent: -10_000, ..number };
    }
    let shift = number.significand.leading_zeros() - 1;
    WideNumber { exponent: number.exponent - shift as i32, significand: number.significand << shift, ..number }
}

/// Shifted right, with the lowest bit set if a set bit was lost.
fn shift_right(significand: u128, count: u32) -> u128 {
    let kept = significand.checked_shr(count).unwrap_or(0);
    let lost = kept.checked_shl(count).unwrap_or(0) != significand;
    kept | u128::from(lost)
}

/// Rounded to binary64.
pub(super) fn round(number: WideNumber, rounding: Rounding) -> u64 {
    let unused = 128 - number.significand.leading_zeros();
    let cut = unused.saturating_sub(63);
    let significand = shift_right(number.significand, cut) as u64;
    let number = FiniteNumber { negative: number.negative, exponent: number.exponent + cut as i32, significand };
    FloatFormat::F64.round(number, rounding)
}

/// The rounded quotient of numbers other than zero.
pub(super) fn quotient(a: FiniteNumber, b: FiniteNumber, rounding: Rounding) -> u64 {
    let shift = a.significand.leading_zeros() + 63;
    let dividend = u128::from(a.significand) << shift;
    let divisor = u128::from(b.significand);
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    round(
        WideNumber {
            negative: a.negative != b.negative,
            exponent: a.exponent - b.exponent - shift as i32,
            significand: quotient << 1 | u128::from(rest != 0),
        }
        .halved(),
        rounding,
    )
}

/// The rounded square root of a positive number.
pub(super) fn square_root(a: FiniteNumber, rounding: Rounding) -> u64 {
    let shift = a.significand.leading_zeros() + 60;
    let shift = shift + (shift as i32 + a.exponent).rem_euclid(2) as u32;
    let radicand = u128::from(a.significand) << shift;
    let root = radicand.isqrt();
    let significand = root << 1 | u128::from(root * root != radicand);
    round(WideNumber { negative: false, exponent: (a.exponent - shift as i32) / 2, significand }.halved(), rounding)
}

impl WideNumber {
    /// Half of the number: for significands with one bit more at the end.
    const fn halved(self) -> Self {
        Self { exponent: self.exponent - 1, ..self }
    }
}

//! Sums, products and their combination on formats of up to 32 bits: every rounding, flushing and saturation.
//!
//! Products of two such numbers are exact in binary64. Sums are rounded there to odd, so that the second rounding, to
//! the format itself, is the only one that counts.

use crate::scalar::format::{FloatFormat, Rounding};
use crate::scalar::lanes::{Apply, Sources, apply_elements};
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatOp {
    Add,
    Sub,
    Mul,
    Fma,
}

impl FloatOp {
    pub(super) fn of(mnemonic: &str) -> Option<Self> {
        Some(match mnemonic {
            "add" => Self::Add,
            "sub" => Self::Sub,
            "mul" => Self::Mul,
            "fma" | "mad" => Self::Fma,
            _ => return None,
        })
    }
}

/// What happens to a rounded result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clamp {
    None,
    /// To 0 … 1; a NaN becomes 0.
    Saturate,
    /// To 0 or more; a NaN stays one.
    Relu,
}

impl Clamp {
    pub(super) fn of(words: &Words<'_>) -> Self {
        words.one_of(&[("sat", Self::Saturate), ("relu", Self::Relu)]).unwrap_or(Self::None)
    }

    /// Clamps the bits of a number.
    #[inline]
    pub(super) const fn clamp(self, format: FloatFormat, bits: u64) -> u64 {
        match self {
            Self::None => bits,
            Self::Saturate if format.is_nan(bits) => 0,
            Self::Relu if format.is_nan(bits) => bits,
            _ if bits & format.sign() != 0 => 0,
            Self::Saturate if bits > format.one() => format.one(),
            _ => bits,
        }
    }
}

/// An instruction on numbers of up to 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FloatArithmetic {
    op: FloatOp,
    format: FloatFormat,
    /// The number of elements in a register.
    count: u32,
    /// The format of the sources (but for the addend) where it differs.
    mixed: Option<FloatFormat>,
    rounding: Rounding,
    flush: bool,
    clamp: Clamp,
    /// Whether a special NaN makes the result zero.
    out_of_bounds: bool,
}

impl FloatArithmetic {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let op = FloatOp::of(words.mnemonic)?;
        let (format, count) = match *words.types.first()? {
            ScalarType::Float(format) => (format, 1),
            ScalarType::FloatVector(format, count) => (format, count),
            _ => return None,
        };
        // Packed numbers of several types are not emulated.
        if words.types[1..].iter().any(|ty| matches!(ty, ScalarType::FloatVector(..))) {
            return None;
        }
        let mixed = match words.types.get(1) {
            Some(ScalarType::Float(source)) => Some(*source),
            _ => None,
        };
        (format != FloatFormat::F64).then(|| Self {
            op,
            format,
            count,
            mixed,
            // The hardware has no other rounding for pairs; the assembler ignores it.
            rounding: words.rounding().filter(|_| format.bits() == 32 || count == 1).unwrap_or(Rounding::Nearest),
            flush: words.has("ftz"),
            clamp: Clamp::of(words),
            out_of_bounds: words.has("oob"),
        })
    }

    /// The type of a source.
    fn source(self, index: usize) -> ScalarType {
        let addend = if self.op == FloatOp::Fma { 2 } else { 1 };
        match self.mixed {
            Some(format) if index != addend => ScalarType::Float(format),
            _ => self.destination(),
        }
    }

    const fn destination(self) -> ScalarType {
        if self.count == 1 { ScalarType::Float(self.format) } else { ScalarType::FloatVector(self.format, self.count) }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        if self.rounding != Rounding::Nearest && self.format == FloatFormat::BF16 && self.count == 1 {
            return self.apply_as_f16(apply);
        }
        match (self.format, self.count, self.flush) {
            (FloatFormat::F16, _, false) if self.is_plain() => return self.apply_half(apply, FloatFormat::F16),
            (FloatFormat::BF16, _, false) if self.is_plain() => return self.apply_half(apply, FloatFormat::BF16),
            (FloatFormat::F32, 1, false) if self.is_plain() => return self.apply_single::<A, false>(apply),
            (FloatFormat::F32, 1, true) if self.is_plain() => return self.apply_single::<A, true>(apply),
            _ => {}
        }
        apply_elements(apply, self.format.bits(), self.count, move |sources| self.element(sources))
    }

    /// Whether the instruction rounds to nearest, without anything else but flushing.
    fn is_plain(self) -> bool {
        let rounds_only = self.rounding == Rounding::Nearest && self.clamp == Clamp::None;
        rounds_only && self.mixed.is_none() && !self.out_of_bounds
    }

    /// The loop of 16-bit formats, with one copy for each format.
    #[inline(always)]
    fn apply_half<A: Apply>(self, apply: A, format: FloatFormat) -> A::Output {
        let Self { op, count, .. } = self;
        let element = move |[a, b, c, _]: Sources| {
            let [a, b, c] = [a, b, c].map(|bits| format.to_f64(bits & 0xffff));
            let exact = match op {
                FloatOp::Add => sum_to_odd(a, b),
                FloatOp::Sub => sum_to_odd(a, -b),
                FloatOp::Mul => a * b,
                FloatOp::Fma => sum_to_odd(a * b, c),
            };
            format.encode(exact, Rounding::Nearest)
        };
        if count == 1 {
            return apply.value(element);
        }
        apply.value(move |sources| element(sources) | element(sources.map(|source| source >> 16)) << 16)
    }

    /// The loop of binary32, with one copy with flushing and one without.
    #[inline]
    fn apply_single<A: Apply, const FLUSH: bool>(self, apply: A) -> A::Output {
        let through = |bits: u32| if FLUSH { flush_f32(bits) } else { bits };
        let number = |bits: u64| f32::from_bits(through(bits as u32));
        let result = |number: f32| {
            let bits = if number.is_nan() { 0x7fff_ffff } else { number.to_bits() };
            u64::from(through(bits))
        };
        // What rounds to less than the smallest normal number, in the precision of a normal one, is flushed.
        let narrowed = |exact: f64| {
            let tiny = FLUSH && exact.abs() < f64::from(f32::MIN_POSITIVE) * (1.0 - 0.5_f64.powi(25));
            result(if tiny { 0.0_f32.copysign(exact as f32) } else { exact as f32 })
        };
        match self.op {
            FloatOp::Add => apply.value(|[a, b, ..]| result(number(a) + number(b))),
            FloatOp::Sub => apply.value(|[a, b, ..]| result(number(a) - number(b))),
            FloatOp::Mul if FLUSH => apply.value(|[a, b, ..]| narrowed(f64::from(number(a)) * f64::from(number(b)))),
            FloatOp::Mul => apply.value(|[a, b, ..]| result(number(a) * number(b))),
            FloatOp::Fma => apply.value(|[a, b, c, _]| {
                let (product, c) = (f64::from(number(a)) * f64::from(number(b)), f64::from(number(c)));
                let sum = product + c;
                if rounds_once(sum) { result(sum as f32) } else { narrowed(sum_to_odd(product, c)) }
            }),
        }
    }

    /// What the assembler makes of `fma.bf16` with another rounding than to the nearest: a combination of binary16
    /// numbers, rounded to binary32 and then to the nearest binary16 number.
    fn apply_as_f16<A: Apply>(self, apply: A) -> A::Output {
        apply.value(move |sources| {
            let [a, b, c, _] = sources.map(|bits| FloatFormat::F16.to_f64(bits & 0xffff));
            let rounded = FloatFormat::F32.encode(directed_sum(a * b, c, self.rounding), self.rounding);
            FloatFormat::F16.encode(FloatFormat::F32.to_f64(rounded), Rounding::Nearest)
        })
    }

    /// One element, with any rounding and clamp.
    fn element(self, sources: Sources) -> u64 {
        let format = self.format;
        if self.out_of_bounds && sources[..2].iter().any(|&bits| is_out_of_bounds(bits)) {
            return 0;
        }
        let number = |index: usize| {
            let source = if let ScalarType::Float(mixed) = self.source(index) { mixed } else { format };
            let bits = sources[index];
            source.to_f64(if self.flush { source.flush(bits) } else { bits })
        };
        let (a, b) = (number(0), number(1));
        let exact = match self.op {
            FloatOp::Add => directed_sum(a, b, self.rounding),
            FloatOp::Sub => directed_sum(a, -b, self.rounding),
            FloatOp::Mul => a * b,
            FloatOp::Fma => directed_sum(a * b, number(2), self.rounding),
        };
        let rounded =
            if self.flush { format.encode_flushed(exact, self.rounding) } else { format.encode(exact, self.rounding) };
        self.clamp.clamp(format, rounded)
    }
}

/// Whether a 16-bit number is the NaN that marks an operand as out of bounds.
const fn is_out_of_bounds(bits: u64) -> bool {
    bits & 0x7fff == 0x7ff7
}

#[inline]
const fn flush_f32(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// Whether a sum that was rounded to binary64 is rounded to binary32 as the exact sum is: it is not half way between two normal numbers.
#[inline]
fn rounds_once(sum: f64) -> bool {
    const DROPPED: u64 = (1 << 29) - 1;
    const HALF_WAY: u64 = 1 << 28;
    sum.to_bits() & DROPPED != HALF_WAY && sum.abs() >= f64::from(f32::MIN_POSITIVE) || sum == 0.0
}

/// The sum rounded to odd, for numbers far from the ends of binary64. The sign of a zero is that of rounding to nearest.
#[inline]
fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let rounded_b = sum - a;
    let error = (a - (sum - rounded_b)) + (b - rounded_b);
    let bits = sum.to_bits();
    let inexact = error != 0.0 && sum.is_finite() && bits & 1 == 0;
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(match (inexact, away) {
        (false, _) => bits,
        (true, true) => bits + 1,
        (true, false) => bits - 1,
    })
}

/// The sum rounded to odd; a sum of zero of two numbers with different signs is negative when rounding down.
fn directed_sum(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = sum_to_odd(a, b);
    let cancelled = sum == 0.0 && a.is_sign_negative() != b.is_sign_negative();
    if cancelled && rounding == Rounding::Down { -0.0 } else { sum }
}

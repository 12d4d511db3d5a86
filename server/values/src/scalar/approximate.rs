//! The approximations of the hardware's function unit, and the code that the assembler puts around them.

use crate::scalar::accuracy::Accuracy;
use crate::scalar::float64::or_nan;
use crate::scalar::format::{FloatFormat, Rounding, power_of_two};
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};
use std::f64::consts::TAU;

/// A function of the function unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ApproximateFunction {
    Reciprocal,
    SquareRoot,
    ReciprocalSquareRoot,
    Sine,
    Cosine,
    Logarithm,
    Exponential,
    HyperbolicTangent,
    Quotient,
    /// A quotient whose divisor may be any number.
    FullQuotient,
}

/// An approximate instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Approximation {
    function: ApproximateFunction,
    format: FloatFormat,
    count: u32,
    flush: bool,
}

/// The factor that the hardware multiplies angles by: close to 1 / 2π.
const TURNS: f32 = f32::from_bits(0x3e22_f983);
/// The factor that makes subnormal numbers normal.
const SCALE: f32 = 16_777_216.0;
/// The inverse of the lowest fraction bit of an exponent.
const FRACTION: f64 = 8_388_608.0;
/// Below it, the hyperbolic tangent is the number itself.
const TANH_LINEAR: f64 = 129.0 / 32_768.0;
/// Beyond this divisor a reciprocal is subnormal.
const LARGE: f32 = f32::from_bits(0x7e80_0000);

/// Magnitudes of binary16 whose hyperbolic tangent, as measured, is not the truncated one.
const TANH_OF_F16: [(u16, u16); 24] = [
    (0x29c6, 0x29c5),
    (0x2c95, 0x2c93),
    (0x2c96, 0x2c94),
    (0x2d3f, 0x2d3b),
    (0x2e39, 0x2e34),
    (0x2e9d, 0x2e97),
    (0x3064, 0x305d),
    (0x323f, 0x322b),
    (0x32ff, 0x32e3),
    (0x355b, 0x352a),
    (0x372d, 0x36bb),
    (0x3824, 0x379d),
    (0x399a, 0x38d6),
    (0x39f8, 0x390f),
    (0x3c8e, 0x3a82),
    (0x3c9d, 0x3a8c),
    (0x3cc9, 0x3aa9),
    (0x3db8, 0x3b21),
    (0x3de3, 0x3b33),
    (0x3e23, 0x3b49),
    (0x3eab, 0x3b72),
    (0x3ed6, 0x3b7e),
    (0x4080, 0x3bd3),
    (0x4429, 0x3bfe),
];
/// The same of bf16.
const TANH_OF_BF16: [(u16, u16); 1] = [(0x3f3f, 0x3f21)];

impl Approximation {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        use ApproximateFunction as Function;
        let approximate = words.has("approx");
        let function = match words.mnemonic {
            "rcp" if approximate => Function::Reciprocal,
            "sqrt" if approximate => Function::SquareRoot,
            "div" if approximate => Function::Quotient,
            "div" if words.has("full") => Function::FullQuotient,
            "rsqrt" => Function::ReciprocalSquareRoot,
            "sin" => Function::Sine,
            "cos" => Function::Cosine,
            "lg2" => Function::Logarithm,
            "ex2" => Function::Exponential,
            "tanh" => Function::HyperbolicTangent,
            _ => return None,
        };
        let (format, count) = match *words.types.first()? {
            ScalarType::Float(format) => (format, 1),
            ScalarType::FloatVector(format, count) => (format, count),
            _ => return None,
        };
        Some(Self { function, format, count, flush: words.has("ftz") })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        if self.format == FloatFormat::F64 {
            return apply.value(move |sources| self.double(sources[0]));
        }
        if self.format == FloatFormat::F32 {
            return apply.value(move |sources| self.single(sources));
        }
        let width = self.format.bits();
        apply.value(move |[a, ..]| {
            (0..self.count)
                .map(|index| index * width)
                .fold(0, |packed, shift| packed | self.half(a >> shift & 0xffff) << shift)
        })
    }

    /// How close the results are to the hardware's.
    pub(super) const fn accuracy(self) -> Accuracy {
        // The unit in the last place of the upper half of a binary64 number.
        const UPPER: u64 = 1 << 32;
        match self.function {
            _ if self.format.bits() == 16 => Accuracy::Exact,
            _ if self.format.bits() == 64 && self.flush => Accuracy::relative(UPPER),
            ApproximateFunction::Sine | ApproximateFunction::Cosine => {
                Accuracy::Approximate { ulps: 2, absolute: power_of_two(-21) }
            }
            ApproximateFunction::Logarithm => Accuracy::Approximate { ulps: 2, absolute: power_of_two(-22) },
            // A reciprocal within one unit, multiplied and rounded.
            ApproximateFunction::Quotient | ApproximateFunction::FullQuotient => Accuracy::relative(3),
            ApproximateFunction::HyperbolicTangent => Accuracy::relative(134),
            _ => Accuracy::relative(2),
        }
    }

    /// A 16-bit number: the function truncated, all but for a few results.
    fn half(self, bits: u64) -> u64 {
        let Self { function, format, .. } = self;
        let measured: &[(u16, u16)] = match (function, format) {
            (ApproximateFunction::HyperbolicTangent, FloatFormat::F16) => &TANH_OF_F16,
            (ApproximateFunction::HyperbolicTangent, _) => &TANH_OF_BF16,
            _ => &[],
        };
        if let Ok(at) = measured.binary_search_by_key(&(bits as u16 & 0x7fff), |&(source, _)| source) {
            return u64::from(measured[at].1) | bits & format.sign();
        }
        let source = if self.flush { format.flush(bits) } else { bits };
        let number = format.to_f64(source);
        // The unit's exponents have 23 fraction bits.
        let is_exponential = function == ApproximateFunction::Exponential;
        let number = if is_exponential { (number * FRACTION).trunc() / FRACTION } else { number };
        let single = evaluate(function, number) as f32;
        // 2^16 is beyond binary16; bf16 ends where binary32 does.
        let rounding =
            if single < 65_536.0 || format == FloatFormat::BF16 { Rounding::Zero } else { Rounding::Nearest };
        if self.flush { format.encode_flushed(single.into(), rounding) } else { format.encode(single.into(), rounding) }
    }

    /// As the assembler translates it: scaled where source or result may be subnormal.
    fn single(self, [a, b, ..]: Sources) -> u64 {
        let [a, b] = [a, b].map(|bits| f32::from_bits(bits as u32));
        let unit = |number: f32| function_unit(self.function, number);
        let is_small = |number: f32| number.abs() < f32::MIN_POSITIVE && !self.flush;
        let result = match self.function {
            ApproximateFunction::Reciprocal if !self.flush => {
                let factor = if is_small(a) {
                    SCALE
                } else if a.abs() > LARGE {
                    0.25
                } else {
                    1.0
                };
                factor * unit(a * factor)
            }
            ApproximateFunction::SquareRoot if is_small(a) => unit(a * SCALE) / 4096.0,
            ApproximateFunction::ReciprocalSquareRoot if is_small(a) => unit(a * SCALE) * 4096.0,
            ApproximateFunction::Logarithm if is_small(a) => unit(a * SCALE) - 24.0,
            ApproximateFunction::Exponential if !self.flush && a < -126.0 => {
                let root = unit(a * 0.5);
                root * root
            }
            ApproximateFunction::Sine | ApproximateFunction::Cosine => {
                unit(FloatFormat::F32.to_f64(FloatFormat::F32.encode(f64::from(a) * f64::from(TURNS), Rounding::Zero))
                    as f32)
            }
            ApproximateFunction::Quotient | ApproximateFunction::FullQuotient => self.quotient(a, b),
            _ => unit(a),
        };
        if result.is_nan() { 0x7fff_ffff } else { result.to_bits().into() }
    }

    fn quotient(self, a: f32, b: f32) -> f32 {
        let full = self.function == ApproximateFunction::FullQuotient;
        let factor = if full && b.abs() > LARGE {
            0.25
        } else if !self.flush && b.abs() < f32::MIN_POSITIVE {
            SCALE
        } else {
            1.0
        };
        let through = |number: f32| if self.flush { flushed(number) } else { number };
        let reciprocal = function_unit(ApproximateFunction::Reciprocal, through(b) * factor);
        let (dividend, reciprocal) = (through(through(a) * factor), through(reciprocal));
        if !self.flush {
            return dividend * reciprocal;
        }
        let exact = f64::from(dividend) * f64::from(reciprocal);
        f32::from_bits(FloatFormat::F32.encode_flushed(exact, Rounding::Nearest) as u32)
    }

    /// With `.ftz` only the upper half is computed, from the upper half of the source.
    fn double(self, bits: u64) -> u64 {
        let format = FloatFormat::F64;
        if !self.flush {
            return or_nan(evaluate(self.function, f64::from_bits(bits)), [bits]);
        }
        let source = format.flush(bits & 0xffff_ffff_0000_0000);
        let exact = evaluate(self.function, f64::from_bits(source));
        let upper = format.flush(exact.to_bits()) & 0xffff_ffff_0000_0000;
        if exact.is_nan() { 0x7fff_ffff_0000_0000 } else { upper }
    }
}

fn flushed(number: f32) -> f32 {
    if number.abs() < f32::MIN_POSITIVE { 0.0_f32.copysign(number) } else { number }
}

/// The function unit: subnormal sources and results are zero, but for the hyperbolic tangent.
fn function_unit(function: ApproximateFunction, number: f32) -> f32 {
    if function == ApproximateFunction::HyperbolicTangent {
        return evaluate(function, number.into()) as f32;
    }
    flushed(evaluate(function, f64::from(flushed(number))) as f32)
}

/// The exact function, in binary64. Angles are in turns.
fn evaluate(function: ApproximateFunction, number: f64) -> f64 {
    match function {
        ApproximateFunction::Reciprocal | ApproximateFunction::Quotient | ApproximateFunction::FullQuotient => {
            1.0 / number
        }
        ApproximateFunction::SquareRoot => number.sqrt(),
        ApproximateFunction::ReciprocalSquareRoot => 1.0 / number.sqrt(),
        ApproximateFunction::Sine if number == number.round() && number.is_finite() => 0.0_f64.copysign(number),
        ApproximateFunction::Sine => ((number - number.round()) * TAU).sin(),
        ApproximateFunction::Cosine => ((number - number.round()) * TAU).cos(),
        ApproximateFunction::Logarithm => number.log2(),
        ApproximateFunction::Exponential => number.exp2(),
        // The hardware returns small numbers and limits themselves.
        ApproximateFunction::HyperbolicTangent if number.abs() < TANH_LINEAR => number,
        ApproximateFunction::HyperbolicTangent if number.abs() >= 8.0 => 1.0_f64.copysign(number),
        ApproximateFunction::HyperbolicTangent => number.tanh(),
    }
}

//! Quotients, reciprocals and square roots with IEEE rounding.

use crate::scalar::float64::{finite, nan_of, or_exact, quotient, square_root};
use crate::scalar::format::{FloatFormat, Rounding};
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DivisionOp {
    Quotient,
    Reciprocal,
    SquareRoot,
}

/// `div`, `rcp` and `sqrt` with a rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    op: DivisionOp,
    format: FloatFormat,
    rounding: Rounding,
    flush: bool,
}

impl Division {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let op = match words.mnemonic {
            "div" => DivisionOp::Quotient,
            "rcp" => DivisionOp::Reciprocal,
            "sqrt" => DivisionOp::SquareRoot,
            _ => return None,
        };
        let &[ScalarType::Float(format)] = words.types.as_slice() else { return None };
        let exact = !words.has("approx") && !words.has("full");
        let rounding = words.rounding().unwrap_or(Rounding::Nearest);
        // `.ftz` changes nothing in binary64.
        exact.then(|| Self { op, format, rounding, flush: words.has("ftz") && format != FloatFormat::F64 })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        if self.format == FloatFormat::F64 {
            return apply.value(move |sources| self.wide(sources));
        }
        if self.rounding == Rounding::Nearest && !self.flush {
            // The processor's own operations round so.
            let number = |bits: u64| f32::from_bits(bits as u32);
            let result = |number: f32| u64::from(if number.is_nan() { 0x7fff_ffff } else { number.to_bits() });
            return match self.op {
                DivisionOp::Quotient => apply.value(|[a, b, ..]| result(number(a) / number(b))),
                DivisionOp::Reciprocal => apply.value(|[a, ..]| result(1.0 / number(a))),
                DivisionOp::SquareRoot => apply.value(|[a, ..]| result(number(a).sqrt())),
            };
        }
        apply.value(move |sources| self.narrow(sources))
    }

    /// Binary32. The quotient or root in binary64 is never a tie or a binary32 number unless the exact one is, so the
    /// second rounding is right.
    fn narrow(self, sources: Sources) -> u64 {
        let format = self.format;
        let number = |bits| format.to_f64(if self.flush { format.flush(bits) } else { bits });
        let [a, b, ..] = sources.map(number);
        let near = match self.op {
            DivisionOp::Quotient => a / b,
            DivisionOp::Reciprocal => 1.0 / a,
            DivisionOp::SquareRoot => a.sqrt(),
        };
        if self.flush { format.encode_flushed(near, self.rounding) } else { format.encode(near, self.rounding) }
    }

    fn wide(self, [a, b, ..]: Sources) -> u64 {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let rounding = self.rounding;
        let one = 1.0_f64.to_bits();
        match self.op {
            DivisionOp::Quotient if y != 0.0 && x != 0.0 => {
                or_exact(x / y, &[b, a], || quotient(finite(a), finite(b), rounding))
            }
            DivisionOp::Quotient => simple(x / y, &[b, a]),
            DivisionOp::Reciprocal if x != 0.0 => {
                or_exact(1.0 / x, &[a], || quotient(finite(one), finite(a), rounding))
            }
            DivisionOp::Reciprocal => simple(1.0 / x, &[a]),
            DivisionOp::SquareRoot if x > 0.0 => or_exact(x.sqrt(), &[a], || square_root(finite(a), rounding)),
            DivisionOp::SquareRoot => simple(x.sqrt(), &[a]),
        }
    }
}

fn simple(result: f64, sources: &[u64]) -> u64 {
    if result.is_nan() { nan_of(sources) } else { result.to_bits() }
}

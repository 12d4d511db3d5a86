//! Minimum, maximum, absolute value and negation of floating-point numbers.

use crate::scalar::float64::nan_of;
use crate::scalar::format::FloatFormat;
use crate::scalar::lanes::{Apply, Sources, apply_elements};
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignOp {
    Min,
    Max,
    Absolute,
    Negate,
}

/// An instruction that compares numbers or changes their sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extremum {
    op: SignOp,
    format: FloatFormat,
    count: u32,
    /// The number of sources.
    sources: usize,
    flush: bool,
    /// Whether a NaN wins.
    propagates: bool,
    /// Whether magnitudes are compared.
    magnitudes: bool,
    /// Whether the sign is the product of the signs.
    signs: bool,
}

impl Extremum {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let (op, sources) = match words.mnemonic {
            "min" => (SignOp::Min, 2),
            "max" => (SignOp::Max, 2),
            "abs" => (SignOp::Absolute, 1),
            "neg" => (SignOp::Negate, 1),
            _ => return None,
        };
        let (format, count) = match *words.types.first()? {
            ScalarType::Float(format) => (format, 1),
            ScalarType::FloatVector(format, count) => (format, count),
            _ => return None,
        };
        Some(Self {
            op,
            format,
            count,
            sources,
            flush: words.has("ftz"),
            propagates: words.has("NaN"),
            magnitudes: words.has("abs"),
            signs: words.has("xorsign"),
        })
    }

    /// The same instruction with three sources.
    pub(super) const fn with_three_sources(self) -> Self {
        Self { sources: 3, ..self }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let plain = self.format == FloatFormat::F32 && self.sources == 2 && !self.flush && !self.propagates;
        match self.op {
            SignOp::Min if plain && !self.magnitudes => return apply.value(|[a, b, ..]| pick_f32::<true>(a, b)),
            SignOp::Max if plain && !self.magnitudes => return apply.value(|[a, b, ..]| pick_f32::<false>(a, b)),
            _ => {}
        }
        apply_elements(apply, self.format.bits(), self.count, move |sources| self.element(sources))
    }

    #[inline]
    fn element(self, sources: Sources) -> u64 {
        let format = self.format;
        let mask = u64::MAX >> (64 - format.bits());
        let [a, b, c, _] = sources.map(|bits| if self.flush { format.flush(bits & mask) } else { bits & mask });
        match self.op {
            SignOp::Absolute | SignOp::Negate if format.is_nan(a) => self.nan([a]),
            SignOp::Absolute => a & !format.sign(),
            SignOp::Negate => a ^ format.sign(),
            SignOp::Min | SignOp::Max if self.sources == 3 => self.pick(self.pick(a, b), c),
            SignOp::Min | SignOp::Max => self.pick(a, b),
        }
    }

    /// The NaN that results from sources of which one at least is a NaN.
    fn nan<const N: usize>(self, sources: [u64; N]) -> u64 {
        if self.format == FloatFormat::F64 { nan_of(&sources) } else { self.format.nan() }
    }

    #[inline]
    fn pick(self, a: u64, b: u64) -> u64 {
        let format = self.format;
        let sign = format.sign();
        let product = (a ^ b) & sign;
        let (a, b) = if self.magnitudes { (a & !sign, b & !sign) } else { (a, b) };
        let (a_nan, b_nan) = (format.is_nan(a), format.is_nan(b));
        let picked = match (a_nan, b_nan) {
            (true, true) => return self.nan([a, b]),
            (true, false) | (false, true) if self.propagates => return self.nan([a, b]),
            (true, false) => b,
            (false, true) => a,
            (false, false) => {
                let a_below = order(format, a) < order(format, b);
                if a_below == (self.op == SignOp::Min) { a } else { b }
            }
        };
        if self.signs { picked & !sign | product } else { picked }
    }
}

/// An integer with the order of the numbers, and -0 below +0.
#[inline]
const fn order(format: FloatFormat, bits: u64) -> i64 {
    let magnitude = (bits & (format.sign() - 1)) as i64;
    if bits & format.sign() == 0 { magnitude } else { -1 - magnitude }
}

/// The smaller or the larger of two binary32 numbers, by the rules of [`Extremum::pick`].
#[inline]
fn pick_f32<const SMALLER: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (a as u32, b as u32);
    // As integers, numbers have their order once the magnitude of negative ones is inverted.
    let order = |bits: u32| (bits ^ ((bits as i32 >> 31) as u32 >> 1)) as i32;
    let is_nan = |bits: u32| bits << 1 > 0xff00_0000;
    let picked = if (order(a) < order(b)) == SMALLER { a } else { b };
    let picked = if is_nan(b) { a } else { picked };
    let picked = if is_nan(a) { b } else { picked };
    u64::from(if is_nan(picked) { 0x7fff_ffff } else { picked })
}

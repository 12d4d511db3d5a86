//! Conversions to and from several numbers in a register.

use crate::scalar::convert::integer::saturate;
use crate::scalar::convert::number::FloatConversion;
use crate::scalar::format::FloatFormat;
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};

/// Between pairs of floating-point numbers, or from two numbers to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct PackedConversion {
    element: FloatConversion,
    to: FloatFormat,
    from: FloatFormat,
    /// Whether the numbers are in one source.
    packed: bool,
}

impl PackedConversion {
    pub(super) fn of(words: &Words<'_>, to: ScalarType, from: ScalarType) -> Option<Self> {
        let ScalarType::FloatVector(to_format, 2) = to else { return None };
        let (from_format, packed) = match from {
            ScalarType::Float(format) => (format, false),
            ScalarType::FloatVector(format, 2) => (format, true),
            _ => return None,
        };
        if words.has("rs") || words.has("scaled::n2::ue8m0") {
            return None;
        }
        let element = FloatConversion::of(words, ScalarType::Float(to_format), ScalarType::Float(from_format))?;
        Some(Self { element, to: to_format, from: from_format, packed })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        apply.value(move |[a, b, ..]: Sources| {
            // Of two sources the first becomes the upper number.
            let (low, high) = if self.packed { (a, a >> self.from.packed_bits()) } else { (b, a) };
            self.element.convert(high) << self.to.packed_bits() | self.element.convert(low)
        })
    }
}

/// `cvt.pack`: two integers, and the bits of a third source above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scalar) struct IntegerPack {
    to: ScalarType,
    from: ScalarType,
    appends: bool,
}

impl IntegerPack {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let (&[to, from] | &[to, from, _]) = words.types.as_slice() else { return None };
        Some(Self { to, from, appends: words.types.len() == 3 })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { to, from, appends } = self;
        let width = to.bits();
        let mask = (1 << width) - 1;
        apply.value(move |[a, b, c, _]| {
            let field = |source| saturate(to, from, source) & mask;
            let above = if appends { c << (2 * width) } else { 0 };
            (above | field(a) << width | field(b)) & 0xffff_ffff
        })
    }
}

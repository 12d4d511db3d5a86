//! `cvt`: conversions between numbers.

mod integer;
mod number;
mod pack;
mod scale;

use crate::scalar::convert::integer::IntegerConversion;
use crate::scalar::convert::number::{FloatConversion, FromInteger, ToInteger};
use crate::scalar::convert::pack::{IntegerPack, PackedConversion};
use crate::scalar::convert::scale::ScaleConversion;
use crate::scalar::lanes::Apply;
use crate::scalar::types::Words;

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    Integer(IntegerConversion),
    FromInteger(FromInteger),
    ToInteger(ToInteger),
    Float(FloatConversion),
    Packed(PackedConversion),
    IntegerPack(IntegerPack),
    Scale(ScaleConversion),
}

impl Conversion {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        if words.mnemonic != "cvt" {
            return None;
        }
        if words.has("pack") {
            return IntegerPack::of(words).map(Self::IntegerPack);
        }
        let &[to, from] = words.types.as_slice() else { return None };
        None.or_else(|| IntegerConversion::of(words, to, from).map(Self::Integer))
            .or_else(|| FromInteger::of(words, to, from).map(Self::FromInteger))
            .or_else(|| ToInteger::of(words, to, from).map(Self::ToInteger))
            .or_else(|| FloatConversion::of(words, to, from).map(Self::Float))
            .or_else(|| PackedConversion::of(words, to, from).map(Self::Packed))
            .or_else(|| ScaleConversion::of(words, to, from).map(Self::Scale))
    }

    /// Whether each bit of the result is one of the source.
    pub(super) const fn keeps_bits(self) -> bool {
        matches!(self, Self::Integer(conversion) if !conversion.saturates())
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        match self {
            Self::Integer(conversion) => conversion.apply(apply),
            Self::FromInteger(conversion) => conversion.apply(apply),
            Self::ToInteger(conversion) => conversion.apply(apply),
            Self::Float(conversion) => conversion.apply(apply),
            Self::Packed(conversion) => conversion.apply(apply),
            Self::IntegerPack(conversion) => conversion.apply(apply),
            Self::Scale(conversion) => conversion.apply(apply),
        }
    }
}

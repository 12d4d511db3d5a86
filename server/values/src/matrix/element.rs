//! The types of the elements of matrices.

use crate::scalar::FloatFormat;

/// The type of the elements of a matrix that is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixElement {
    /// A floating-point number of up to 32 bits.
    Float(FloatFormat),
    /// `.f64`
    Double,
    /// An integer of so many bits, with or without a sign.
    Integer {
        /// Its width.
        bits: u32,
        /// Whether it has a sign.
        is_signed: bool,
    },
    /// 32 bits of `.b1`, which are multiplied together.
    Bits,
}

impl MatrixElement {
    /// The type of a word: `f16`, `s8`, `b1`.
    pub fn parse(word: &str) -> Option<Self> {
        let integer = |bits, is_signed| Some(Self::Integer { bits, is_signed });
        match word {
            "f64" => Some(Self::Double),
            "b1" => Some(Self::Bits),
            "s8" => integer(8, true),
            "u8" => integer(8, false),
            "s4" => integer(4, true),
            "u4" => integer(4, false),
            "f32" => None,
            word => FloatFormat::parse(word).map(Self::Float),
        }
    }

    /// The bits of an element in a register.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Float(format) => format.packed_bits(),
            Self::Double => 64,
            Self::Integer { bits, .. } => bits,
            Self::Bits => 32,
        }
    }

    /// The elements of `.k` in the name of a shape that one element stands for.
    pub const fn depth(self) -> u32 {
        match self {
            Self::Bits => 32,
            Self::Float(_) | Self::Double | Self::Integer { .. } => 1,
        }
    }

    /// The bit of the sign of a floating-point number.
    pub const fn sign(self) -> u64 {
        match self {
            Self::Float(format) => 1 << (format.bits() - 1),
            Self::Double => 1 << 63,
            Self::Integer { .. } | Self::Bits => 0,
        }
    }
}

/// The type of the elements of an accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccumulatorType {
    /// `.f16`
    Half,
    /// `.f32`
    Single,
    /// `.f64`
    Double,
    /// `.s32`
    Integer,
}

impl AccumulatorType {
    /// The type of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "f16" => Self::Half,
            "f32" => Self::Single,
            "f64" => Self::Double,
            "s32" => Self::Integer,
            _ => return None,
        })
    }

    /// The bits of an element in a register.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Half => 16,
            Self::Single | Self::Integer => 32,
            Self::Double => 64,
        }
    }
}

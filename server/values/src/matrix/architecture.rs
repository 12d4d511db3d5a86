//! The tensor cores of each architecture, and the arithmetic of their instructions.

use crate::matrix::dot_add::FusedDotAdd;
use crate::matrix::element::AccumulatorType;
use crate::matrix::float_product::{FloatProduct, FloatSteps};
use crate::scalar::FloatFormat;
use isa::target::Target;

/// The tensor cores of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorCore {
    /// sm_70 and sm_72.
    Volta,
    /// sm_75.
    Turing,
    /// sm_80 to sm_88.
    Ampere,
    /// sm_89.
    Ada,
    /// sm_90.
    Hopper,
    /// sm_100 to sm_110.
    Blackwell,
    /// sm_120 and sm_121.
    ConsumerBlackwell,
}

impl TensorCore {
    /// Those of a target; `None` if it has none, or none of which anything is known.
    pub fn of(target: Target) -> Option<Self> {
        Some(match target.number() {
            70 | 72 => Self::Volta,
            75 => Self::Turing,
            80..=88 => Self::Ampere,
            89 => Self::Ada,
            90 => Self::Hopper,
            100 | 101 | 103 | 110 => Self::Blackwell,
            120 | 121 => Self::ConsumerBlackwell,
            _ => return None,
        })
    }

    /// The fraction bits that an addend keeps.
    const fn kept_bits(self) -> u32 {
        match self {
            Self::Volta => 23,
            Self::Turing | Self::Ampere | Self::Ada => 24,
            Self::Hopper | Self::Blackwell | Self::ConsumerBlackwell => 25,
        }
    }

    /// Where the arithmetic of floating-point matrices is known from.
    pub const fn source(self) -> ArithmeticSource {
        match self {
            Self::Hopper => ArithmeticSource::Measured,
            Self::Volta | Self::Turing | Self::Ampere | Self::Ada | Self::Blackwell | Self::ConsumerBlackwell => {
                ArithmeticSource::Published
            }
        }
    }
}

/// Where the arithmetic of an architecture is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticSource {
    /// Results of a GPU, or the definition.
    Measured,
    /// A publication: MMA-Sim.
    Published,
}

/// The unit that multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixUnit {
    /// That of a warp, by `mma`.
    Warp,
    /// That of a warp, by `wmma`.
    WarpMatrix,
    /// That of a warpgroup: `wgmma`.
    Warpgroup,
}

/// A product of floating-point matrices, as an instruction names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatForm {
    pub(super) unit: MatrixUnit,
    pub(super) a: FloatFormat,
    pub(super) b: FloatFormat,
    pub(super) d: AccumulatorType,
    /// The number of products of an element.
    pub(super) k: u32,
}

impl TensorCore {
    /// The arithmetic of a product; `None` if it is not known.
    pub(super) fn float_arithmetic(self, form: FloatForm) -> Option<FloatProduct> {
        let FloatForm { unit, a, b, d, k } = form;
        let is_narrow = a.bits() <= 8;
        let is_8_bit = |format: FloatFormat| matches!(format, FloatFormat::E4M3 | FloatFormat::E5M2);
        let (steps, kept_bits, result_bits) = match (self, unit, is_narrow) {
            (Self::Hopper, MatrixUnit::Warpgroup, true) if is_8_bit(a) && is_8_bit(b) => (FloatSteps::Together, 13, 13),
            (Self::Hopper, MatrixUnit::Warpgroup, false) => (FloatSteps::Together, self.kept_bits(), 23),
            (_, MatrixUnit::Warpgroup, _) => return None,
            // The assembler makes two products of numbers in binary16 of it.
            (Self::Hopper | Self::Blackwell, _, true) if is_8_bit(a) && is_8_bit(b) => {
                (FloatSteps::ConvertedToHalf, self.kept_bits(), 23)
            }
            (Self::Ada, _, true) if is_8_bit(a) && is_8_bit(b) => (FloatSteps::of(k, 16), 13, 13),
            (Self::ConsumerBlackwell, _, true) if is_8_bit(a) && is_8_bit(b) => {
                (FloatSteps::Together, self.kept_bits(), 23)
            }
            (_, _, true) => return None,
            (Self::Volta, ..) => (FloatSteps::of(k, 4), self.kept_bits(), 23),
            (Self::Turing, ..) => (FloatSteps::of(k, 8), self.kept_bits(), 23),
            // The assembler makes instructions on scalars of it.
            (Self::Ampere | Self::Ada | Self::Hopper | Self::Blackwell | Self::ConsumerBlackwell, ..)
                if a.bits() == 16 && k == 4 =>
            {
                (FloatSteps::Sequential, self.kept_bits(), 23)
            }
            // The assembler makes products of four elements of it.
            (_, MatrixUnit::WarpMatrix, _) if a.bits() == 32 => (FloatSteps::of(k, 4), self.kept_bits(), 23),
            // Half of the longest instruction of a type.
            (Self::Ampere | Self::Ada, ..) => (FloatSteps::of(k, 128 / a.bits()), self.kept_bits(), 23),
            (Self::Hopper | Self::Blackwell | Self::ConsumerBlackwell, ..) => {
                (FloatSteps::Together, self.kept_bits(), 23)
            }
        };
        let is_known = matches!(d, AccumulatorType::Half | AccumulatorType::Single);
        let dot_add = FusedDotAdd { kept_bits, result_bits, result: d };
        is_known.then_some(FloatProduct { a, b, dot_add, steps })
    }
}

//! Every scalar instruction of PTX, bit for bit as an H100 computes it (tests/evidence/scalar).
//!
//! [`ScalarOperation::new`] reads the words of an instruction once. [`ScalarOperation::compute`] computes one thread,
//! [`ScalarOperation::compute_lanes`] a warp: one loop for each common instruction.

mod accuracy;
mod approximate;
mod bitfield;
mod carry;
mod compare;
mod convert;
mod division;
mod dot;
mod extremum;
mod float;
mod float64;
pub mod format;
mod function;
mod integer;
mod lanes;
mod logic;
mod operand_types;
mod packed;
mod types;
mod undefined;
mod video;

pub use crate::scalar::accuracy::Accuracy;
pub(crate) use crate::scalar::format::{DecodedFloat, FiniteNumber, power_of_two};
pub use crate::scalar::format::{FloatFormat, Rounding};
pub use crate::scalar::function::{IntegerFunction, OrderedComparison, PredicateLogic};
pub use crate::scalar::types::ScalarType;
pub use crate::scalar::video::{VideoOperands, VideoSource};

use crate::scalar::approximate::Approximation;
use crate::scalar::bitfield::BitField;
use crate::scalar::carry::CarryArithmetic;
use crate::scalar::compare::{FlagComparison, FloatClass, SelectBySign};
use crate::scalar::convert::Conversion;
use crate::scalar::division::Division;
use crate::scalar::dot::DotProduct;
use crate::scalar::extremum::Extremum;
use crate::scalar::float::FloatArithmetic;
use crate::scalar::float64::Float64Arithmetic;
use crate::scalar::integer::IntegerArithmetic;
use crate::scalar::lanes::{Apply, Lanes, OneThread};
use crate::scalar::logic::{Logic, TernaryLogic};
use crate::scalar::operand_types::OperandTypes;
use crate::scalar::packed::PackedInteger;
use crate::scalar::types::Words;
use crate::scalar::video::Video;
use isa::Spelling;
use isa::target::{Target, Version};
use std::fmt;

/// The results of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScalarResult {
    /// The destination, extended to 64 bits by the sign of its type.
    pub value: u64,
    /// The second destination, or the carry flag after the instruction.
    pub second: u64,
}

/// An instruction that is not computed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedInstruction {
    /// The instruction with its modifiers.
    pub instruction: String,
}

impl fmt::Display for UnsupportedInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "emulation of `{}` is not supported", self.instruction)
    }
}

impl std::error::Error for UnsupportedInstruction {}

/// What the second result of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondResult {
    /// There is none.
    None,
    /// A second destination: the `q` of `p|q`.
    Destination,
    /// The carry flag.
    Carry,
}

/// A scalar instruction with its types and modifiers.
#[derive(Clone, Debug)]
pub struct ScalarOperation {
    kind: Kind,
    operand_types: OperandTypes,
    /// Whether an H100 has the instruction.
    is_measured: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Integer(IntegerArithmetic),
    Carry(CarryArithmetic),
    Logic(Logic),
    Ternary(TernaryLogic),
    BitField(BitField),
    Dot(DotProduct),
    Compare(FlagComparison),
    SelectBySign(SelectBySign),
    FloatClass(FloatClass),
    Float(FloatArithmetic),
    Float64(Float64Arithmetic),
    Division(Division),
    Extremum(Extremum),
    Conversion(Conversion),
    Video(Video),
    Approximation(Approximation),
    Packed(PackedInteger),
}

impl Kind {
    fn of(words: &Words<'_>) -> Option<Self> {
        None.or_else(|| CarryArithmetic::of(words).map(Self::Carry))
            .or_else(|| TernaryLogic::of(words).map(Self::Ternary))
            .or_else(|| Logic::of(words).map(Self::Logic))
            .or_else(|| BitField::of(words).map(Self::BitField))
            .or_else(|| IntegerArithmetic::of(words).map(Self::Integer))
            .or_else(|| DotProduct::of(words).map(Self::Dot))
            .or_else(|| FlagComparison::of(words).map(Self::Compare))
            .or_else(|| SelectBySign::of(words).map(Self::SelectBySign))
            .or_else(|| FloatClass::of(words).map(Self::FloatClass))
            .or_else(|| Float64Arithmetic::of(words).map(Self::Float64))
            .or_else(|| FloatArithmetic::of(words).map(Self::Float))
            .or_else(|| PackedInteger::of(words).map(Self::Packed))
            .or_else(|| Division::of(words).map(Self::Division))
            .or_else(|| Approximation::of(words).map(Self::Approximation))
            .or_else(|| Extremum::of(words).map(Self::Extremum))
            .or_else(|| Conversion::of(words).map(Self::Conversion))
            .or_else(|| Video::of(words).map(Self::Video))
    }

    fn apply<A: Apply>(self, apply: A) -> A::Output {
        match self {
            Self::Integer(operation) => operation.apply(apply),
            Self::Carry(operation) => operation.apply(apply),
            Self::Logic(operation) => operation.apply(apply),
            Self::Ternary(operation) => operation.apply(apply),
            Self::BitField(operation) => operation.apply(apply),
            Self::Dot(operation) => operation.apply(apply),
            Self::Compare(operation) => operation.apply(apply),
            Self::SelectBySign(operation) => operation.apply(apply),
            Self::FloatClass(operation) => operation.apply(apply),
            Self::Float(operation) => operation.apply(apply),
            Self::Float64(operation) => operation.apply(apply),
            Self::Division(operation) => operation.apply(apply),
            Self::Extremum(operation) => operation.apply(apply),
            Self::Conversion(operation) => operation.apply(apply),
            Self::Video(operation) => operation.apply(apply),
            Self::Approximation(operation) => operation.apply(apply),
            Self::Packed(operation) => operation.apply(apply),
        }
    }
}

impl ScalarOperation {
    /// The operation of a legal instruction: `add` with `rn`, `f32`.
    ///
    /// # Errors
    /// [`UnsupportedInstruction`] for everything that is not a scalar computation.
    pub fn new(mnemonic: &str, modifiers: &[&str]) -> Result<Self, UnsupportedInstruction> {
        let words = Words::new(mnemonic, modifiers);
        let operation = Kind::of(&words).zip(OperandTypes::of(&words));
        let is_measured = is_legal_on_h100(mnemonic, modifiers);
        operation.map(|(kind, operand_types)| Self { kind, operand_types, is_measured }).ok_or_else(|| {
            UnsupportedInstruction {
                instruction: std::iter::once(mnemonic).chain(modifiers.iter().copied()).collect::<Vec<_>>().join("."),
            }
        })
    }

    /// One thread. Sources are raw bits in the lowest bits of each word; an absent one is ignored.
    pub fn compute(&self, sources: [u64; 4], carry: bool) -> ScalarResult {
        self.kind.apply(OneThread { sources, carry })
    }

    /// All lanes whose bit is set in `mask`; `second` has the carry flags before and afterwards, or receives the second
    /// destination.
    pub fn compute_lanes(&self, mask: u32, sources: [&[u64; 32]; 4], value: &mut [u64; 32], second: &mut [u64; 32]) {
        self.kind.apply(Lanes { mask, sources, value, second });
    }

    /// The same operation with three sources, for `min` and `max` of floating-point numbers.
    pub fn with_three_sources(mut self) -> Self {
        if let Kind::Extremum(operation) = self.kind {
            self.kind = Kind::Extremum(operation.with_three_sources());
            self.operand_types.add_source();
            self.is_measured = false;
        }
        self
    }

    /// The same operation with the table of a `lop3`.
    pub fn with_table(mut self, table: u8) -> Self {
        if let Kind::Ternary(operation) = &mut self.kind {
            operation.table = table;
        }
        self
    }

    /// The same operation with the selectors and signs of a video instruction's operands.
    pub fn with_video_operands(mut self, operands: &VideoOperands) -> Self {
        if let Kind::Video(video) = self.kind {
            self.kind = Kind::Video(video.with_operands(operands));
        }
        self
    }

    /// The types of the sources.
    pub fn source_types(&self) -> &[ScalarType] {
        self.operand_types.sources()
    }

    /// The type of the destination.
    pub const fn destination_type(&self) -> ScalarType {
        self.operand_types.destination
    }

    /// How close the results are to those of the hardware.
    pub fn accuracy(&self) -> Accuracy {
        match self.kind {
            Kind::Approximation(approximation) => approximation.accuracy(),
            _ if self.is_measured => Accuracy::Exact,
            _ => Accuracy::Unmeasured,
        }
    }

    /// The sources, by their numbers, of which each is added to something else to make the result.
    pub const fn addends(&self) -> &'static [usize] {
        match self.kind {
            Kind::Integer(operation) => operation.addends(),
            _ => &[],
        }
    }

    /// Whether the instruction reads the carry flag.
    pub const fn reads_carry(&self) -> bool {
        matches!(self.kind, Kind::Carry(operation) if operation.reads)
    }

    /// What the second result is.
    pub fn second_result(&self) -> SecondResult {
        match self.kind {
            Kind::Carry(operation) if operation.writes => SecondResult::Carry,
            Kind::Compare(operation) if operation.destination() == ScalarType::Predicate => SecondResult::Destination,
            Kind::Ternary(operation) if operation.writes_predicate() => SecondResult::Destination,
            _ => SecondResult::None,
        }
    }
}

/// Whether the newest assembler accepts an instruction for an H100.
fn is_legal_on_h100(mnemonic: &str, modifiers: &[&str]) -> bool {
    let module = isa::Module { version: Version::parse("9.5"), target: Target::parse("sm_90") };
    isa::is_legal(&Spelling { mnemonic, modifiers }, &module) == Some(true)
}

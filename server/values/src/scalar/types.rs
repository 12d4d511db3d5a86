//! The types of scalar operands, and the words of an instruction.

use crate::scalar::format::{FloatFormat, Rounding};

/// The type of an operand of a scalar instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarType {
    /// A predicate: 0 or 1.
    Predicate,
    /// Untyped bits of this width.
    Bits(u32),
    /// An unsigned integer of this width.
    Unsigned(u32),
    /// A two's complement integer of this width.
    Signed(u32),
    /// One floating-point number.
    Float(FloatFormat),
    /// Several floating-point numbers in one register.
    FloatVector(FloatFormat, u32),
    /// Two scales of 8 bits: `ue8m0x2`.
    ScalePair,
    /// Two fixed-point numbers with 6 bits of fraction: `s2f6x2`.
    FixedPair,
    /// Several integers in one register.
    IntegerVector {
        /// The width of one integer.
        width: u32,
        /// The number of integers.
        count: u32,
        /// Whether they are signed.
        signed: bool,
    },
}

impl ScalarType {
    /// The type that a modifier names, without its dot.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "pred" => return Some(Self::Predicate),
            "ue8m0x2" => return Some(Self::ScalePair),
            "s2f6x2" => return Some(Self::FixedPair),
            _ => {}
        }
        if let Some((element, count)) = word.split_once('x') {
            let count = count.parse().ok()?;
            return match Self::parse(element)? {
                Self::Float(format) => Some(Self::FloatVector(format, count)),
                Self::Unsigned(width) => Some(Self::IntegerVector { width, count, signed: false }),
                Self::Signed(width) => Some(Self::IntegerVector { width, count, signed: true }),
                _ => None,
            };
        }
        if let Some(format) = FloatFormat::parse(word) {
            return Some(Self::Float(format));
        }
        let (kind, width) = (word.get(..1)?, word.get(1..)?);
        let width = width.parse().ok().filter(|width| matches!(width, 2 | 4 | 8 | 16 | 32 | 64))?;
        match kind {
            "b" => Some(Self::Bits(width)),
            "u" => Some(Self::Unsigned(width)),
            "s" => Some(Self::Signed(width)),
            _ => None,
        }
    }

    /// The width in bits; 1 for a predicate.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::ScalePair | Self::FixedPair => 16,
            Self::Bits(width) | Self::Unsigned(width) | Self::Signed(width) => width,
            Self::Float(format) => format.bits(),
            Self::FloatVector(format, count) => format.packed_bits() * count,
            Self::IntegerVector { width, count, .. } => width * count,
        }
    }

    /// Whether values are extended by their sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Signed(_))
    }

    /// Whether the type is an integer or untyped bits.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::Bits(_) | Self::Unsigned(_) | Self::Signed(_))
    }

    /// Raw bits as a number of this type, extended to 64 bits by its sign.
    pub const fn extend(self, bits: u64) -> u64 {
        let unused = 64 - self.bits();
        if self.is_signed() { ((bits << unused) as i64 >> unused) as u64 } else { bits << unused >> unused }
    }
}

/// The words of an instruction: its types in the order written, and everything else.
pub(super) struct Words<'a> {
    pub(super) mnemonic: &'a str,
    modifiers: &'a [&'a str],
    pub(super) types: Vec<ScalarType>,
}

impl<'a> Words<'a> {
    pub(super) fn new(mnemonic: &'a str, modifiers: &'a [&'a str]) -> Self {
        let mut types: Vec<_> = modifiers.iter().filter_map(|word| ScalarType::parse(word)).collect();
        // The assembler ignores `.pred` beside another type.
        if types.iter().any(|ty| *ty != ScalarType::Predicate) {
            types.retain(|ty| *ty != ScalarType::Predicate);
        }
        Self { mnemonic, modifiers, types }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.modifiers.contains(&word)
    }

    /// The first of these words that the instruction has.
    pub(super) fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Option<T> {
        known.iter().find(|(word, _)| self.has(word)).map(|(_, value)| *value)
    }

    /// The rounding, if the instruction names one.
    pub(super) fn rounding(&self) -> Option<Rounding> {
        self.one_of(&[
            ("rn", Rounding::Nearest),
            ("rni", Rounding::Nearest),
            ("rz", Rounding::Zero),
            ("rzi", Rounding::Zero),
            ("rm", Rounding::Down),
            ("rmi", Rounding::Down),
            ("rp", Rounding::Up),
            ("rpi", Rounding::Up),
            ("rna", Rounding::NearestAway),
        ])
    }
}

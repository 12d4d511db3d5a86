//! Values of registers that may be unknown, because they come from memory.

/// A value of a register in one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolicValue {
    /// The bits, as far as they are known.
    pub bits: u64,
    /// Where it comes from.
    pub origin: ValueOrigin,
    /// Whether the bits are the value.
    pub certainty: ValueCertainty,
}

/// Whether the bits are the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueCertainty {
    /// They are.
    Known,
    /// The value is the sum of the bits and of what was read from memory, which was multiplied with constants at most.
    Indexed,
    /// Nothing is known.
    Unknown,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueOrigin {
    /// A number, or an address of several variables.
    Number,
    /// An address in a variable of shared memory, by its index.
    Variable(u16),
    /// An address that a parameter points to.
    Pointer,
}

impl SymbolicValue {
    /// A value that is not known.
    pub const UNKNOWN: Self = Self { bits: 0, origin: ValueOrigin::Number, certainty: ValueCertainty::Unknown };

    /// A value that was read from memory.
    pub const LOADED: Self = Self { bits: 0, origin: ValueOrigin::Number, certainty: ValueCertainty::Indexed };

    /// A number.
    pub const fn number(bits: u64) -> Self {
        Self { bits, origin: ValueOrigin::Number, certainty: ValueCertainty::Known }
    }

    /// Whether the bits are known.
    pub fn is_known(self) -> bool {
        self.certainty == ValueCertainty::Known
    }

    /// The bits, if they are known.
    pub fn known(self) -> Option<u64> {
        self.is_known().then_some(self.bits)
    }
}

impl ValueOrigin {
    /// The origin of what is computed from two values.
    pub fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number, other) => other,
            (own, Self::Number) => own,
            (own, other) if own == other => own,
            _ => Self::Number,
        }
    }
}

//! Updates whose order does not matter: integer atomics of the device without a result that anything reads. Cores can do theirs apart, and what each has
//! done to a word is added up afterwards.

use crate::analysis::liveness::RegisterSet;
use crate::machine_program::Atomic;
use isa::types::{Op, Scope};
use values::value::{Element, low_bits};

/// An update of a word or of two whose order to its like does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommutativeUpdate {
    operation: CommutativeOperation,
    bytes: u32,
}

/// What is combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CommutativeOperation {
    Add,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
}

impl CommutativeUpdate {
    /// The update that an atomic is in global memory, whether or not its result is read; `None` if the order matters. All CTAs have to be in its scope:
    /// else two of them race.
    pub fn of(atomic: &Atomic) -> Option<Self> {
        use CommutativeOperation as Combined;
        let shape = atomic.shape();
        let operation = match (atomic.in_global.op(), shape.element()) {
            (Op::Add, Element::Unsigned(_) | Element::Signed(_)) => Combined::Add,
            (Op::Min, Element::Unsigned(_)) => Combined::MinUnsigned,
            (Op::Max, Element::Unsigned(_)) => Combined::MaxUnsigned,
            (Op::Min, Element::Signed(_)) => Combined::MinSigned,
            (Op::Max, Element::Signed(_)) => Combined::MaxSigned,
            (Op::And, _) => Combined::And,
            (Op::Or, _) => Combined::Or,
            (Op::Xor, _) => Combined::Xor,
            _ => return None,
        };
        let bytes = shape.bytes();
        let fits = shape.elements() == 1 && matches!(bytes, 4 | 8) && atomic.order.scope >= Scope::Gpu;
        fits.then_some(Self { operation, bytes })
    }

    /// The bytes that it updates.
    pub const fn bytes(self) -> u32 {
        self.bytes
    }

    /// What memory holds after the updates of two cores that have begun with the same value.
    pub fn merged(self, before: u64, one: u64, other: u64) -> u64 {
        let shift = 64 - 8 * self.bytes;
        let signed = |value: u64| (value << shift) as i64;
        let merged = match self.operation {
            CommutativeOperation::Add => one.wrapping_add(other).wrapping_sub(before),
            CommutativeOperation::MinUnsigned => one.min(other),
            CommutativeOperation::MaxUnsigned => one.max(other),
            CommutativeOperation::MinSigned if signed(one) <= signed(other) => one,
            CommutativeOperation::MaxSigned if signed(one) >= signed(other) => one,
            CommutativeOperation::MinSigned | CommutativeOperation::MaxSigned => other,
            CommutativeOperation::And => one & other,
            CommutativeOperation::Or => one | other,
            CommutativeOperation::Xor => one ^ other ^ before,
        };
        merged & low_bits(8 * self.bytes) as u64
    }
}

/// Whether an atomic is an update whose order nothing can tell, by the registers that its function reads.
pub fn is_commutative<'r>(atomic: &Atomic, read: impl FnOnce() -> &'r RegisterSet) -> bool {
    let mut results = atomic.destination.iter().flatten().peekable();
    CommutativeUpdate::of(atomic).is_some()
        && (results.peek().is_none() || {
            let read = read();
            results.all(|result| !read.contains(result.slot as usize))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cores_leave_what_one_would() {
        let merged =
            |operation, bytes, before, one, other| CommutativeUpdate { operation, bytes }.merged(before, one, other);
        assert_eq!(merged(CommutativeOperation::Add, 4, u32::MAX.into(), 4, 1), 6);
        assert_eq!(merged(CommutativeOperation::MinSigned, 4, 7, 0xffff_fffe, 3), 0xffff_fffe);
        assert_eq!(merged(CommutativeOperation::MaxSigned, 8, 7, u64::MAX, 9), 9);
        assert_eq!(merged(CommutativeOperation::MaxUnsigned, 8, 7, u64::MAX, 9), u64::MAX);
        assert_eq!(merged(CommutativeOperation::Xor, 4, 0b1100, 0b1101, 0b0100), 0b0101);
        assert_eq!(merged(CommutativeOperation::And, 4, 0b1111, 0b1101, 0b0111), 0b0101);
    }
}

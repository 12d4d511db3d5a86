//! Arithmetic on several integers in a register.

use crate::scalar::lanes::Apply;
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PackedOp {
    Add,
    Sub,
    Min,
    Max,
    Negate,
}

/// An instruction on packed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedInteger {
    op: PackedOp,
    width: u32,
    count: u32,
    signed: bool,
    saturates: bool,
    relu: bool,
}

impl PackedInteger {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let &[ScalarType::IntegerVector { width, count, signed }] = words.types.as_slice() else { return None };
        let op = match words.mnemonic {
            "add" => PackedOp::Add,
            "sub" => PackedOp::Sub,
            "min" => PackedOp::Min,
            "max" => PackedOp::Max,
            "neg" => PackedOp::Negate,
            _ => return None,
        };
        Some(Self { op, width, count, signed, saturates: words.has("sat"), relu: words.has("relu") })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let Self { width, count, .. } = self;
        apply.value(move |[a, b, ..]| {
            (0..count).map(|index| index * width).fold(0, |packed, shift| {
                let number = self.element(self.number(a >> shift), self.number(b >> shift));
                packed | (number as u64 & ((1 << width) - 1)) << shift
            })
        })
    }

    fn number(self, bits: u64) -> i64 {
        let ty = if self.signed { ScalarType::Signed(self.width) } else { ScalarType::Unsigned(self.width) };
        ty.extend(bits) as i64
    }

    fn element(self, a: i64, b: i64) -> i64 {
        let exact = match self.op {
            PackedOp::Add => a + b,
            PackedOp::Sub => a - b,
            PackedOp::Min => a.min(b),
            PackedOp::Max => a.max(b),
            PackedOp::Negate => -a,
        };
        let exact = if self.relu { exact.max(0) } else { exact };
        let top = 1 << (self.width - 1);
        match (self.saturates, self.signed) {
            (false, _) => exact,
            (true, true) => exact.clamp(-top, top - 1),
            (true, false) => exact.clamp(0, 2 * top - 1),
        }
    }
}

//! Arithmetic on registers.

use crate::Bits;
use std::cmp::Ordering;
use values::value::low_bits;

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Compare {
    /// Whether it holds for two signed 64-bit numbers.
    pub fn holds(self, a: Bits, b: Bits) -> bool {
        self.admits((a as i64).cmp(&(b as i64)).then(a.cmp(&b)))
    }

    /// Whether it holds for two values with this ordering.
    fn admits(self, order: Ordering) -> bool {
        match self {
            Compare::Eq => order.is_eq(),
            Compare::Ne => order.is_ne(),
            Compare::Lt => order.is_lt(),
            Compare::Le => order.is_le(),
            Compare::Gt => order.is_gt(),
            Compare::Ge => order.is_ge(),
        }
    }
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AluOp {
    /// The first operand.
    Move,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Lower half of the product.
    Mul,
    /// Quotient towards zero; of a division by zero, all ones.
    Div,
    /// Remainder; of a division by zero, the dividend.
    Rem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; 0 beyond the width.
    Shl,
    /// Right shift; the sign or 0 beyond the width.
    Shr,
    /// Smaller one.
    Min,
    /// Larger one.
    Max,
    /// 1 if the comparison holds, else 0.
    Compare(Compare),
}

/// An operation on integers of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alu {
    /// The operation.
    pub op: AluOp,
    /// The width of operands and result, in bits: 1 to 64.
    pub width: u8,
    /// Whether operands and result are signed.
    pub signed: bool,
}

impl Alu {
    /// The operation on signed 64-bit integers, the type of litmus tests.
    pub const fn litmus(op: AluOp) -> Self {
        Alu { op, width: 64, signed: true }
    }

    /// The result. Bits of the operands above the width are ignored.
    pub fn apply(self, a: Bits, b: Bits) -> Bits {
        let (x, y) = (self.integer(a), self.integer(b));
        let too_far = !(0..i128::from(self.width)).contains(&(b as u32 as i128));
        let value = match self.op {
            AluOp::Move => x,
            AluOp::Add => x + y,
            AluOp::Sub => x - y,
            AluOp::Mul => x.wrapping_mul(y),
            AluOp::Div => x.checked_div(y).unwrap_or(-1),
            AluOp::Rem => x.checked_rem(y).unwrap_or(x),
            AluOp::And => x & y,
            AluOp::Or => x | y,
            AluOp::Xor => x ^ y,
            AluOp::Shl => {
                if too_far {
                    0
                } else {
                    x << (b as u32)
                }
            }
            AluOp::Shr => {
                if too_far {
                    if x < 0 { -1 } else { 0 }
                } else {
                    x >> (b as u32)
                }
            }
            AluOp::Min => x.min(y),
            AluOp::Max => x.max(y),
            AluOp::Compare(compare) => compare.admits(x.cmp(&y)).into(),
        };
        value as u128 & self.mask()
    }

    fn mask(self) -> u128 {
        low_bits(self.width.clamp(1, 64).into())
    }

    fn integer(self, bits: Bits) -> i128 {
        let bits = bits & self.mask();
        let sign = 1u128 << (self.width.clamp(1, 64) - 1);
        if self.signed && bits & sign != 0 { bits as i128 - (sign as i128) * 2 } else { bits as i128 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_at_their_width() {
        let u8s = |op| Alu { op, width: 8, signed: false };
        let s8s = |op| Alu { op, width: 8, signed: true };
        assert_eq!(u8s(AluOp::Add).apply(250, 10), 4);
        assert_eq!(s8s(AluOp::Sub).apply(0, 1), 255);
        assert_eq!(s8s(AluOp::Shr).apply(0x80, 1), 0xc0);
        assert_eq!(u8s(AluOp::Shr).apply(0x80, 9), 0);
        assert_eq!(s8s(AluOp::Compare(Compare::Lt)).apply(0xff, 0), 1);
        assert_eq!(u8s(AluOp::Compare(Compare::Lt)).apply(0xff, 0), 0);
        assert_eq!(Alu::litmus(AluOp::Div).apply(7, 0), u64::MAX.into());
        assert_eq!(Alu::litmus(AluOp::Div).apply(u64::MAX as u128 - 6, 2), u64::MAX as u128 - 2);
    }
}

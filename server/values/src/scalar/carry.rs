//! Integer arithmetic with the carry flag. A subtraction sets it if there was no borrow, as the hardware's adder does.

use crate::scalar::ScalarResult;
use crate::scalar::integer::high_part;
use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CarryOp {
    Add,
    Sub,
    MadLow,
    MadHigh,
}

/// An instruction that reads or writes the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CarryArithmetic {
    op: CarryOp,
    width: u32,
    signed: bool,
    /// Not so for `madc.hi.sat`, which the assembler translates to the instruction without it.
    saturates: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

impl CarryArithmetic {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let (reads, writes) = (matches!(words.mnemonic, "addc" | "subc" | "madc"), words.has("cc"));
        let op = match words.mnemonic {
            "add" | "addc" => CarryOp::Add,
            "sub" | "subc" => CarryOp::Sub,
            "mad" | "madc" if words.has("hi") => CarryOp::MadHigh,
            "mad" | "madc" => CarryOp::MadLow,
            _ => return None,
        };
        let ty = *words.types.first()?;
        let applies = (reads || writes) && ty.is_integer();
        let (width, signed) = (ty.bits(), matches!(ty, ScalarType::Signed(_)));
        applies.then_some(Self {
            op,
            width,
            signed,
            saturates: words.has("sat") && op != CarryOp::MadHigh,
            reads,
            writes,
        })
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        match (self.op, self.width, self.signed) {
            (CarryOp::Add, 32, false) => apply.pair(move |[a, b, ..], carry| {
                let sum = (a & 0xffff_ffff) + (b & 0xffff_ffff) + u64::from(self.reads && carry);
                ScalarResult { value: sum & 0xffff_ffff, second: if self.writes { sum >> 32 } else { carry.into() } }
            }),
            _ => apply.pair(move |sources, carry| self.compute(sources, carry)),
        }
    }

    fn compute(self, sources: Sources, carry: bool) -> ScalarResult {
        let ty = if self.signed { ScalarType::Signed(self.width) } else { ScalarType::Unsigned(self.width) };
        let mask = u128::from(u64::MAX >> (64 - self.width));
        let [a, b, c, _] = sources.map(|bits| u128::from(bits) & mask);
        let carry_in = u128::from(if self.reads { carry } else { self.op == CarryOp::Sub });
        let (x, y) = match self.op {
            CarryOp::Add => (a, b),
            CarryOp::Sub => (a, !b & mask),
            CarryOp::MadLow => ((a * b) & mask, c),
            CarryOp::MadHigh => (self.high(sources) & mask, c),
        };
        let exact = x + y + carry_in;
        let second = if self.writes { u64::from(exact & !mask != 0) } else { carry.into() };
        let value = if self.saturates { self.saturated(x, y, carry_in) } else { ty.extend((exact & mask) as u64) };
        ScalarResult { value, second }
    }

    fn high(self, [a, b, ..]: Sources) -> u128 {
        let number = |bits: u64| {
            if self.signed {
                i128::from(ScalarType::Signed(self.width).extend(bits) as i64)
            } else {
                i128::from(ScalarType::Unsigned(self.width).extend(bits))
            }
        };
        // The product of 16-bit integers is shifted as one of 32-bit integers is.
        high_part(number(a), number(b), self.width.max(32)) as u128
    }

    /// The signed 32-bit result, limited to the range of its type.
    fn saturated(self, x: u128, y: u128, carry: u128) -> u64 {
        let (x, y, carry) = (i64::from(x as i32), i64::from(y as i32), carry as i64);
        (x + y + carry).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    }
}

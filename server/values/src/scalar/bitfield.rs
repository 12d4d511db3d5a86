//! Counts, searches and fields of bits.

use crate::scalar::lanes::{Apply, Sources};
use crate::scalar::types::{ScalarType, Words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BitOp {
    CountOnes,
    LeadingZeros,
    FindLeading { as_shift: bool },
    FindNth,
    Reverse,
    Extract,
    Insert,
    Mask { wrap: bool },
    ExtendField { wrap: bool },
}

/// An instruction on the bits of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BitField {
    op: BitOp,
    ty: ScalarType,
}

impl BitField {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let ty = *words.types.first()?;
        let wrap = words.has("wrap");
        let op = match words.mnemonic {
            "popc" => BitOp::CountOnes,
            "clz" => BitOp::LeadingZeros,
            "bfind" => BitOp::FindLeading { as_shift: words.has("shiftamt") },
            "fns" => BitOp::FindNth,
            "brev" => BitOp::Reverse,
            "bfe" => BitOp::Extract,
            "bfi" => BitOp::Insert,
            "bmsk" => BitOp::Mask { wrap },
            "szext" => BitOp::ExtendField { wrap },
            _ => return None,
        };
        Some(Self { op, ty })
    }

    /// The first source that says how bits are moved; `None` if the result is no selection of bits.
    pub(super) const fn first_control(self) -> Option<usize> {
        match self.op {
            BitOp::Reverse | BitOp::Extract => Some(1),
            BitOp::Insert => Some(2),
            _ => None,
        }
    }

    pub(super) fn apply<A: Apply>(self, apply: A) -> A::Output {
        let ty = self.ty;
        let width = ty.bits();
        let unused = 64 - width;
        match self.op {
            BitOp::CountOnes => apply.value(move |[a, ..]| (a << unused).count_ones().into()),
            BitOp::LeadingZeros => apply.value(move |[a, ..]| (a << unused).leading_zeros().min(width).into()),
            BitOp::FindLeading { as_shift } => apply.value(move |[a, ..]| find_leading(ty, a, as_shift)),
            BitOp::FindNth => apply.value(|[mask, base, offset, _]| find_nth(mask as u32, base as u32, offset as i32)),
            BitOp::Reverse => apply.value(move |[a, ..]| a.reverse_bits() >> unused),
            BitOp::Extract => apply.value(move |sources| extract(ty, sources)),
            BitOp::Insert => apply.value(move |sources| insert(ty, sources)),
            BitOp::Mask { wrap } => apply.value(move |[start, count, ..]| mask(start as u32, count as u32, wrap)),
            BitOp::ExtendField { wrap } => apply.value(move |[a, count, ..]| extend_field(ty, a, count as u32, wrap)),
        }
    }
}

/// The position of the highest bit that differs from the sign, or how far it is from the top.
fn find_leading(ty: ScalarType, a: u64, as_shift: bool) -> u64 {
    let number = ty.extend(a);
    let magnitude = if ty.is_signed() && (number as i64) < 0 { !number } else { number };
    if magnitude == 0 {
        return 0xffff_ffff;
    }
    let position = 63 - magnitude.leading_zeros();
    u64::from(if as_shift { ty.bits() - 1 - position } else { position })
}

/// The position of a set bit, counted from `base` upwards or downwards.
fn find_nth(mask: u32, base: u32, offset: i32) -> u64 {
    let is_set = |position: &u32| mask >> position & 1 != 0;
    let found = match offset {
        0 => (base < 32 && is_set(&base)).then_some(base),
        i32::MIN => Some(0),
        1.. => (base..32).filter(is_set).nth(offset as usize - 1),
        _ if base > 31 => None,
        _ => (0..=base).rev().filter(is_set).nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX).into()
}

/// A field; what is above the top is zero or, in signed types, the sign.
fn extract(ty: ScalarType, [a, position, length, _]: Sources) -> u64 {
    let (position, length) = (field_operand(ty, position), field_operand(ty, length));
    if length == 0 {
        return 0;
    }
    let number = ty.extend(a);
    let shifted = if ty.is_signed() {
        (number as i64 >> position.min(63)) as u64
    } else {
        number.checked_shr(position).unwrap_or(0)
    };
    let cut = 64 - length.min(64);
    match (ty.is_signed(), position.saturating_add(length) > ty.bits()) {
        (true, true) => shifted,
        (true, false) => ((shifted << cut) as i64 >> cut) as u64,
        (false, _) => shifted << cut >> cut,
    }
}

/// A position or length: its lowest byte in 32-bit instructions, all of it in 64-bit ones.
const fn field_operand(ty: ScalarType, bits: u64) -> u32 {
    if ty.bits() == 64 { bits as u32 } else { bits as u32 & 0xff }
}

fn insert(ty: ScalarType, [a, b, position, length]: Sources) -> u64 {
    let (position, length) = (field_operand(ty, position), field_operand(ty, length));
    let field = u64::MAX.checked_shr(64_u32.saturating_sub(length)).unwrap_or(0);
    let field = field.checked_shl(position).unwrap_or(0);
    ty.extend(b & !field | a.checked_shl(position).unwrap_or(0) & field)
}

/// `count` ones from bit `start` on.
fn mask(start: u32, count: u32, wrap: bool) -> u64 {
    let limit = |amount: u32| if wrap { amount & 31 } else { amount.min(32) };
    let ones = (1_u64 << limit(count)) - 1;
    ones << limit(start) & 0xffff_ffff
}

/// The lowest `count` bits, extended to 32.
fn extend_field(ty: ScalarType, a: u64, count: u32, wrap: bool) -> u64 {
    let count = if wrap { count & 31 } else { count.min(32) };
    if count == 0 {
        return 0;
    }
    let cut = 64 - count;
    if ty.is_signed() { ((a << cut) as i64 >> cut) as u64 } else { a << cut >> cut }
}

//! Values that differ between the lanes of a warp in a known way.

use crate::values::DecodedInstruction;

/// The number of lanes of a warp.
pub(in crate::effects) const LANES: usize = 32;

/// The alignment of a base that is zero.
const EXACT: u32 = 64;

/// An integer: a base that all lanes of a warp share, and a known offset for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::effects) struct LaneOffsets {
    /// The base is an unknown multiple of two to this power, and the offsets are less than that power; 0 if neither is known.
    align: u32,
    /// The base is some multiple of two to this power, and the offsets are less; 0 if `align` says it, or nothing does.
    multiple: u32,
    offsets: [u32; LANES],
}

/// How an integer is compared with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::effects) enum LaneComparison {
    Equal,
    Less,
    LessOrEqual,
}

/// How a condition differs between the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCondition {
    /// It is the same in all lanes.
    Uniform,
    /// Wherever it is true in some lane, it is false in another one, or the other way round.
    Divergent,
    /// It compares a value of the lane with a bound that may be a multiple of the size of a warp.
    Bounded,
    /// Nothing is known of it.
    Unknown,
}

impl LaneCondition {
    /// The condition that is true in some threads of a CTA.
    pub(in crate::effects) fn of_threads(threads: &[bool]) -> Self {
        let (mut has_all, mut has_none, mut has_some) = (false, false, false);
        for warp in threads.chunks(LANES) {
            match warp.iter().filter(|lane| **lane).count() {
                0 => has_none = true,
                number if number == warp.len() => has_all = true,
                _ => has_some = true,
            }
        }
        match has_some {
            false => LaneCondition::Uniform,
            true if has_all && has_none => LaneCondition::Unknown,
            true => LaneCondition::Divergent,
        }
    }

    /// The conjunction or the disjunction.
    pub(in crate::effects) fn combined(self, other: Self) -> Self {
        use LaneCondition::{Bounded, Divergent, Uniform, Unknown};
        match (self, other) {
            (Uniform, one) | (one, Uniform) => one,
            (Unknown, _) | (_, Unknown) => Unknown,
            (Divergent, _) | (_, Divergent) => Divergent,
            (Bounded, Bounded) => Bounded,
        }
    }
}

impl LaneOffsets {
    /// `%tid.x`, in a CTA whose first dimension is a multiple of the size of a warp.
    pub(in crate::effects) fn thread() -> Self {
        LaneOffsets { align: 5, ..Self::exact(|lane| lane) }
    }

    /// A known value for each lane.
    pub(in crate::effects) fn exact(value: impl Fn(u32) -> u32) -> Self {
        LaneOffsets { align: EXACT, multiple: 0, offsets: std::array::from_fn(|lane| value(lane as u32)) }
    }

    /// Whether all lanes have the same value.
    pub(in crate::effects) fn is_uniform(&self) -> bool {
        self.offsets.iter().all(|offset| *offset == self.offsets[0])
    }

    /// The same offsets from an unknown base.
    pub(in crate::effects) fn unaligned(self) -> Self {
        LaneOffsets { align: 0, multiple: 0, ..self }
    }

    /// The same offsets from the sum of the base and a multiple of two to a power.
    pub(in crate::effects) fn moved(self, bits: u32) -> Self {
        let bits = self.zero_bits().map_or(0, |own| own.min(bits));
        let fits = self.offsets.iter().all(|offset| u64::from(*offset) < 1 << bits);
        LaneOffsets { align: 0, multiple: if fits { bits } else { 0 }, ..self }
    }

    /// The value in one of two places; `None` if the offsets differ by more than the base.
    pub(in crate::effects) fn join(self, other: Self) -> Option<Self> {
        if self.offsets != other.offsets {
            let distance = |index: usize| self.offsets[index].wrapping_sub(other.offsets[index]);
            let is_moved = (0..LANES).all(|lane| distance(lane) == distance(0));
            let from_first = |lane: usize| self.offsets[lane].wrapping_sub(self.offsets[0]);
            return is_moved.then(|| LaneOffsets { align: 0, multiple: 0, offsets: std::array::from_fn(from_first) });
        }
        let unknown = |align: u32| if align == EXACT { 0 } else { align };
        let align = if self == other { self.align } else { unknown(self.align.min(other.align)) };
        let zero_bits = self.zero_bits().zip(other.zero_bits()).filter(|_| align == 0);
        Some(LaneOffsets { align, multiple: zero_bits.map_or(0, |(one, other)| one.min(other)), ..self })
    }

    /// The number of low bits of the base that are zero, if the base is not known.
    pub(in crate::effects) fn zero_bits(&self) -> Option<u32> {
        [self.align, self.multiple].into_iter().find(|bits| (1..32).contains(bits))
    }

    /// The sum with a number.
    pub(in crate::effects) fn plus(self, number: u32) -> Self {
        self.map(self.align, |offset| offset.wrapping_add(self.low(number)))
    }

    /// The product with a number.
    pub(in crate::effects) fn times(self, number: u32) -> Self {
        match number.checked_ilog2().filter(|_| number.is_power_of_two()) {
            Some(bits) if self.align < EXACT => self.map(self.align + bits, |offset| offset << bits),
            _ => self.map(if self.align == EXACT { EXACT } else { 0 }, |offset| offset.wrapping_mul(number)),
        }
    }

    /// The bitwise and with a number.
    pub(in crate::effects) fn and(self, mask: u32) -> Self {
        let keeps_base = self.align < EXACT && u64::from(mask) >> self.align != 0;
        self.map_low(if keeps_base { self.align } else { EXACT }, |offset| offset & mask)
    }

    /// A bitwise operation with a number that has no effect on other bits than its own.
    pub(in crate::effects) fn bitwise(self, number: u32, operation: impl Fn(u32, u32) -> u32) -> Self {
        self.map_low(self.align, |offset| operation(offset, self.low(number)))
    }

    /// The value shifted right; `None` if offsets below an unknown base take part.
    pub(in crate::effects) fn shifted_right(self, bits: u32) -> Option<Self> {
        let shift = |offset: u32| offset.checked_shr(bits).unwrap_or(0);
        match self.align {
            EXACT => Some(self.map(EXACT, shift)),
            0 if self.offsets.iter().any(|offset| *offset > i32::MAX as u32) => None,
            // The offsets are less than the alignment.
            align => Some(self.map_low(align.saturating_sub(bits), shift)),
        }
    }

    /// The difference of a number and the value.
    pub(in crate::effects) fn subtracted_from(self, number: u32) -> Self {
        let align = if self.align == EXACT { EXACT } else { 0 };
        self.map(align, |offset| number.wrapping_sub(offset))
    }

    /// The result of a comparison with a number, `None` for a number that is not known.
    pub(in crate::effects) fn compare(
        &self,
        relation: LaneComparison,
        signed: bool,
        number: Option<u32>,
    ) -> LaneCondition {
        if self.is_uniform() {
            return LaneCondition::Uniform;
        }
        let Some(number) = number.filter(|_| self.align > 0) else {
            return match relation {
                LaneComparison::Equal => LaneCondition::Divergent,
                LaneComparison::Less | LaneComparison::LessOrEqual => LaneCondition::Bounded,
            };
        };
        let sign = if signed && self.align == EXACT { 1 << 31 } else { 0 };
        let number = self.low(number) ^ sign;
        // In the warp with the base that is nearest to the number.
        let results = self.offsets.map(|offset| match relation {
            LaneComparison::Equal => offset ^ sign == number,
            LaneComparison::Less => (offset ^ sign) < number,
            LaneComparison::LessOrEqual => offset ^ sign <= number,
        });
        let is_uniform = results.iter().all(|result| *result == results[0]);
        if is_uniform { LaneCondition::Uniform } else { LaneCondition::Divergent }
    }

    /// The result of a comparison with an unknown number of which so many low bits are zero as of the base, and the offsets are less.
    pub(in crate::effects) fn compare_multiple(&self, relation: LaneComparison) -> LaneCondition {
        LaneOffsets { align: self.zero_bits().unwrap_or(0), multiple: 0, ..*self }.compare(relation, false, Some(0))
    }

    /// The bits of a number that do not belong to the base.
    fn low(&self, number: u32) -> u32 {
        1u32.checked_shl(self.align).filter(|_| self.align > 0).map_or(number, |base| number & (base - 1))
    }

    /// Other offsets from the same base, if its alignment is known.
    fn map_low(self, align: u32, offset: impl Fn(u32) -> u32) -> Self {
        // Bits of an unknown base take part in the result.
        self.map(if self.align == 0 { 0 } else { align }, offset)
    }

    fn map(self, align: u32, offset: impl Fn(u32) -> u32) -> Self {
        let offsets = self.offsets.map(offset);
        let fits = align >= 32 || offsets.iter().all(|offset| u64::from(*offset) < 1 << align);
        LaneOffsets { align: if fits { align } else { 0 }, multiple: 0, offsets }
    }
}

/// The relation of a comparison, and the one with the operands exchanged. Negated relations differ between the same lanes.
pub(in crate::effects) fn relation(word: &str) -> Option<(LaneComparison, LaneComparison)> {
    Some(match word {
        "eq" | "ne" => (LaneComparison::Equal, LaneComparison::Equal),
        "lt" | "lo" | "ge" | "hs" => (LaneComparison::Less, LaneComparison::LessOrEqual),
        "le" | "ls" | "gt" | "hi" => (LaneComparison::LessOrEqual, LaneComparison::Less),
        _ => return None,
    })
}

/// Arithmetic with a number, which may be unknown.
pub(in crate::effects) fn offset_arithmetic(
    offsets: LaneOffsets,
    number: Option<u32>,
    instruction: &DecodedInstruction,
    mnemonic: &str,
) -> Option<LaneOffsets> {
    let power = number.filter(|number| number.is_power_of_two());
    Some(match (mnemonic, number) {
        ("add", Some(number)) => offsets.plus(number),
        ("sub", Some(number)) => offsets.plus(number.wrapping_neg()),
        ("add" | "sub", None) => offsets.unaligned(),
        ("mul", Some(number)) if !instruction.has("hi") => offsets.times(number),
        ("shl", Some(bits)) if bits < 32 => offsets.times(1 << bits),
        ("shr", Some(bits)) => offsets.shifted_right(bits)?,
        ("and", Some(mask)) => offsets.and(mask),
        ("or", Some(number)) => offsets.bitwise(number, |one, other| one | other),
        ("xor", Some(number)) => offsets.bitwise(number, |one, other| one ^ other),
        ("div", Some(_)) => offsets.shifted_right(power?.ilog2())?,
        ("rem", Some(_)) => offsets.and(power? - 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_threads_diverge_within_a_warp_only() {
        let thread = LaneOffsets::thread();
        let cases = [
            (thread, LaneComparison::Equal, 64, LaneCondition::Divergent),
            (thread, LaneComparison::Less, 64, LaneCondition::Uniform),
            (thread, LaneComparison::Less, 65, LaneCondition::Divergent),
            (thread, LaneComparison::LessOrEqual, 31, LaneCondition::Uniform),
            (thread.plus(-32i32 as u32), LaneComparison::Less, 64, LaneCondition::Uniform),
            (thread.plus(1), LaneComparison::Less, 64, LaneCondition::Bounded),
            (thread.shifted_right(5).unwrap_or(thread), LaneComparison::Equal, 1, LaneCondition::Uniform),
            (thread.shifted_right(2).unwrap_or(thread), LaneComparison::Equal, 8, LaneCondition::Divergent),
            (thread.shifted_right(2).unwrap_or(thread).and(8), LaneComparison::Equal, 0, LaneCondition::Uniform),
            (thread.and(31), LaneComparison::Less, 32, LaneCondition::Uniform),
            (thread.and(31), LaneComparison::Less, 16, LaneCondition::Divergent),
            (thread.and(96), LaneComparison::Equal, 32, LaneCondition::Uniform),
            (thread.times(4), LaneComparison::Less, 256, LaneCondition::Uniform),
            (thread.times(4), LaneComparison::Less, 252, LaneCondition::Divergent),
            (thread.unaligned(), LaneComparison::Less, 64, LaneCondition::Bounded),
            (thread.moved(5), LaneComparison::Less, 65, LaneCondition::Bounded),
        ];
        for (value, relation, number, expected) in cases {
            assert_eq!(value.compare(relation, false, Some(number)), expected, "{relation:?} {number} {value:?}");
        }
    }
}

//! Products of integers and of bits, which are exact.

/// What becomes of a sum that 32 bits do not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerOverflow {
    /// Its low 32 bits.
    Wrap,
    /// The nearest number of 32 bits: `.satfinite`
    Clamp,
}

impl IntegerOverflow {
    const fn of(self, sum: i64) -> u64 {
        let sum = match self {
            Self::Wrap => sum as i32,
            Self::Clamp if sum > i32::MAX as i64 => i32::MAX,
            Self::Clamp if sum < i32::MIN as i64 => i32::MIN,
            Self::Clamp => sum as i32,
        };
        sum as u32 as u64
    }
}

/// How bits are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOperation {
    /// `.xor.popc`
    Xor,
    /// `.and.popc`
    And,
}

/// The integer of so many bits.
pub(super) const fn extended(bits: u64, width: u32, is_signed: bool) -> i32 {
    let shift = 32 - width;
    let high = (bits as u32) << shift;
    if is_signed { high as i32 >> shift } else { (high >> shift) as i32 }
}

/// An accumulator after the products of a row and a column.
pub(super) fn integer_dot_add(a: &[i32], b: &[i32], c: u64, overflow: IntegerOverflow) -> u64 {
    let products = a.iter().zip(b).map(|(a, b)| i64::from(a * b));
    overflow.of(i64::from(c as u32 as i32) + products.sum::<i64>())
}

/// An accumulator after the products of bits.
pub(super) fn bit_dot_add(a: &[u64], b: &[u64], c: u64, operation: BitOperation) -> u64 {
    let count = a.iter().zip(b).map(|(a, b)| match operation {
        BitOperation::Xor => ((a ^ b) as u32).count_ones(),
        BitOperation::And => ((a & b) as u32).count_ones(),
    });
    u64::from(count.fold(c as u32, u32::wrapping_add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_their_sign() {
        assert_eq!(extended(0xf, 4, true), -1);
        assert_eq!(extended(0xf, 4, false), 15);
        assert_eq!(extended(0x80, 8, true), -128);
    }

    #[test]
    fn a_sum_wraps_or_is_clamped() {
        let sum = |overflow| integer_dot_add(&[127, 1], &[127, 0], i32::MAX as u64, overflow);
        assert_eq!(sum(IntegerOverflow::Clamp), i32::MAX as u64);
        assert_eq!(sum(IntegerOverflow::Wrap), u64::from((i32::MAX as u32).wrapping_add(16129)));
    }

    #[test]
    fn bits_are_counted() {
        assert_eq!(bit_dot_add(&[0b1100], &[0b1010], 5, BitOperation::Xor), 7);
        assert_eq!(bit_dot_add(&[0b1100], &[0b1010], 5, BitOperation::And), 6);
    }
}

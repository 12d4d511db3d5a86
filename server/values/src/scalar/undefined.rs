//! Which bits of a result depend on bits of the operands that have no defined value.

use crate::scalar::lanes::OneThread;
use crate::scalar::{Kind, ScalarOperation, ScalarResult};

impl ScalarOperation {
    /// The bits of the results that depend on undefined bits of the sources.
    ///
    /// Instructions on bits are followed bit by bit, and a predicate that decides alone makes a comparison irrelevant: compilers rely on both. Of all
    /// other instructions the whole result depends on each operand.
    pub fn undefined(&self, sources: [u64; 4], undefined: [u64; 4]) -> ScalarResult {
        let all = ScalarResult { value: u64::MAX, second: u64::MAX };
        if undefined == [0; 4] {
            return ScalarResult::default();
        }
        if let Kind::Compare(comparison) = self.kind {
            let is_decided = undefined[2] == 0 && comparison.is_decided_by(sources[2]);
            return if is_decided { ScalarResult::default() } else { all };
        }
        match self.kind.first_control() {
            Some(first) if undefined[first..].iter().all(|bits| *bits == 0) => self.dependent_bits(sources, undefined),
            _ => all,
        }
    }

    /// The bits that change if the undefined bits of one source do.
    fn dependent_bits(&self, sources: [u64; 4], undefined: [u64; 4]) -> ScalarResult {
        let compute = |sources| self.kind.apply(OneThread { sources, carry: false });
        let zeros: [u64; 4] = std::array::from_fn(|at| sources[at] & !undefined[at]);
        let ones: [u64; 4] = std::array::from_fn(|at| sources[at] | undefined[at]);
        let mut bits = ScalarResult::default();
        for (from, to) in [(zeros, ones), (ones, zeros)] {
            let before = compute(from);
            for (at, source) in to.into_iter().enumerate() {
                let mut changed = from;
                changed[at] = source;
                let after = compute(changed);
                bits.value |= before.value ^ after.value;
                bits.second |= before.second ^ after.second;
            }
        }
        // All sources together, as of a majority, which no one of them changes.
        let (before, after) = (compute(zeros), compute(ones));
        bits.value |= before.value ^ after.value;
        bits.second |= before.second ^ after.second;
        bits
    }
}

impl Kind {
    /// For an instruction that moves or combines bits: the first of the sources that say how, which are its last ones. `None` for others.
    const fn first_control(self) -> Option<usize> {
        match self {
            Self::Logic(logic) => logic.first_control(),
            Self::Ternary(_) => Some(3),
            Self::BitField(field) => field.first_control(),
            Self::Conversion(conversion) if conversion.keeps_bits() => Some(1),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undefined(mnemonic: &str, modifiers: &[&str], sources: [u64; 4], undefined: [u64; 4]) -> u64 {
        let operation = ScalarOperation::new(mnemonic, modifiers).expect("an operation");
        operation.undefined(sources, undefined).value
    }

    #[test]
    fn a_mask_hides_undefined_bits() {
        assert_eq!(undefined("and", &["b32"], [0, 0xff, 0, 0], [0xffff_ff0f, 0, 0, 0]), 0x0f);
        assert_eq!(undefined("or", &["pred"], [0, 1, 0, 0], [1, 0, 0, 0]), 0);
        assert_eq!(undefined("or", &["pred"], [0, 0, 0, 0], [1, 0, 0, 0]), 1);
        assert_eq!(undefined("xor", &["b32"], [0; 4], [0xf, 0xf0, 0, 0]), 0xff);
        assert_eq!(undefined("selp", &["b32"], [0, 0, 0, 0], [0xff, 0, 0, 0]), 0);
        assert_eq!(undefined("selp", &["b32"], [0, 0, 1, 0], [0xff, 0, 0, 0]), 0xff);
        assert_eq!(undefined("shl", &["b32"], [0, 8, 0, 0], [0xff, 0, 0, 0]), 0xff00);
        assert_eq!(undefined("cvt", &["u32", "u64"], [0; 4], [0xffff_ffff_0000_0000, 0, 0, 0]), 0);
    }

    #[test]
    fn others_depend_on_each_operand() {
        assert_eq!(undefined("add", &["u32"], [0; 4], [1, 0, 0, 0]), u64::MAX);
        assert_eq!(undefined("shl", &["b32"], [0; 4], [0, 1, 0, 0]), u64::MAX);
        assert_eq!(undefined("setp", &["lt", "s32"], [0, 10, 0, 0], [0xffff_ffff, 0, 0, 0]), u64::MAX);
        assert_eq!(undefined("setp", &["lt", "and", "s32"], [0, 10, 0, 0], [0xffff_ffff, 0, 0, 0]), 0);
        assert_eq!(undefined("setp", &["lt", "or", "s32"], [0, 10, 0, 0], [0xffff_ffff, 0, 0, 0]), u64::MAX);
    }
}

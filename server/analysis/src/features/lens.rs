//! Code lenses: the places of atomics that can be evaluated.

use super::inlay::legal_atomics;
use crate::Snapshot;
use std::ops::Range;

/// An atomic that can be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The opcode.
    pub range: Range<usize>,
    /// The opcode as it is written, comments and blanks left out.
    pub opcode: String,
}

/// Every legal atomic, in order.
pub fn lenses(snapshot: &Snapshot) -> Vec<Lens> {
    let mut found = Vec::new();
    legal_atomics(snapshot, 0..snapshot.file.text().len_bytes(), |opcode, instruction, _| {
        if instruction.op.is_some() || instruction.ty.is_some() {
            let words: String = opcode.words().iter().map(|word| format!(".{word}")).collect();
            found.push(Lens { range: opcode.range.clone(), opcode: format!("{}{words}", opcode.mnemonic.text) });
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::names::tests::snapshot;

    #[test]
    fn atomics_that_can_be_evaluated() {
        let text = ".version 8.6\n.target sm_90\n.entry k() { add.u32 a, b, 1; atom.add /* c */ .u32 a, [b], c; red.wrong.add.u32 [b], c; }";
        let found = lenses(&snapshot(text));
        assert_eq!(
            found,
            [Lens {
                range: text.find("atom").unwrap()..text.find(" a, [b]").unwrap(),
                opcode: "atom.add.u32".to_owned()
            }]
        );
    }
}

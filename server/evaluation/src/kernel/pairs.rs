//! Addresses in the first CTA of a pair, as CUTLASS makes them: by a mask.
//!
//! On the hardware bit 24 of an address of the cluster's shared memory is the lowest bit of a rank, in addresses of the own CTA, too. In the machine those of
//! the own CTA have no rank. So such a mask is not taken for arithmetic where its result is nothing but the address of an mbarrier of a pair.

use std::collections::BTreeSet;
use syntax::{Instruction, Item, Operand, OperandKind, WalkEvent, integer_value};

/// All bits but the lowest one of the rank.
const FIRST_OF_PAIR: u32 = 0xfeff_ffff;

/// Whether an instruction clears the lowest bit of a rank, in all executions.
pub fn is_mask(instruction: &Instruction) -> bool {
    let operands = instruction.operands();
    let [_, _, mask] = &operands[..] else { return false };
    let is_number = mask.kind == OperandKind::Constant || mask.kind == OperandKind::Negation;
    let opcode = instruction.opcode();
    &*opcode.mnemonic.text == "and"
        && instruction.guard().is_none()
        && opcode.words() == ["b32"]
        && is_number
        && integer_value(&mask.token.text).is_some_and(|mask| mask as u32 == FIRST_OF_PAIR)
}

/// The registers of a function that a mask alone writes and that are addresses of mbarriers of a pair.
pub fn addresses(item: &Item) -> BTreeSet<String> {
    let (mut masked, mut others, mut barriers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    item.walk(|event| {
        let WalkEvent::Instruction(instruction) = event else { return };
        let operands = instruction.operands();
        let written = operands.first().map(names).unwrap_or_default();
        match is_mask(&instruction) {
            true => written.into_iter().for_each(|name| _ = masked.insert(name)),
            false => others.extend(written),
        }
        let opcode = instruction.opcode();
        let has = |word: &str| opcode.words().contains(&word);
        if has("cta_group::2") && (has("commit") || has("tensor")) {
            let addresses = operands.iter().filter_map(Operand::address);
            barriers.extend(addresses.map(|address| address.base.token.text.to_string()));
        }
    });
    masked.retain(|name| barriers.contains(name) && !others.contains(name));
    masked
}

/// The names of what an operand writes, if it writes something.
fn names(operand: &Operand) -> Vec<String> {
    let name = |operand: &Operand| operand.token.text.to_string();
    match operand.kind {
        OperandKind::Address => Vec::new(),
        OperandKind::Vector => operand.lanes().iter().map(name).collect(),
        OperandKind::Pair => operand.parts().map_or_else(Vec::new, |(first, second)| vec![name(&first), name(&second)]),
        _ => vec![name(operand)],
    }
}

//! Addresses in the first CTA of a pair, as CUTLASS makes them: by a mask.
//!
//! On the hardware bit 24 of an address of the cluster's shared memory is the lowest bit of a rank, in addresses of the own CTA, too. In the machine those of
//! the own CTA have no rank. So such a mask is not taken for arithmetic where its result is nothing but the address of an mbarrier of a pair.

use std::collections::BTreeSet;
use syntax::{Instruction, Item, Operand, OperandKind, WalkEvent, integer_value};

/// The lowest bit of the rank.
const RANK_IN_PAIR: u32 = 1 << 24;

/// The most bits at the end of an address that a mask clears, too: compilers do so with those that the alignment of the mbarrier makes 0.
const MOST_ALIGNMENT: u32 = 1 << 16;

/// Whether an instruction clears the lowest bit of a rank, in all executions.
pub fn is_mask(instruction: &Instruction) -> bool {
    aligned_bits(instruction).is_some()
}

/// The bits at the end of an address that an instruction clears which clears the lowest bit of a rank, in all executions.
pub fn aligned_bits(instruction: &Instruction) -> Option<u32> {
    let operands = instruction.operands();
    let [_, _, mask] = &operands[..] else { return None };
    let is_number = mask.kind == OperandKind::Constant || mask.kind == OperandKind::Negation;
    let opcode = instruction.opcode();
    let is_and = &*opcode.mnemonic.text == "and" && instruction.guard().is_none() && opcode.words() == ["b32"];
    let cleared = !(integer_value(&mask.token.text).filter(|_| is_and && is_number)? as u32);
    let low = cleared & !RANK_IN_PAIR;
    let is_alignment = low < MOST_ALIGNMENT && (low + 1).is_power_of_two();
    (cleared & RANK_IN_PAIR != 0 && is_alignment).then_some(low)
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

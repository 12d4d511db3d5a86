//! Addresses in the first CTA of a pair, as CUTLASS makes them: by a mask.
//!
//! On the hardware bit 24 of an address of the cluster's shared memory is the lowest bit of a rank, in addresses of the own CTA, too. In the machine those of
//! the own CTA have no rank. So such a mask is not taken for arithmetic where its result is nothing but the address of an mbarrier of a pair. The mask may be
//! in a register, and the result may be moved to others.

use std::collections::{BTreeMap, BTreeSet};
use syntax::{Instruction, Item, Operand, OperandKind, WalkEvent, integer_value};

/// The lowest bit of the rank.
const RANK_IN_PAIR: u64 = 1 << 24;

/// The most bits at the end of an address that a mask clears, too: compilers do so with those that the alignment of the mbarrier makes 0.
const MOST_ALIGNMENT: u64 = 1 << 16;

/// The bits above an address of shared memory.
const UPPER: u64 = !(u32::MAX as u64);

/// An instruction that makes an address in the first CTA of a pair.
pub struct PairMask<'o, 't> {
    /// Where the address is written.
    pub to: &'o Operand<'t>,
    /// The address in any CTA of the pair.
    pub address: &'o Operand<'t>,
    /// The type of the instruction, `b32` or `b64`.
    pub ty: &'static str,
    /// The bits of the address that it keeps, but for those of its rank.
    pub kept: u64,
}

/// The masks of a function whose results are addresses of mbarriers of a pair.
#[derive(Debug, Default)]
pub struct PairMasks {
    /// The registers that have one value, but for where they are read before it is written.
    constants: BTreeMap<String, u64>,
    /// The registers that masks and moves alone write, and that are addresses of mbarriers of a pair or moved to such.
    addresses: BTreeSet<String>,
}

/// What an instruction writes to a register.
#[derive(Debug)]
enum Written {
    Constant(u64),
    Copy(String),
    /// The result of an `and`.
    And,
    Other,
}

impl PairMasks {
    /// Those of a function.
    pub fn of(item: &Item) -> Self {
        let wanted = pair_addresses(item);
        // Few functions have some, and the rest is much work.
        if wanted.is_empty() {
            return Self::default();
        }
        let mut written: BTreeMap<String, Vec<Written>> = BTreeMap::new();
        item.walk(|event| {
            let WalkEvent::Instruction(instruction) = event else { return };
            let operands = instruction.operands();
            for name in operands.first().map(names).unwrap_or_default() {
                written.entry(name).or_default().push(Written::by(&instruction, &operands));
            }
        });
        let constants = written.iter().filter_map(|(name, all)| match &all[..] {
            [Written::Constant(value)] => Some((name.clone(), *value)),
            _ => None,
        });
        Self { constants: constants.collect(), addresses: addresses(wanted, &written) }
    }

    /// What an instruction masks, if it makes an address in the first CTA of a pair in all executions.
    pub fn mask<'o, 't>(&self, instruction: &Instruction, operands: &'o [Operand<'t>]) -> Option<PairMask<'o, 't>> {
        let [to, first, second] = operands else { return None };
        let ty = and_type(instruction).filter(|_| self.addresses.contains(&*to.token.text))?;
        let all = if ty == "b32" { !UPPER } else { u64::MAX };
        let masked = |mask: &Operand, address: &'o Operand<'t>| {
            let cleared = !self.value(mask)? & all;
            let low = cleared & !RANK_IN_PAIR & !UPPER;
            let is_alignment = low < MOST_ALIGNMENT && (low + 1).is_power_of_two();
            let is_rank = cleared & RANK_IN_PAIR != 0 && matches!(cleared & UPPER, 0 | UPPER);
            (is_rank && is_alignment).then_some(PairMask { to, address, ty, kept: all & (!cleared | RANK_IN_PAIR) })
        };
        masked(second, first).or_else(|| masked(first, second))
    }

    fn value(&self, operand: &Operand) -> Option<u64> {
        number(operand).or_else(|| self.constants.get(&*operand.token.text).copied())
    }
}

impl Written {
    fn by(instruction: &Instruction, operands: &[Operand]) -> Self {
        if and_type(instruction).is_some() {
            return Self::And;
        }
        let is_move = &*instruction.opcode().mnemonic.text == "mov" && instruction.guard().is_none();
        match operands {
            [_, from] if is_move => match number(from) {
                Some(value) => Self::Constant(value),
                None if from.kind == OperandKind::Name => Self::Copy(from.token.text.to_string()),
                None => Self::Other,
            },
            _ => Self::Other,
        }
    }
}

/// The registers with addresses of mbarriers that the CTAs of a pair share.
fn pair_addresses(item: &Item) -> Vec<String> {
    let mut wanted = Vec::new();
    item.walk(|event| {
        let WalkEvent::Instruction(instruction) = event else { return };
        let opcode = instruction.opcode();
        let has = |word: &str| opcode.words().contains(&word);
        if has("cta_group::2") && (has("commit") || has("tensor")) {
            let operands = instruction.operands();
            let addresses = operands.iter().filter_map(Operand::address);
            wanted.extend(addresses.map(|address| address.base.token.text.to_string()));
        }
    });
    wanted
}

/// Whether an instruction makes an address in the first CTA of a pair if its operands are right.
pub fn may_be_mask(instruction: &Instruction) -> bool {
    and_type(instruction).is_some()
}

/// The type of an `and` that is executed in all executions.
fn and_type(instruction: &Instruction) -> Option<&'static str> {
    let opcode = instruction.opcode();
    let is_and = &*opcode.mnemonic.text == "and" && instruction.guard().is_none();
    ["b32", "b64"].into_iter().find(|ty| is_and && opcode.words() == [*ty])
}

/// The registers from which some are moved, and these, if nothing but moves and `and` write them.
fn addresses(mut wanted: Vec<String>, written: &BTreeMap<String, Vec<Written>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        let Some(all) = written.get(&name) else { continue };
        let is_address = |one: &Written| matches!(one, Written::And | Written::Copy(_));
        if !all.iter().all(is_address) || !found.insert(name) {
            continue;
        }
        wanted.extend(all.iter().filter_map(|one| match one {
            Written::Copy(from) => Some(from.clone()),
            _ => None,
        }));
    }
    found
}

/// The value of a number.
fn number(operand: &Operand) -> Option<u64> {
    let is_number = matches!(operand.kind, OperandKind::Constant | OperandKind::Negation);
    integer_value(&operand.token.text).filter(|_| is_number).map(|value| value as u64)
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

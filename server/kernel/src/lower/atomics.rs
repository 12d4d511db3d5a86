//! Atomics.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use isa::types::{Scope, Sem, TypeKind};
use isa::{Resolution, ResolvedInstruction, Spelling};
use program::{AccessOrder, Atomic, MachineAction};
use syntax::Operand;
use values::{AccessedSpace, Computation, Operation};

/// Lowers `atom` and `red`.
pub fn atomic(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let resolved = resolve(lowering, words)?;
    let update = |space| match Computation::of(&resolved, space) {
        Ok(Computation::Update { operation, .. }) => Some(operation),
        _ => None,
    };
    let in_global = update(AccessedSpace::Global).or_else(|| update(AccessedSpace::Shared))?;
    let returns = words.mnemonic == "atom";
    let (destination, operands) =
        if returns { operands.split_first().map(|(d, rest)| (Some(d), rest))? } else { (None, operands) };
    let [address, b, rest @ ..] = operands else { return None };
    let (part_bits, element_bits) = part_bits(in_global);
    let kind = match resolved.ty {
        Some(ty) if ty.kind() == TypeKind::Float && element_bits == 32 => ConstantKind::Single,
        Some(ty) if ty.kind() == TypeKind::Float && element_bits == 64 => ConstantKind::Double,
        _ => ConstantKind::Bits,
    };
    let address = lowering.address(address, words.space())?;
    let b = lowering.sources(b, element_bits, kind)?;
    let c = match rest.first() {
        Some(c) if words.has("cas") => lowering.sources(c, element_bits, kind)?,
        _ => Vec::new(),
    };
    let destination = match destination {
        Some(destination) => lowering.destinations(destination, element_bits)?,
        None => Vec::new(),
    };
    let sem = resolved.sem.map_or(Sem::Relaxed, |given| given.value);
    let scope = resolved.scope.map_or(Scope::Gpu, |given| given.value);
    let order = if returns { AccessOrder::new(sem, scope) } else { AccessOrder::of_reduction(sem, scope) };
    let in_shared = update(AccessedSpace::Shared);
    let atomic = Atomic { address, in_global, in_shared, b, c, destination, part_bits, order };
    lowering.emit(MachineAction::Atomic(Box::new(atomic)));
    Some(())
}

/// The meaning of the words of an instruction.
pub fn resolve(lowering: &FunctionLowering<'_, '_>, words: &InstructionWords) -> Option<ResolvedInstruction> {
    let spelling = Spelling { mnemonic: &words.mnemonic, modifiers: &words.words() };
    match isa::resolve(&spelling, &lowering.module.module) {
        Resolution::Legal(resolved) => Some(resolved),
        _ => None,
    }
}

/// The width of a register that holds a part of the value, and that of an element, in bits.
fn part_bits(operation: Operation) -> (u32, u32) {
    let element = operation.shape().lane().width();
    (element.min(64), element)
}

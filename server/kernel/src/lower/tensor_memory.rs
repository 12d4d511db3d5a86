//! Instructions on tensor memory, `tcgen05`.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use program::{
    AccumulatorLayout, AwaitedTiles, CtaGroup, MachineAction, MachineAddress, MemorySpace, MultipliedMatrix, Source,
    TensorAction, TensorCopyIn, TensorFence, TensorInstruction, TensorMultiply, TensorTile, TileElements,
};
use syntax::{Operand, OperandKind, integer_value};

/// Lowers `tcgen05`; `None` for loads that reduce or compress.
pub fn tensor_memory(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let name = words.modifiers.first()?.as_str();
    let action = match name {
        "alloc" => {
            let [to, columns] = operands else { return None };
            let space = if words.has("shared::cta") { MemorySpace::SharedCta } else { MemorySpace::Generic };
            let columns = lowering.source(columns, ConstantKind::Bits)?;
            TensorAction::Allocate(lowering.address(to, space)?, columns, cta_group(words))
        }
        "dealloc" => {
            let [address, columns] = operands else { return None };
            TensorAction::Free(
                lowering.source(address, ConstantKind::Bits)?,
                lowering.source(columns, ConstantKind::Bits)?,
            )
        }
        "relinquish_alloc_permit" => TensorAction::Relinquish,
        "ld" if !words.has("red") && !words.has("spcompress") => tensor_load(lowering, words, operands)?,
        "st" => tensor_store(lowering, words, operands)?,
        "wait::ld" => TensorAction::Wait(AwaitedTiles::Loads),
        "wait::st" => TensorAction::Wait(AwaitedTiles::Stores),
        "fence::before_thread_sync" => TensorAction::Fence(TensorFence::Before),
        "fence::after_thread_sync" => TensorAction::Fence(TensorFence::After),
        "mma" => TensorAction::Multiply(Box::new(tensor_multiply(lowering, words, operands)?)),
        "cp" => TensorAction::Copy(tensor_copy_in(lowering, words, operands)?),
        "shift" => TensorAction::Shift(tensor_address(lowering, operands.first()?)?, cta_group(words)),
        "commit" => {
            let space = if words.has("shared::cluster") { MemorySpace::SharedCluster } else { MemorySpace::Generic };
            let ranks = match operands.get(1) {
                Some(ranks) => Some(lowering.source(ranks, ConstantKind::Bits)?),
                None => None,
            };
            TensorAction::Commit(lowering.address(operands.first()?, space)?, ranks)
        }
        _ => return None,
    };
    let opcode = words.text().into();
    lowering.emit(MachineAction::Tensor(Box::new(TensorInstruction { action, opcode })));
    Some(())
}

/// An address in tensor memory, which is a number.
fn tensor_address(lowering: &mut FunctionLowering<'_, '_>, operand: &Operand) -> Option<MachineAddress> {
    lowering.address(operand, MemorySpace::Generic)
}

fn tensor_load(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<TensorAction> {
    let (registers, address, second) = match operands {
        [registers, address] => (registers, address, None),
        [registers, address, second] => (registers, address, Some(second)),
        _ => return None,
    };
    let tile = tensor_tile(lowering, words, address, second)?;
    let registers = lowering.destinations(registers, 32)?.into_iter().collect::<Option<Vec<_>>>()?;
    Some(TensorAction::Load(tile, registers))
}

fn tensor_store(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<TensorAction> {
    let (address, second, registers) = match operands {
        [address, registers] => (address, None, registers),
        [address, second, registers] => (address, Some(second), registers),
        _ => return None,
    };
    let tile = tensor_tile(lowering, words, address, second)?;
    Some(TensorAction::Store(tile, lowering.sources(registers, 32, ConstantKind::Bits)?))
}

fn tensor_tile(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    address: &Operand,
    second: Option<&Operand>,
) -> Option<TensorTile> {
    let shapes =
        [("32x32b", (32, 1)), ("16x64b", (16, 2)), ("16x128b", (16, 4)), ("16x256b", (16, 8)), ("16x32bx2", (16, 1))];
    let (lanes, columns) = words.one_of(&shapes)?;
    let repeated: u32 = words.modifiers.iter().find_map(|word| word.strip_prefix('x')?.parse().ok())?;
    let is_packed = words.has("pack::16b") || words.has("unpack::16b");
    let elements = match (words.has("32x32b"), is_packed) {
        (true, false) => TileElements::ColumnsOfLane,
        (true, true) => TileElements::HalvesOfLane,
        (false, _) => TileElements::Spread,
    };
    let second = match second {
        Some(second) => Some(integer_value(&second.token.text)? as u32),
        None => None,
    };
    let columns = columns * repeated * if is_packed { 2 } else { 1 };
    Some(TensorTile { address: tensor_address(lowering, address)?, lanes, columns, second, elements })
}

fn tensor_multiply(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<TensorMultiply> {
    let [accumulator, a, b, rest @ ..] = operands else { return None };
    let accumulator = tensor_address(lowering, accumulator)?;
    let a = match a.kind {
        OperandKind::Address => MultipliedMatrix::Tensor(tensor_address(lowering, a)?),
        _ => MultipliedMatrix::Shared(lowering.source(a, ConstantKind::Bits)?),
    };
    let b = lowering.source(b, ConstantKind::Bits)?;
    let is_address = |operand: &&Operand| operand.kind == OperandKind::Address;
    let inputs = rest
        .iter()
        .filter(is_address)
        .map(|one| tensor_address(lowering, one))
        .collect::<Option<Vec<MachineAddress>>>()?;
    let mut others = rest.iter().filter(|operand| !is_address(operand));
    let descriptor = lowering.source(others.next()?, ConstantKind::Bits)?;
    let mut next = others.next()?;
    let mut disabled_lanes: Vec<Source> = Vec::new();
    if next.kind == OperandKind::Vector {
        disabled_lanes = lowering.sources(next, 32, ConstantKind::Bits)?;
        next = others.next()?;
    }
    let accumulates = lowering.source(next, ConstantKind::Bits)?;
    let kind = words.modifiers.iter().find(|word| word.starts_with("kind::"))?.as_str().into();
    let layout = if words.has("ws") { AccumulatorLayout::AllLanes } else { AccumulatorLayout::Rows };
    let group = cta_group(words);
    Some(TensorMultiply { group, accumulator, a, b, inputs, descriptor, accumulates, disabled_lanes, kind, layout })
}

fn tensor_copy_in(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<TensorCopyIn> {
    let [address, descriptor] = operands else { return None };
    // Rows, chunks of 16 bytes, and the lanes that get them: narrow shapes are written for several warps.
    let shapes = [
        ("4x256b", (4, 2, 4)),
        ("128x256b", (128, 2, 128)),
        ("128x128b", (128, 1, 128)),
        ("64x128b", (64, 1, 128)),
        ("32x128b", (32, 1, 128)),
    ];
    let (rows, chunks, lanes) = words.one_of(&shapes)?;
    let descriptor = lowering.source(descriptor, ConstantKind::Bits)?;
    let address = tensor_address(lowering, address)?;
    Some(TensorCopyIn { group: cta_group(words), address, descriptor, rows, chunks, lanes })
}

fn cta_group(words: &InstructionWords) -> CtaGroup {
    if words.has("cta_group::2") { CtaGroup::Two } else { CtaGroup::One }
}

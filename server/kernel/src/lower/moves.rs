//! Moves: registers, packs, addresses.

use crate::lower::function::{FunctionLowering, register_mask};
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use crate::lower::pairs::PairMask;
use crate::module::names::Register;
use program::{AddressConversion, Destination, MachineAction, MemorySpace, Source};
use syntax::{Operand, OperandKind};

/// Lowers `mov`.
pub fn mov(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [to, from] = operands else { return None };
    let bits = if words.has("pred") { 1 } else { words.bits()? };
    match (to.kind, from.kind) {
        (OperandKind::Vector, OperandKind::Vector) => {
            for (to, from) in to.lanes().iter().zip(&from.lanes()) {
                let source = lowering.source(from, ConstantKind::Bits)?;
                lowering.emit(MachineAction::Move(lowering.destination(to)?, source));
            }
            Some(())
        }
        (OperandKind::Vector, _) => take_apart(lowering, to, from, bits),
        (_, OperandKind::Vector) => put_together(lowering, to, from, bits),
        _ if bits == 128 => {
            let (to, from) = (lowering.register(to)?, lowering.register(from)?);
            for half in 0..2 {
                let destination = Destination { slot: to.slot + half, mask: u64::MAX };
                lowering.emit(MachineAction::Move(destination, Source::Register(from.slot + half)));
            }
            Some(())
        }
        _ => {
            let kind = match words.last() {
                "f32" => ConstantKind::Single,
                "f64" => ConstantKind::Double,
                _ => ConstantKind::Bits,
            };
            let destination = lowering.destination(to)?;
            let source = lowering.source(from, kind)?;
            lowering.emit(MachineAction::Move(destination, source));
            Some(())
        }
    }
}

/// The 64-bit halves of a register of 128 bits.
fn halves(register: Register) -> [Destination; 2] {
    [0, 1].map(|half| Destination { slot: register.slot + half, mask: u64::MAX })
}

fn take_apart(lowering: &mut FunctionLowering<'_, '_>, to: &Operand, from: &Operand, bits: u32) -> Option<()> {
    let parts = to.lanes();
    let width = bits / parts.len().max(1) as u32;
    let destinations: Option<Vec<_>> = parts.iter().map(|part| lowering.optional_destination(part)).collect();
    let destinations = destinations?;
    let halves = match lowering.register(from) {
        Some(register) if register.bits > 64 => halves(register).map(|half| Source::Register(half.slot)).to_vec(),
        _ => vec![lowering.source(from, ConstantKind::Bits)?],
    };
    let per_half = destinations.len() / halves.len();
    for (half, parts) in halves.into_iter().zip(destinations.chunks(per_half.max(1))) {
        let parts = parts.iter().map(|part| (*part, width)).collect();
        lowering.emit(MachineAction::Unpack(half, parts));
    }
    Some(())
}

fn put_together(lowering: &mut FunctionLowering<'_, '_>, to: &Operand, from: &Operand, bits: u32) -> Option<()> {
    let parts = from.lanes();
    let width = bits / parts.len().max(1) as u32;
    let mut sources = Vec::new();
    for part in &parts {
        sources.push((lowering.source(part, ConstantKind::Bits)?, width));
    }
    let register = lowering.register(to)?;
    if register.bits > 64 {
        let per_half = sources.len() / 2;
        for (half, parts) in halves(register).into_iter().zip(sources.chunks(per_half.max(1))) {
            lowering.emit(MachineAction::Pack(half, parts.to_vec()));
        }
    } else {
        let destination = Destination { slot: register.slot, mask: register_mask(register.bits) };
        lowering.emit(MachineAction::Pack(destination, sources));
    }
    Some(())
}

/// Lowers `cvta`.
pub fn convert_address(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [to, from] = operands else { return None };
    let (destination, source) = (lowering.destination(to)?, lowering.source(from, ConstantKind::Bits)?);
    let space = space_of_parameters(lowering, words.space());
    let conversion =
        if words.has("to") { AddressConversion::ToSpace(space) } else { AddressConversion::FromSpace(space) };
    lowering.emit(MachineAction::ConvertAddress(destination, source, conversion));
    Some(())
}

/// Parameters of a device function are local memory.
const fn space_of_parameters(lowering: &FunctionLowering<'_, '_>, space: MemorySpace) -> MemorySpace {
    match space {
        MemorySpace::Parameter if !lowering.is_kernel => MemorySpace::Local,
        MemorySpace::Frame => MemorySpace::Local,
        space => space,
    }
}

/// Lowers `isspacep`.
pub fn is_space(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [to, from] = operands else { return None };
    let (destination, source) = (lowering.destination(to)?, lowering.source(from, ConstantKind::Bits)?);
    lowering.emit(MachineAction::IsSpace(destination, source, words.space()));
    Some(())
}

/// Lowers `mapa`.
pub fn map_to_rank(lowering: &mut FunctionLowering<'_, '_>, operands: &[Operand]) -> Option<()> {
    let [to, address, rank] = operands else { return None };
    let destination = lowering.destination(to)?;
    let (address, rank) = (lowering.source(address, ConstantKind::Bits)?, lowering.source(rank, ConstantKind::Bits)?);
    lowering.emit(MachineAction::MapToRank(destination, address, rank));
    Some(())
}

/// Lowers a mask that makes the address of a variable in the first CTA of the pair, and clears some bits at its end.
pub fn map_to_first_of_pair(lowering: &mut FunctionLowering<'_, '_>, mask: &PairMask) -> Option<()> {
    let (destination, address) = (lowering.destination(mask.to)?, lowering.source(mask.address, ConstantKind::Bits)?);
    let (zero, even) = (lowering.constant(0), lowering.constant(u64::from(u32::MAX - 1)));
    let kept = lowering.constant(mask.kept);
    let address = lowering.computed("and", mask.ty, [address, kept, zero, zero])?;
    let rank = lowering.temporary();
    lowering.emit(MachineAction::RankOf(rank, address));
    let first = lowering.computed("and", "b32", [Source::Register(rank.slot), even, zero, zero])?;
    lowering.emit(MachineAction::MapToRank(destination, address, first));
    Some(())
}

/// Lowers `getctarank`.
pub fn rank_of(lowering: &mut FunctionLowering<'_, '_>, operands: &[Operand]) -> Option<()> {
    let [to, address] = operands else { return None };
    let (destination, address) = (lowering.destination(to)?, lowering.source(address, ConstantKind::Bits)?);
    lowering.emit(MachineAction::RankOf(destination, address));
    Some(())
}

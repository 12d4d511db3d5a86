//! Moves: registers, packs, addresses.

use crate::kernel::lower::function::{FunctionLowering, register_mask};
use crate::kernel::lower::opcode::InstructionWords;
use crate::kernel::lower::operands::ConstantKind;
use crate::kernel::lower::pairs::PairMask;
use crate::kernel::module::names::Register;
use emulator::machine::{AddressConversion, Destination, MachineAction, MemorySpace, Source};
use syntax::{Operand, OperandKind};

impl FunctionLowering<'_, '_> {
    /// Lowers `mov`.
    pub fn mov(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let [to, from] = operands else { return None };
        let bits = if words.has("pred") { 1 } else { words.bits()? };
        match (to.kind, from.kind) {
            (OperandKind::Vector, OperandKind::Vector) => {
                for (to, from) in to.lanes().iter().zip(&from.lanes()) {
                    let source = self.source(from, ConstantKind::Bits)?;
                    self.emit(MachineAction::Move(self.destination(to)?, source));
                }
                Some(())
            }
            (OperandKind::Vector, _) => self.take_apart(to, from, bits),
            (_, OperandKind::Vector) => self.put_together(to, from, bits),
            _ if bits == 128 => {
                let (to, from) = (self.register(to)?, self.register(from)?);
                for half in 0..2 {
                    let destination = Destination { slot: to.slot + half, mask: u64::MAX };
                    self.emit(MachineAction::Move(destination, Source::Register(from.slot + half)));
                }
                Some(())
            }
            _ => {
                let kind = match words.last() {
                    "f32" => ConstantKind::Single,
                    "f64" => ConstantKind::Double,
                    _ => ConstantKind::Bits,
                };
                let destination = self.destination(to)?;
                let source = self.source(from, kind)?;
                self.emit(MachineAction::Move(destination, source));
                Some(())
            }
        }
    }

    /// The 64-bit halves of a register of 128 bits.
    fn halves(register: Register) -> [Destination; 2] {
        [0, 1].map(|half| Destination { slot: register.slot + half, mask: u64::MAX })
    }

    fn take_apart(&mut self, to: &Operand, from: &Operand, bits: u32) -> Option<()> {
        let parts = to.lanes();
        let width = bits / parts.len().max(1) as u32;
        let destinations: Option<Vec<_>> = parts.iter().map(|part| self.optional_destination(part)).collect();
        let destinations = destinations?;
        let halves = match self.register(from) {
            Some(register) if register.bits > 64 => {
                Self::halves(register).map(|half| Source::Register(half.slot)).to_vec()
            }
            _ => vec![self.source(from, ConstantKind::Bits)?],
        };
        let per_half = destinations.len() / halves.len();
        for (half, parts) in halves.into_iter().zip(destinations.chunks(per_half.max(1))) {
            let parts = parts.iter().map(|part| (*part, width)).collect();
            self.emit(MachineAction::Unpack(half, parts));
        }
        Some(())
    }

    fn put_together(&mut self, to: &Operand, from: &Operand, bits: u32) -> Option<()> {
        let parts = from.lanes();
        let width = bits / parts.len().max(1) as u32;
        let mut sources = Vec::new();
        for part in &parts {
            sources.push((self.source(part, ConstantKind::Bits)?, width));
        }
        let register = self.register(to)?;
        if register.bits > 64 {
            let per_half = sources.len() / 2;
            for (half, parts) in Self::halves(register).into_iter().zip(sources.chunks(per_half.max(1))) {
                self.emit(MachineAction::Pack(half, parts.to_vec()));
            }
        } else {
            let destination = Destination { slot: register.slot, mask: register_mask(register.bits) };
            self.emit(MachineAction::Pack(destination, sources));
        }
        Some(())
    }

    /// Lowers `cvta`.
    pub fn convert_address(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let [to, from] = operands else { return None };
        let (destination, source) = (self.destination(to)?, self.source(from, ConstantKind::Bits)?);
        let space = self.space_of_parameters(words.space());
        let conversion =
            if words.has("to") { AddressConversion::ToSpace(space) } else { AddressConversion::FromSpace(space) };
        self.emit(MachineAction::ConvertAddress(destination, source, conversion));
        Some(())
    }

    /// Parameters of a device function are local memory.
    const fn space_of_parameters(&self, space: MemorySpace) -> MemorySpace {
        match space {
            MemorySpace::Parameter if !self.is_kernel => MemorySpace::Local,
            MemorySpace::Frame => MemorySpace::Local,
            space => space,
        }
    }

    /// Lowers `isspacep`.
    pub fn is_space(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let [to, from] = operands else { return None };
        let (destination, source) = (self.destination(to)?, self.source(from, ConstantKind::Bits)?);
        self.emit(MachineAction::IsSpace(destination, source, words.space()));
        Some(())
    }

    /// Lowers `mapa`.
    pub fn map_to_rank(&mut self, operands: &[Operand]) -> Option<()> {
        let [to, address, rank] = operands else { return None };
        let destination = self.destination(to)?;
        let (address, rank) = (self.source(address, ConstantKind::Bits)?, self.source(rank, ConstantKind::Bits)?);
        self.emit(MachineAction::MapToRank(destination, address, rank));
        Some(())
    }

    /// Lowers a mask that makes the address of a variable in the first CTA of the pair, and clears some bits at its end.
    pub fn map_to_first_of_pair(&mut self, mask: &PairMask) -> Option<()> {
        let (destination, address) = (self.destination(mask.to)?, self.source(mask.address, ConstantKind::Bits)?);
        let (zero, even) = (self.constant(0), self.constant(u64::from(u32::MAX - 1)));
        let kept = self.constant(mask.kept);
        let address = self.computed("and", mask.ty, [address, kept, zero, zero])?;
        let rank = self.temporary();
        self.emit(MachineAction::RankOf(rank, address));
        let first = self.computed("and", "b32", [Source::Register(rank.slot), even, zero, zero])?;
        self.emit(MachineAction::MapToRank(destination, address, first));
        Some(())
    }

    /// Lowers `getctarank`.
    pub fn rank_of(&mut self, operands: &[Operand]) -> Option<()> {
        let [to, address] = operands else { return None };
        let (destination, address) = (self.destination(to)?, self.source(address, ConstantKind::Bits)?);
        self.emit(MachineAction::RankOf(destination, address));
        Some(())
    }
}

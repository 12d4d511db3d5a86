//! Copies of boxes of tensors.

use super::function::FunctionLowering;
use super::opcode::InstructionWords;
use super::operands::ConstantKind;
use emulator::machine::{MachineAction, MachineAddress, MemorySpace, Source, TensorCopy, TensorDirection};
use isa::types::Op;
use syntax::{Operand, OperandKind};

/// Modifiers of copies that are not emulated: other ways to find the elements of a box, and other maps.
const NOT_EMULATED: [&str; 3] = ["report", "override", "override_sizes"];

impl FunctionLowering<'_, '_> {
    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` in tile mode.
    pub fn tensor_copy(&mut self, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
        let is_other = |word: &String| {
            word.starts_with("im2col")
                || word.starts_with("tile::")
                || NOT_EMULATED.iter().any(|one| word.starts_with(one))
        };
        if words.modifiers.iter().any(is_other) {
            return None;
        }
        let (map, coordinates, shared, direction) = if words.has("bulk_group") {
            let [tensor, from, ..] = operands else { return None };
            let (map, coordinates) = self.tensor_and_coordinates(tensor)?;
            let direction = match words.has("reduce") {
                true => TensorDirection::Reduce(words.modifiers.iter().find_map(|word| Op::parse(word))?),
                false => TensorDirection::Store,
            };
            (map, coordinates, self.address(from, MemorySpace::SharedCta)?, direction)
        } else {
            let [to, tensor, barrier, rest @ ..] = operands else { return None };
            let (map, coordinates) = self.tensor_and_coordinates(tensor)?;
            let multicast = match rest.first() {
                Some(ranks) if words.has("multicast::cluster") => Some(self.source(ranks, ConstantKind::Bits)?),
                _ => None,
            };
            let space = if words.has("shared::cta") { MemorySpace::SharedCta } else { MemorySpace::SharedCluster };
            let barrier = self.address(barrier, Self::mbarrier_space())?;
            (map, coordinates, self.address(to, space)?, TensorDirection::Load { barrier, multicast })
        };
        self.emit(MachineAction::TensorCopy(Box::new(TensorCopy { map, coordinates, shared, direction })));
        Some(())
    }

    /// `[map, {x, y}]`
    fn tensor_and_coordinates(&mut self, operand: &Operand) -> Option<(MachineAddress, Vec<Source>)> {
        let parts = operand.address_parts();
        let [map, coordinates] = &parts[..] else { return None };
        let map = self.address(map, MemorySpace::Generic)?;
        let coordinates = match coordinates.kind {
            OperandKind::Vector => coordinates.lanes(),
            _ => vec![coordinates.clone()],
        };
        let coordinates: Option<Vec<Source>> =
            coordinates.iter().map(|one| self.source(one, ConstantKind::Bits)).collect();
        Some((map, coordinates?))
    }
}

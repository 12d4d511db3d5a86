//! Updates the known state after instructions that are not evaluated.

use crate::comments::arithmetic;
use crate::comments::known_state::{KnownState, MemoryRegion, RegisterState, names, place};
use isa::types::{Space, Type};
use syntax::{Instruction, Operand, OperandKind};
use values::{AccessedSpace, Shape, Value};

/// Instructions with an address operand that do not write memory.
const READ_ONLY: &[&str] = &["applypriority", "discard", "ld", "ldu", "prefetch", "prefetchu"];

impl KnownState {
    /// Follows an instruction that is not evaluated.
    pub fn follow(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode();
        let mnemonic = &*opcode.mnemonic.text;
        if mnemonic == "call" {
            return self.forget();
        }
        let operands = instruction.operands();
        let words = opcode.words();
        let access = operands.iter().find(|operand| operand.kind == OperandKind::Address);
        let cell = access.and_then(|address| cell(&words, address));
        let unconditional = instruction.guard().is_none();
        let result = match (mnemonic, &operands[..]) {
            _ if !unconditional => None,
            ("ld", _) => cell.as_ref().and_then(|(region, offset, shape)| self.loaded(region, *offset, *shape)),
            (_, [_, sources @ ..]) => arithmetic::compute(self, mnemonic, &words, sources),
            _ => None,
        };
        if (access.is_some() && !READ_ONLY.contains(&mnemonic)) || ["bar", "barrier"].contains(&mnemonic) {
            self.forget_memory();
        }
        if let ("st", true, Some((region, offset, shape)), [_, value]) = (mnemonic, unconditional, cell, &operands[..])
            && let Some(stored) = self.read(value, shape)
        {
            self.store(region, Some(offset), &[Value::new(shape, stored.bits)]);
        }
        let Some(destination) = operands.first() else { return };
        for name in names(destination) {
            self.forget_name(&name);
        }
        if let (OperandKind::Name | OperandKind::Element, Some(register)) = (destination.kind, result) {
            self.set(&destination.token.text, register);
        }
    }

    /// The state of a register after a load.
    fn loaded(&self, region: &MemoryRegion, offset: i64, shape: Shape) -> Option<RegisterState> {
        let value = *self.load(region, offset, shape)?.first()?;
        Some(RegisterState { bits: value.bits(), width: shape.width(), assumed: true })
    }
}

/// The memory that a scalar load or store in a named space accesses.
fn cell(words: &[&str], address: &Operand) -> Option<(MemoryRegion, i64, Shape)> {
    let (ty, before) = words.split_last()?;
    let shape = Shape::scalar(Type::parse(ty)?);
    // Vector accesses are excluded: their type is that of one lane.
    let space = before.iter().rev().find_map(|word| Space::parse(word)).filter(|_| !before.contains(&"v2"))?;
    let (region, offset) = place(address, AccessedSpace::of(space, AccessedSpace::Global), false)?;
    (!before.contains(&"v4") && !before.contains(&"v8")).then_some((region, offset?, shape))
}

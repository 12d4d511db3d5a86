//! Loads and stores.

use crate::lower::atomics;
use crate::lower::copies;
use crate::lower::function::FunctionLowering;
use crate::lower::opcode::InstructionWords;
use crate::lower::operands::ConstantKind;
use program::{AccessProxy, Extension, Load, MachineAction, Store, VectorParts};
use syntax::Operand;

/// Lowers `ld` and `ldu`.
pub fn load(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [to, address, ..] = operands else { return None };
    let bits = words.bits()?;
    let address = lowering.address(address, words.space())?;
    let elements = lowering.destinations(to, bits)?;
    let extension = if words.last().starts_with('s') { Extension::Sign } else { Extension::Zero };
    let element_bytes = bits.min(64) / 8;
    let proxy = if words.has("nc") { AccessProxy::NonCoherent } else { AccessProxy::Generic };
    let (order, parts) = (words.order(), VectorParts::Elements);
    let load = Load { address, element_bytes, elements, extension, order, proxy, parts };
    lowering.emit(MachineAction::Load(Box::new(load)));
    Some(())
}

/// Lowers `st`.
pub fn store(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let [address, from, ..] = operands else { return None };
    let bits = words.bits()?;
    let address = lowering.address(address, words.space())?;
    let kind = match words.last() {
        "f32" => ConstantKind::Single,
        "f64" => ConstantKind::Double,
        _ => ConstantKind::Bits,
    };
    let elements = lowering.sources(from, bits, kind)?;
    let parts = VectorParts::Elements;
    let store = Store { address, element_bytes: bits.min(64) / 8, elements, order: words.order(), parts };
    lowering.emit(MachineAction::Store(Box::new(store)));
    Some(())
}

/// Lowers `multimem`: a kernel here runs on one device, so memory has one replica, and what is reduced over the replicas is its value.
pub fn multimem(lowering: &mut FunctionLowering<'_, '_>, words: &InstructionWords, operands: &[Operand]) -> Option<()> {
    let (name, modifiers) = words.modifiers.split_first()?;
    let mut words = InstructionWords { mnemonic: name.clone(), modifiers: modifiers.to_vec() };
    match &**name {
        "ld_reduce" => load(lowering, &words, operands),
        "st" => store(lowering, &words, operands),
        "cp" => copies::copy(lowering, &words, operands),
        "red" => {
            if words.has("add") && words.last().contains("f16") {
                words.modifiers.push("noftz".to_owned());
                let end = words.modifiers.len();
                words.modifiers.swap(end - 2, end - 1);
            }
            atomics::atomic(lowering, &words, operands)
        }
        _ => None,
    }
}

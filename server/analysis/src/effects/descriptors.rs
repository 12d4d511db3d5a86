//! The addresses in matrix descriptors: an address in shared memory without its lowest four bits, in the lowest fourteen bits of a number.

use crate::effects::FunctionEffects;
use crate::values::{Definition, DefinitionSite, OperandValue, PointedSpace, Provenance, Root};

/// The maximum number of instructions between an address and its descriptor.
const MAX_STEPS: usize = 16;

/// The bits of a descriptor that hold an address, and the unit of that address in bytes.
const ADDRESS_BITS: i64 = 0x3fff;
const UNIT: i64 = 16;

/// The addresses in the descriptors that an instruction reads, where they begin in a variable in shared memory.
pub fn descriptor_addresses(effects: &FunctionEffects<'_, '_>, at: usize) -> Vec<Provenance> {
    let values = effects.flow.instruction(at).values.iter();
    let registers = values.filter(|value| matches!(value, OperandValue::Register(_)));
    registers.filter_map(|value| described(effects, value, at, (0, false), MAX_STEPS)).collect()
}

/// The address in a descriptor, with the units that have been added to it, and whether it has been shifted.
fn described(
    effects: &FunctionEffects<'_, '_>,
    value: &OperandValue,
    at: usize,
    (units, is_shifted): (i64, bool),
    steps: usize,
) -> Option<Provenance> {
    let flow = effects.flow;
    let known = flow.provenance(value, at).filter(|_| is_shifted);
    if let Some(address) = known.filter(|address| matches!(address.root, Root::Variable(_))) {
        let is_shared = address.space == Some(PointedSpace::Shared);
        let unknown = Definition { register: 0, site: DefinitionSite::Unknown(at) };
        return is_shared.then(|| address.moved(units * UNIT, unknown));
    }
    let OperandValue::Register(register) = value else { return None };
    let DefinitionSite::Instruction(writer) = flow.reaching(*register, at).site else { return None };
    let values = &flow.instruction(writer).values;
    let next = |value: &OperandValue, state| described(effects, value, writer, state, steps.checked_sub(1)?);
    match (flow.mnemonic(writer), values.get(1)?, values.get(2)) {
        // The lower half of a pair.
        ("mov", OperandValue::List(halves), None) => next(halves.first()?, (units, is_shifted)),
        ("mov" | "cvt", source, None) => next(source, (units, is_shifted)),
        ("shr", source, Some(distance)) if flow.constant(distance, writer)? == 4 && !is_shifted => {
            next(source, (units, true))
        }
        ("and", source, Some(_)) => next(source, (units, is_shifted)),
        ("or" | "add", one, Some(other)) => {
            let constant = flow.constant(other, writer).map(|number| (one, number));
            let (source, number) = constant.or_else(|| Some((other, flow.constant(one, writer)?)))?;
            let more = number & ADDRESS_BITS;
            let is_known = more == 0 || flow.mnemonic(writer) == "add" && !is_shifted;
            is_known.then(|| next(source, (units.checked_add(more)?, is_shifted))).flatten()
        }
        _ => None,
    }
}

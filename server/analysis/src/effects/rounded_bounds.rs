//! Bounds that are rounded up, such as to whole warps.

use crate::values::{DefinitionSite, FunctionValues, OperandValue, Provenance, Root};

/// The maximum number of instructions that round a bound up.
const MAX_TERMS: usize = 6;

/// Whether a value is certainly a multiple of two to a power.
pub(in crate::effects) fn is_multiple(flow: &FunctionValues, value: &OperandValue, at: usize, bits: u32) -> bool {
    let unit = 1i64 << bits;
    let is_known = |bound: Provenance| {
        bound.root == Root::Zero && bound.stride.is_multiple_of(unit as u64) && bound.base % unit == 0
    };
    flow.provenance(value, at).is_some_and(is_known) || zero_bits(flow, value, at) >= bits
}

/// The number of low bits of a value that are certainly zero.
pub(in crate::effects) fn zero_bits(flow: &FunctionValues, value: &OperandValue, at: usize) -> u32 {
    bits_of(flow, value, at, MAX_TERMS)
}

fn bits_of(flow: &FunctionValues, value: &OperandValue, at: usize, terms: usize) -> u32 {
    if let Some(number) = flow.constant(value, at) {
        return number.trailing_zeros();
    }
    let OperandValue::Register(register) = value else { return 0 };
    let DefinitionSite::Instruction(writer) = flow.reaching(*register, at).site else { return 0 };
    if terms == 0 || flow.is_guarded(writer) {
        return 0;
    }
    let instruction = flow.instruction(writer);
    let bits =
        |operand: usize| instruction.values.get(operand).map_or(0, |value| bits_of(flow, value, writer, terms - 1));
    let is_low = !instruction.has("hi");
    match flow.mnemonic(writer) {
        // The first dimension of the CTA is a multiple of the size of a warp.
        "mov" if instruction.operands.get(1).is_some_and(|from| from.token.text.trim() == "%ntid.x") => 5,
        "mov" => bits(1),
        "cvt" if !instruction.opcode.words().iter().any(|word| word.starts_with('f')) => bits(1),
        "and" => bits(1).max(bits(2)),
        "or" | "xor" | "add" | "sub" | "min" | "max" => bits(1).min(bits(2)),
        "shl" => {
            let by = instruction.values.get(2).and_then(|by| flow.constant(by, writer));
            bits(1).saturating_add(by.and_then(|by| u32::try_from(by).ok()).unwrap_or(0))
        }
        "mul" if is_low => bits(1).saturating_add(bits(2)),
        "mad" if is_low => bits(1).saturating_add(bits(2)).min(bits(3)),
        _ => 0,
    }
}

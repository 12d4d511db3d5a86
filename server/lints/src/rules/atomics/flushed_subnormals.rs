//! `flushed-subnormals`: additions of 32-bit floats in global memory.

use analysis::values::float;
use analysis::values::{DecodedInstruction, FunctionValues, OperandValue, is_constant};
use diagnostics::registry::FLUSHED_SUBNORMALS;
use diagnostics::{Diagnostic, insert};
use isa::Role;
use isa::types::{Op, Space, Type};

/// 2^-101: next to a number of at least this size, rounding discards subnormals, and a cancellation leaves no
/// subnormal.
const LARGE: f32 = f32::from_bits(26 << 23);

/// Checks every `.f32` addition without `.noftz` in global memory.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        let adds = legal.op == Some(Op::Add) && legal.ty == Some(Type::F32) && legal.space.value == Space::Global;
        if !adds || legal.noftz || !matches!(legal.family.name, "atom" | "red") || adds_large(flow, instruction) {
            continue;
        }
        let Some(op) = legal.at("op") else { continue };
        let message = "addition flushes subnormals to zero in global memory, but not in shared memory";
        let report = Diagnostic::new(&FLUSHED_SUBNORMALS, instruction.word("type"), message);
        diagnostics.push(if flow.accepts(instruction, "noftz") {
            report
                .help("write `.noftz` if subnormals matter; it has no cost")
                .fix("Insert `.noftz`", [insert(instruction.opcode.at(Some(op)).end, ".noftz")])
        } else {
            report.help("scale the values if subnormals matter; from PTX 9.4 on, sm_90 and newer support `.noftz`")
        });
    }
}

/// Whether all added values are large constants.
fn adds_large(flow: &FunctionValues, instruction: &DecodedInstruction) -> bool {
    let large = |number: Option<f32>| number.is_some_and(|number| number.abs() >= LARGE || number.is_nan());
    match instruction.operand(Role::Value) {
        // A broken statement may define the constant.
        Some((operand, _)) if flow.has_broken_statement() && !is_constant(operand) => true,
        Some((operand, OperandValue::List(lanes))) => {
            let written = operand.lanes();
            let mut lanes = written.iter().zip(lanes);
            written.len() > 1 && lanes.all(|(operand, value)| large(float::float(flow, operand, value, instruction.at)))
        }
        Some((operand, value)) => large(float::float(flow, operand, value, instruction.at)),
        None => false,
    }
}

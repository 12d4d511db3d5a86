//! Addition of 32-bit floats in global memory: subnormal numbers become zero.

use crate::flow::{Flow, FlowStep, OperandValue, is_constant};
use diagnostics::registry::FLUSHED_SUBNORMALS;
use diagnostics::{Diagnostic, insert};
use isa::Role;
use isa::types::{Op, Space, Type};

/// 2^-101: what a subnormal number is to one of this size, or a larger one, rounding takes away anyhow, and nothing smaller than a normal
/// number is left where they cancel each other.
const LARGE: f32 = f32::from_bits(26 << 23);

/// Looks at every addition of `.f32` without `.noftz` in global memory.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        let adds = legal.op == Some(Op::Add) && legal.ty == Some(Type::F32) && legal.space.value == Space::Global;
        if !adds || legal.noftz || !matches!(legal.family.name, "atom" | "red") || adds_large(flow, step) {
            continue;
        }
        let Some(op) = legal.at("op") else { continue };
        let message = "in global memory this addition takes subnormal numbers for zero; in shared memory it would not";
        let report = Diagnostic::new(&FLUSHED_SUBNORMALS, step.word("type"), message);
        findings.push(match flow.takes(step, "noftz") {
            true => report
                .help("write `.noftz` if the smallest numbers matter; it costs nothing")
                .fix("Write `.noftz`", [insert(step.opcode.at(Some(op)).end, ".noftz")]),
            false => report.help(
                "if the smallest numbers matter, scale the values; from PTX 9.4 on, sm_90 and newer have `.noftz`",
            ),
        });
    }
}

/// Whether all that is added is a constant to which subnormal numbers are nothing.
fn adds_large(flow: &Flow, step: &FlowStep) -> bool {
    let large = |number: Option<f32>| number.is_some_and(|number| number.abs() >= LARGE || number.is_nan());
    match step.operand(Role::Value) {
        // A broken statement may be what makes the constant.
        Some((operand, _)) if flow.has_broken() && !is_constant(operand) => true,
        Some((operand, OperandValue::List(lanes))) => {
            let written = operand.lanes();
            let mut lanes = written.iter().zip(lanes);
            written.len() > 1 && lanes.all(|(operand, value)| large(flow.float(operand, value, step.at)))
        }
        Some((operand, value)) => large(flow.float(operand, value, step.at)),
        None => false,
    }
}

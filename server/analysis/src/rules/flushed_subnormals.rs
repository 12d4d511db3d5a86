//! Addition of 32-bit floats in global memory: subnormal numbers become zero.

use crate::Finding;
use crate::flow::Flow;
use crate::report::{With, finding, insert};
use isa::types::{Op, Space, Type};

/// Looks at every addition of `.f32` without `.noftz` in global memory.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    for (_, step, legal) in flow.atomics() {
        let adds = legal.op == Some(Op::Add) && legal.ty == Some(Type::F32) && legal.space.value == Space::Global;
        if !adds || legal.noftz || !matches!(legal.family.name, "atom" | "red") {
            continue;
        }
        let Some(op) = legal.at("op") else { continue };
        let message = "in global memory this addition takes subnormal numbers for zero; in shared memory it would not";
        let report = finding("flushed-subnormals", step.word("type"), message);
        findings.push(*match flow.takes(step, "noftz") {
            true => report
                .help("write `.noftz` if the smallest numbers matter; it costs nothing")
                .fix("Write `.noftz`", [insert(step.opcode.at(Some(op)).end, ".noftz")]),
            false => report.help(
                "if the smallest numbers matter, scale the values; from PTX 9.4 on, sm_90 and newer have `.noftz`",
            ),
        });
    }
}

//! Atomics that the hardware does not have: the assembler writes a loop on compare-and-swap in their place.

use crate::Finding;
use crate::flow::Flow;
use crate::lowering::instead_of_loop;
use crate::report::{With, finding};
use isa::types::{Op, Space, Type};

/// Looks at every atomic.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    for (_, step, legal) in flow.atomics() {
        let Some(instead) = instead_of_loop(legal) else { continue };
        let what = format!("`.{}` on `.{}`", legal.op.map_or("", Op::word), legal.ty.map_or("", Type::word));
        let space = match legal.space.value {
            Space::SharedCta | Space::SharedCluster => " in shared memory",
            Space::Global | Space::Generic => "",
        };
        let message =
            format!("no hardware has {what}{space}: this becomes a loop on compare-and-swap, slow where many meet");
        findings.push(*finding("hidden-loop", step.word("type"), message).help(instead));
    }
}

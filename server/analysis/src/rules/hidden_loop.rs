//! Atomics that the hardware does not have: the assembler writes a loop on compare-and-swap in their place.

use crate::Finding;
use crate::flow::Flow;
use crate::lowering::instead_of_loop;
use crate::report::{With, finding};
use isa::types::{Op, Space, Type};
use std::collections::HashMap;

/// Looks at every atomic.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    // A function repeats a few spellings.
    let mut known: HashMap<&str, Option<&'static str>> = HashMap::new();
    for (at, step, legal) in flow.atomics() {
        let asked = known.entry(flow.opcode(at)).or_insert_with(|| instead_of_loop(legal, &flow.module));
        let Some(instead) = *asked else { continue };
        let what = format!("`.{}` on `.{}`", legal.op.map_or("", Op::word), legal.ty.map_or("", Type::word));
        let space = match legal.space.value {
            Space::SharedCta | Space::SharedCluster => " in shared memory",
            Space::Global | Space::Generic => "",
        };
        let message =
            format!("the hardware has no {what}{space}: this becomes a loop on compare-and-swap, slow where many meet");
        findings.push(*finding("hidden-loop", step.word("type"), message).help(instead));
    }
}

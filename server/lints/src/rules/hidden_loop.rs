//! `hidden-loop` and `emulated-atomic`: the assembler writes a loop on compare-and-swap for an atomic that the hardware does not have.

use crate::flow::Flow;
use crate::lowering::{Emulated, emulated};
use diagnostics::Diagnostic;
use diagnostics::registry::{EMULATED_ATOMIC, HIDDEN_LOOP};
use isa::types::{Op, Space, Type};
use std::collections::HashMap;

/// Looks at every atomic.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    // A function repeats a few spellings.
    let mut known: HashMap<&str, Option<Emulated>> = HashMap::new();
    for (at, step, legal) in flow.atomics() {
        let asked = known.entry(flow.opcode(at)).or_insert_with(|| emulated(legal, &flow.module));
        let Some(Emulated { help, has_native }) = *asked else { continue };
        let what = format!("`.{}.{}`", legal.op.map_or("", Op::word), legal.ty.map_or("", Type::word));
        let space = match legal.space.value {
            Space::SharedCta | Space::SharedCluster => " in shared memory",
            Space::Global | Space::Generic => "",
        };
        let rule = if has_native { &HIDDEN_LOOP } else { &EMULATED_ATOMIC };
        let message =
            format!("{what} is not native{space}; it compiles to a compare-and-swap loop, slow under contention");
        findings.push(Diagnostic::new(rule, step.word("type"), message).help(help));
    }
}

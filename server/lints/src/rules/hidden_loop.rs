//! `hidden-loop` and `emulated-atomic`: atomics that the assembler lowers to a compare-and-swap loop.

use crate::flow::Flow;
use crate::lowering::{Emulated, emulated};
use diagnostics::Diagnostic;
use diagnostics::registry::{EMULATED_ATOMIC, HIDDEN_LOOP};
use isa::types::{Op, Space, Type};
use std::collections::HashMap;

/// Checks every atomic.
pub(super) fn check(flow: &Flow, diagnostics: &mut Vec<Diagnostic>) {
    // Few spellings are repeated many times.
    let mut known: HashMap<&str, Option<Emulated>> = HashMap::new();
    for (at, instruction, legal) in flow.atomics() {
        let lowering = known.entry(flow.opcode(at)).or_insert_with(|| emulated(legal, &flow.module));
        let Some(Emulated { help, has_native }) = *lowering else { continue };
        let operation = format!("`.{}.{}`", legal.op.map_or("", Op::word), legal.ty.map_or("", Type::word));
        let space = match legal.space.value {
            Space::SharedCta | Space::SharedCluster => " in shared memory",
            Space::Global | Space::Generic => "",
        };
        let rule = if has_native { &HIDDEN_LOOP } else { &EMULATED_ATOMIC };
        let message =
            format!("{operation} is not native{space}; it compiles to a compare-and-swap loop, slow under contention");
        diagnostics.push(Diagnostic::new(rule, instruction.word("type"), message).help(help));
    }
}

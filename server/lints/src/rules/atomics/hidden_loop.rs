//! `hidden-loop` and `emulated-atomic`: atomics that the assembler lowers to a compare-and-swap loop.

use analysis::lowering::Emulated;
use analysis::values::FunctionValues;
use diagnostics::Diagnostic;
use diagnostics::registry::{EMULATED_ATOMIC, HIDDEN_LOOP};
use isa::types::{Op, Space, Type};

/// Checks every atomic.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (at, instruction, legal) in flow.atomics() {
        let Some(Emulated { help, has_native }) = flow.emulated(at, legal) else { continue };
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

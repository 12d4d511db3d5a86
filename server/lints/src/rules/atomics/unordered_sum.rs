//! `unordered-sum`: floating-point additions in nondeterministic order.

use analysis::values::FunctionValues;
use diagnostics::Diagnostic;
use diagnostics::registry::UNORDERED_SUM;
use isa::types::{Op, TypeKind};

/// Checks every floating-point addition.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, legal) in flow.atomics() {
        let float = legal.ty.is_some_and(|ty| ty.kind() == TypeKind::Float);
        if legal.op != Some(Op::Add) || !float || legal.family.name == "multimem.ld_reduce" {
            continue;
        }
        diagnostics.push(
            Diagnostic::new(&UNORDERED_SUM, instruction.word("op"), "floating-point sum in nondeterministic order")
                .help("add in a fixed order, or in integers, if results must be reproducible"),
        );
    }
}

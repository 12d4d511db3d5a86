//! Floating-point sums by atomics: their order is not fixed, and so is their result not.

use crate::flow::Flow;
use diagnostics::Diagnostic;
use diagnostics::registry::UNORDERED_SUM;
use isa::types::{Op, TypeKind};

/// Looks at every addition of floating-point numbers.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, legal) in flow.atomics() {
        let float = legal.ty.is_some_and(|ty| ty.kind() == TypeKind::Float);
        if legal.op != Some(Op::Add) || !float || legal.family.name == "multimem.ld_reduce" {
            continue;
        }
        findings.push(
            Diagnostic::new(
                &UNORDERED_SUM,
                step.word("op"),
                "threads add in any order, and each order rounds in another way",
            )
            .help("where two runs must agree bit for bit, add up in a fixed order, or in integers"),
        );
    }
}

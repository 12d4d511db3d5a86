//! Atomics that are never done: their guard is always false, or no way leads to them.

use crate::flow::{DefinitionSite, Flow, FlowStep, OperandValue};
use diagnostics::Diagnostic;
use diagnostics::registry::DEAD_ATOMIC;

/// Looks at every atomic.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    let reached = reached(flow);
    for (at, step, _) in flow.atomics() {
        let range = step.range.start..step.opcode.range.end;
        if let Some((guard, negated)) = &step.guard
            && truth(flow, guard, at) == Some(*negated)
        {
            findings.push(
                Diagnostic::new(&DEAD_ATOMIC, range, "the guard is always false: this is never done")
                    .help("remove the instruction, or compute the predicate that is meant"),
            );
        } else if reached.as_ref().is_some_and(|reached| !reached[at]) {
            findings.push(
                Diagnostic::new(&DEAD_ATOMIC, step.opcode.range.clone(), "no way leads here: this is never done")
                    .help("remove the instruction, or put a label before it that something branches to"),
            );
        }
    }
}

/// How many copies and negations of a predicate are followed.
const FAR: usize = 8;

/// Which steps a way from the function's beginning leads to; `None` where some way is not known.
fn reached(flow: &Flow) -> Option<Vec<bool>> {
    let mut reached = vec![false; flow.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            open.extend(flow.successors(at)?);
        }
    }
    Some(reached)
}

/// What a predicate always is that a step uses.
fn truth(flow: &Flow, predicate: &OperandValue, at: usize) -> Option<bool> {
    let (mut predicate, mut at, mut negated) = (predicate, at, false);
    for _ in 0..FAR {
        let OperandValue::Register(register) = predicate else { return None };
        let DefinitionSite::Step(writer) = flow.reaching(*register, at).site else { return None };
        let step = flow.step(writer);
        if step.values.first() != Some(predicate) {
            return None;
        }
        let found = match (&*step.opcode.mnemonic.text, step.values.as_slice()) {
            ("mov", [_, OperandValue::Number(number)]) => Some(*number != 0),
            ("setp", [_, a, b]) => compare(step, flow.constant(a, writer)?, flow.constant(b, writer)?),
            ("mov" | "not", [_, from @ OperandValue::Register(_)]) => {
                (predicate, at, negated) = (from, writer, negated ^ step.is("not"));
                continue;
            }
            _ => None,
        };
        return found.map(|found| found ^ negated);
    }
    None
}

/// What a comparison of two integers gives; nothing where one of them has another value as the instruction reads it.
fn compare(step: &FlowStep, a: i64, b: i64) -> Option<bool> {
    let fits = (0..=i64::from(i8::MAX)).contains(&a) && (0..=i64::from(i8::MAX)).contains(&b);
    let float = step.has("f32") || step.has("f64") || step.has("f16") || step.has("bf16");
    if !fits || float {
        return None;
    }
    Some(match &*step.opcode.modifiers.first()?.text {
        "eq" => a == b,
        "ne" => a != b,
        "lt" | "lo" => a < b,
        "le" | "ls" => a <= b,
        "gt" | "hi" => a > b,
        "ge" | "hs" => a >= b,
        _ => return None,
    })
}

//! `dead-atomic`: atomics that never execute.

use analysis::values::{DecodedInstruction, DefinitionSite, FunctionValues, OperandValue, holds};
use diagnostics::Diagnostic;
use diagnostics::registry::DEAD_ATOMIC;

/// Checks every atomic.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    let reachable = reachable(flow);
    for (at, instruction, _) in flow.atomics() {
        let range = instruction.range.start..instruction.opcode.range().end;
        if let Some((guard, negated)) = &instruction.guard
            && constant_predicate(flow, guard, at) == Some(*negated)
        {
            diagnostics.push(
                Diagnostic::new(&DEAD_ATOMIC, range, "guard is always false; the atomic never executes")
                    .help("remove the instruction, or correct the predicate"),
            );
        } else if reachable.as_ref().is_some_and(|reachable| !reachable[at]) {
            diagnostics.push(
                Diagnostic::new(&DEAD_ATOMIC, instruction.opcode.range(), "unreachable atomic")
                    .help("remove the instruction, or branch to a label before it"),
            );
        }
    }
}

/// The maximum number of copies and negations of a predicate to follow.
const MAX_COPIES: usize = 8;

/// The reachable instructions; `None` if the target of some branch is unknown.
fn reachable(flow: &FunctionValues) -> Option<Vec<bool>> {
    let mut reachable = vec![false; flow.len()];
    let mut worklist = vec![0];
    while let Some(at) = worklist.pop() {
        if !std::mem::replace(&mut reachable[at], true) {
            worklist.extend(flow.successors(at)?);
        }
    }
    Some(reachable)
}

/// The value of a constant predicate that an instruction uses.
fn constant_predicate(flow: &FunctionValues, predicate: &OperandValue, at: usize) -> Option<bool> {
    let (mut predicate, mut at, mut negated) = (predicate, at, false);
    for _ in 0..MAX_COPIES {
        let OperandValue::Register(register) = predicate else { return None };
        let DefinitionSite::Instruction(writer) = flow.reaching(*register, at).site else { return None };
        let instruction = flow.instruction(writer);
        if instruction.values.first() != Some(predicate) {
            return None;
        }
        let found = match (instruction.opcode.mnemonic(), instruction.values.as_slice()) {
            ("mov", [_, OperandValue::Number(number)]) => Some(*number != 0),
            ("setp", [_, a, b]) => compare(instruction, flow.constant(a, writer)?, flow.constant(b, writer)?),
            ("mov" | "not", [_, from @ OperandValue::Register(_)]) => {
                (predicate, at, negated) = (from, writer, negated ^ instruction.is("not"));
                continue;
            }
            _ => None,
        };
        return found.map(|found| found ^ negated);
    }
    None
}

/// The result of a comparison of two integers; `None` if the type of the comparison may change their values.
fn compare(instruction: &DecodedInstruction, a: i64, b: i64) -> Option<bool> {
    let fits = (0..=i64::from(i8::MAX)).contains(&a) && (0..=i64::from(i8::MAX)).contains(&b);
    let float = instruction.has("f32") || instruction.has("f64") || instruction.has("f16") || instruction.has("bf16");
    if !fits || float {
        return None;
    }
    holds(instruction.opcode.modifiers().next()?, a.cmp(&b))
}

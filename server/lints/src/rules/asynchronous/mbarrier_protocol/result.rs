//! Waits whose result is not read, and states of another mbarrier.

use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::MbarrierOperation;
use analysis::values::{DefinitionSite, FunctionValues, OperandValue};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 50_000;

/// The maximum number of instructions between a wait and a copy of its result.
const MAX_DISTANCE: usize = 4;

/// Checks the operands of every wait.
pub(in crate::rules::asynchronous::mbarrier_protocol) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let mut budget = STEP_BUDGET;
    for wait in &uses.uses {
        if matches!(wait.operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..)) {
            diagnostics.extend(unread_result(uses, wait, &mut budget));
            diagnostics.extend(foreign_state(uses, wait));
        }
    }
}

fn unread_result(uses: &MbarrierUses, wait: &MbarrierUse, budget: &mut usize) -> Option<Diagnostic> {
    let flow = uses.effects.flow;
    let instruction = flow.instruction(wait.at);
    let OperandValue::Register(result) = instruction.values.first()? else { return None };
    if is_used(flow, *result, wait.at, budget) || is_repeated(uses, wait) || is_left_over(uses, wait, budget) {
        return None;
    }
    let name = if matches!(wait.operation, MbarrierOperation::Try(..)) { "try_wait" } else { "test_wait" };
    let message = format!("result of `mbarrier.{name}` is not read: the phase may not be complete");
    let found = Diagnostic::new(&MBARRIER_PROTOCOL, instruction.opcode.range(), message);
    Some(found.help("branch back to the wait while its predicate is false"))
}

/// Whether the value of a register is used, not only copied to a register that is not read.
fn is_used(flow: &FunctionValues, register: usize, at: usize, budget: &mut usize) -> bool {
    if !flow.is_read(register, at, budget) {
        return false;
    }
    let reads = |other: &usize| flow.read_symbols(*other).any(|symbol| symbol == register);
    let copy = (at + 1..flow.len().min(at + 1 + MAX_DISTANCE)).find(reads);
    let Some(copy) = copy.filter(|copy| matches!(flow.mnemonic(*copy), "selp" | "mov" | "cvt")) else { return true };
    *budget = budget.saturating_sub(flow.len());
    if *budget == 0 || (0..flow.len()).any(|other| other != copy && reads(&other)) {
        return true;
    }
    let to = match flow.instruction(copy).values.first() {
        Some(OperandValue::Register(to)) if !flow.is_guarded(copy) => *to,
        _ => return true,
    };
    flow.is_read(to, copy, budget)
}

/// Whether a compiler has kept a wait whose result was copied for a later iteration that does not come: the results of other waits at the mbarrier are read.
fn is_left_over(uses: &MbarrierUses, wait: &MbarrierUse, budget: &mut usize) -> bool {
    let flow = uses.effects.flow;
    let result = |one: &MbarrierUse| match flow.instruction(one.at).values.first() {
        Some(OperandValue::Register(result)) => Some(*result),
        _ => None,
    };
    let is_copied = (wait.at + 1..flow.len().min(wait.at + 1 + MAX_DISTANCE))
        .any(|at| flow.mnemonic(at) == "selp" && flow.read_symbols(at).any(|symbol| Some(symbol) == result(wait)));
    is_copied
        && uses.uses.iter().any(|one| {
            let is_wait = matches!(one.operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..));
            let may_be_same = one.at != wait.at && is_wait && !one.is_distinct(wait);
            may_be_same && result(one).is_some_and(|result| is_used(flow, result, one.at, budget))
        })
}

/// Whether a later wait for the same phase follows, of which the result is read: the first one only shortens it.
fn is_repeated(uses: &MbarrierUses, wait: &MbarrierUse) -> bool {
    let flow = uses.effects.flow;
    let phase = |one: &MbarrierUse| {
        let value = flow.instruction(one.at).values.get(2).cloned()?;
        flow.provenance(&value, one.at)
    };
    uses.uses.iter().any(|one| {
        let is_wait = matches!(one.operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..));
        is_wait
            && one.at > wait.at
            && one.is_same(wait)
            && phase(one).zip(phase(wait)).is_some_and(|(one, other)| one.anchor == other.anchor)
    })
}

/// A wait for a state that an arrival at another mbarrier returned, or that nothing returned.
fn foreign_state(uses: &MbarrierUses, wait: &MbarrierUse) -> Option<Diagnostic> {
    let flow = uses.effects.flow;
    let instruction = flow.instruction(wait.at);
    if instruction.has("parity") {
        return None;
    }
    let (operand, state) = (instruction.operands.get(2)?, instruction.values.get(2)?);
    let message = match state {
        OperandValue::Number(_) => "state of the mbarrier is a number, not the result of an arrival",
        OperandValue::Register(register) => match flow.reaching(*register, wait.at).site {
            DefinitionSite::Instruction(writer) => {
                let arrival = uses.uses.iter().find(|arrival| arrival.at == writer)?;
                if !arrival.is_distinct(wait) {
                    return None;
                }
                "state belongs to another mbarrier"
            }
            DefinitionSite::Entry if !flow.is_parameter(*register) => "state of the mbarrier is never written",
            _ => return None,
        },
        _ => return None,
    };
    let found = Diagnostic::new(&MBARRIER_PROTOCOL, operand.token.range.clone(), message);
    Some(found.help("pass the state that `mbarrier.arrive` on the same mbarrier returned, or wait with `.parity`"))
}

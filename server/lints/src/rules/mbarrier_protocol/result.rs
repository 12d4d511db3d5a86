//! Waits whose result is not read, and states of another mbarrier.

use super::{MbarrierUse, MbarrierUses};
use crate::dataflow::MbarrierOperation;
use crate::flow::{DefinitionSite, OperandValue};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 50_000;

/// Checks the operands of every wait.
pub(super) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let mut budget = STEP_BUDGET;
    for wait in &uses.uses {
        if matches!(wait.operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..)) {
            diagnostics.extend(unread_result(uses, wait, &mut budget));
            diagnostics.extend(foreign_state(uses, wait));
        }
    }
}

fn unread_result(uses: &MbarrierUses, wait: &MbarrierUse, budget: &mut usize) -> Option<Diagnostic> {
    let flow = uses.dataflow.flow;
    let instruction = flow.instruction(wait.at);
    let OperandValue::Register(result) = instruction.values.first()? else { return None };
    if flow.is_read(*result, wait.at, budget) {
        return None;
    }
    let name = if matches!(wait.operation, MbarrierOperation::Try(..)) { "try_wait" } else { "test_wait" };
    let message = format!("result of `mbarrier.{name}` is not read: the phase may not be complete");
    let found = Diagnostic::new(&MBARRIER_PROTOCOL, instruction.opcode.range.clone(), message);
    Some(found.help("branch back to the wait while its predicate is false"))
}

/// A wait for a state that an arrival at another mbarrier returned, or that nothing returned.
fn foreign_state(uses: &MbarrierUses, wait: &MbarrierUse) -> Option<Diagnostic> {
    let flow = uses.dataflow.flow;
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

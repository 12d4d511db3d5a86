//! Stores that answer a flag: a loop waits for a constant that somebody else writes, and the function overwrites it with another value.

use crate::effects::{FunctionEffects, Poll};
use crate::values::{FunctionValues, OperandValue, Provenance};

/// Whether all loops that poll an address wait for one constant, and a store there writes something else.
pub fn is_answer(effects: &FunctionEffects<'_, '_>, at: usize, address: &Provenance) -> bool {
    let flow = effects.flow;
    let (Some(value), "st") = (flow.instruction(at).values.get(1), flow.mnemonic(at)) else { return false };
    let written = flow.constant(value, at);
    let is_other = |poll: &Poll| awaited(flow, poll).is_some_and(|awaited| written != Some(awaited));
    let mut polls = effects.polls().iter().filter(|poll| poll.address.same(address)).peekable();
    polls.peek().is_some() && polls.all(is_other)
}

/// The constant that a loop waits for: it repeats while its flag is not equal.
fn awaited(flow: &FunctionValues, poll: &Poll) -> Option<i64> {
    let OperandValue::Register(flag) = flow.instruction(poll.at).values.first()? else { return None };
    let (test, branch) = (poll.at + 1, poll.at + 2);
    if branch >= flow.len() || flow.mnemonic(test) != "setp" || flow.mnemonic(branch) != "bra" {
        return None;
    }
    let [_, one, other] = flow.instruction(test).values.as_slice() else { return None };
    let (_, is_negated) = flow.guard(branch).filter(|_| flow.is_from(one, test, *flag, poll.at))?;
    let repeats_at_other = match () {
        () if flow.has(test, "ne") => !is_negated,
        () if flow.has(test, "eq") => is_negated,
        () => return None,
    };
    let is_loop = flow.target(branch).is_some_and(|target| target <= poll.at);
    flow.constant(other, test).filter(|_| is_loop && repeats_at_other)
}

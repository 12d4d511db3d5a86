//! Waits in a loop for a parity that never changes.

mod repetition;
mod stages;

use crate::rules::asynchronous::mbarrier_protocol::parity::repetition::Repetition;
use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::{LoopBody, Loops, MbarrierOperation};
use analysis::values::{Definition, FunctionValues, OperandValue, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;
use foldhash::HashSet;

/// Checks every wait for a parity in a loop that also arrives at the mbarrier.
pub(in crate::rules::asynchronous::mbarrier_protocol) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
    let is_wait = |one: &&MbarrierUse| is_parity_wait(flow, one);
    if uses.has_calls || !uses.uses.iter().any(|one| is_wait(&one)) {
        return;
    }
    let Some((loops, repetition)) = flow.blocks().and_then(Loops::new).zip(Repetition::new(flow)) else { return };
    let mut reported = HashSet::default();
    for wait in uses.uses.iter().filter(is_wait) {
        let same: Vec<_> = uses.uses.iter().filter(|one| !one.is_distinct(wait)).collect();
        let arrives = |one: &&&MbarrierUse| matches!(one.operation, MbarrierOperation::Arrive(_));
        // The innermost loop with an arrival; a loop without one only repeats the wait.
        let Some(body) =
            loops.around(wait.at).find(|body| same.iter().filter(arrives).any(|one| body.contains(one.at)))
        else {
            continue;
        };
        let inside: Vec<_> = same.into_iter().filter(|one| body.contains(one.at)).collect();
        let mut arrivals = inside.iter().filter(arrives);
        let (Some(arrival), None) = (arrivals.next(), arrivals.next()) else { continue };
        let is_plain = inside.iter().all(|one| {
            one.is_same(wait) && !matches!(one.operation, MbarrierOperation::Init | MbarrierOperation::Invalidate)
        });
        let once = loops.around(arrival.at).next().is_some_and(|inner| inner.header == body.header)
            && [arrival.at, wait.at].iter().all(|at| repetition.repeats(*at, body));
        let waits = inside.iter().filter(|one| is_parity_wait(flow, one));
        let parities: HashSet<_> = waits.map(|one| parity(flow, one, body)).collect();
        if !is_plain || !once || !is_fixed(wait, body) || parities.len() != 1 || parities.contains(&None) {
            continue;
        }
        if reported.insert(body.header) {
            let instruction = flow.instruction(wait.at);
            let range =
                instruction.operands.get(2).map_or(instruction.range.clone(), |parity| parity.token.range.clone());
            let message = "parity of the wait is the same in every iteration, but the phase changes with every arrival";
            let found = Diagnostic::new(&MBARRIER_PROTOCOL, range, message);
            let found = found.help("keep the parity in a register, and invert it after every phase");
            diagnostics.push(found.related(flow.instruction(arrival.at).range.clone(), "the arrival in the loop"));
        }
    }
    stages::check(uses, (&loops, &repetition), &mut reported, diagnostics);
}

pub(in crate::rules::asynchronous::mbarrier_protocol) fn is_parity_wait(
    flow: &FunctionValues,
    one: &MbarrierUse,
) -> bool {
    matches!(one.operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..)) && flow.has(one.at, "parity")
}

/// A parity that does not change in a loop.
#[derive(PartialEq, Eq, Hash)]
enum FixedParity {
    Number(i64),
    Outside(Definition),
}

/// The parity of a wait, if it does not change in a loop.
fn parity(flow: &FunctionValues, wait: &MbarrierUse, body: &LoopBody) -> Option<FixedParity> {
    let value = flow.instruction(wait.at).values.get(2)?;
    if let Some(number) = flow.constant(value, wait.at) {
        return Some(FixedParity::Number(number));
    }
    let OperandValue::Register(register) = value else { return None };
    let definition = flow.reaching(*register, wait.at);
    body.is_outside(definition).then_some(FixedParity::Outside(definition))
}

/// Whether the mbarrier is the same in all iterations.
fn is_fixed(wait: &MbarrierUse, body: &LoopBody) -> bool {
    wait.fixed().is_some()
        || wait.address.is_some_and(|address| match address.anchor.0 {
            Root::Value(definition) => body.is_outside(definition),
            Root::Variable(_) | Root::Parameter(..) => true,
            Root::Zero => false,
        })
}

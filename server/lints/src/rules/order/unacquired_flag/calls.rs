//! Flags that a called function waits for, and data that the caller reads.

use crate::rules::order::unacquired_flag::{Certainty, HELP, MAX_WORK, has_data, visit_unordered};
use analysis::effects::{AccessKind, FunctionEffects, MemoryEffect, PassedAddress, Poll, SiteSet, Trigger};
use analysis::values::{DefinitionSite, FunctionValues, OperandValue};
use diagnostics::Diagnostic;
use diagnostics::registry::{POLL_WITHOUT_ACQUIRE, UNACQUIRED_FLAG};
use isa::types::Sem;
use legality::flag_facts::{FlagFacts, FlagFunction, FlagPlace, FlagUsage, wrong_calls};

/// The maximum number of instructions of a function that only waits.
const STEP_BUDGET: usize = 1_000;

/// The work for the calls of one function. Most of them wait for nothing.
const MAX_CALL_WORK: usize = MAX_WORK / 50;

/// Records whether a function only waits for a flag that it is given, and what it reads after its calls.
pub(crate) fn record(effects: &FunctionEffects, place: &FlagPlace, facts: &mut FlagFacts) {
    facts.waits = awaited(effects, place);
    if !effects.triggers.has(Trigger::CALL) {
        return;
    }
    let passed = effects.passed_addresses();
    let polls = passed.iter().take(SiteSet::MAX_SITES).map(poll).collect();
    visit_unordered(effects, (polls, MAX_CALL_WORK), |data, poll, certainty| {
        let is_poll = |passed: &&PassedAddress| passed.at == poll.at && passed.address == poll.address;
        let usage = match certainty {
            Certainty::Certain => FlagUsage::CertainWait,
            Certainty::Barrier | Certainty::OtherMemory => FlagUsage::LikelyWait,
        };
        let calls = passed.iter().filter(is_poll).map(|passed| place.call(effects.flow, passed, usage, data));
        facts.calls.extend(calls);
    });
}

/// A call as the poll that the function may be.
fn poll(passed: &PassedAddress) -> Poll {
    Poll { at: passed.at, access: passed.access(AccessKind::Read), address: passed.address }
}

/// Whether a function returns what it may have read: that is a message by itself, and no flag of one.
fn returns_message(flow: &FunctionValues) -> bool {
    let is_message = |at: usize| {
        let value = flow.instruction(at).values.get(1);
        let is_given = || match value {
            Some(OperandValue::Register(register)) => match flow.reaching(*register, at).site {
                DefinitionSite::Instruction(writer) => flow.mnemonic(writer) == "ld" && flow.has(writer, "param"),
                _ => false,
            },
            _ => false,
        };
        value.and_then(|value| flow.constant(value, at)).is_none() && !is_given()
    };
    (0..flow.len()).any(|at| flow.mnemonic(at) == "st" && flow.has(at, "param") && is_message(at))
}

/// The flag that a function waits for on all its paths, if it does nothing else to memory and its order.
fn awaited(effects: &FunctionEffects, place: &FlagPlace) -> Option<FlagFunction> {
    let flow = effects.flow;
    if flow.is_entry() || !effects.triggers.has(Trigger::STRONG) {
        return None;
    }
    let poll = effects.polls().first()?;
    let is_of_flag = |(at, effect): &(usize, MemoryEffect)| match effect {
        MemoryEffect::Access(access) => {
            let address = access.operand.and_then(|operand| effects.address(*at, operand));
            access.kind == AccessKind::Read
                && access.order == Some(Sem::Relaxed)
                && !has_data(flow, *at)
                && address.is_some_and(|address| address.same(&poll.address))
        }
        _ => false,
    };
    let is_read = |at: usize| !effects.effects_in(at..at + 1).is_empty();
    let returns = |at: usize| matches!(flow.mnemonic(at), "ret" | "exit");
    let mut budget = STEP_BUDGET;
    let is_skipped = flow.find_reachable(0, &mut budget, returns, is_read).is_some() || budget == 0;
    let only_waits = !is_skipped && flow.len() <= STEP_BUDGET && effects.effects().iter().all(is_of_flag);
    let only_waits = only_waits && !returns_message(flow);
    only_waits.then(|| place.function(flow, poll.at, &poll.address)).flatten()
}

/// Checks the calls of functions that only wait for a flag, given the facts of all items with their starts.
pub(crate) fn check_module(items: &[(usize, &FlagFacts)], diagnostics: &mut Vec<Diagnostic>) {
    let usages = [FlagUsage::CertainWait, FlagUsage::LikelyWait];
    for wrong in wrong_calls(items, |facts| facts.waits.as_ref(), &usages) {
        let (rule, message) = match wrong.usage {
            FlagUsage::CertainWait => {
                (&UNACQUIRED_FLAG, "flag polled without acquire ordering: callers may read data before the flag")
            }
            _ => (&POLL_WITHOUT_ACQUIRE, "polling loop without acquire ordering before callers read other memory"),
        };
        let found = Diagnostic::new(rule, wrong.flag, message).help(HELP);
        diagnostics.push(found.related(wrong.call, "called here").related(wrong.data, "read here"));
    }
}

//! Checks the claims of the litmus tests in a module.

use crate::module::blocks;
use crate::repair::{Repair, repair_text};
use crate::termination::TestTermination;
use crate::termination_report::WaitingInstruction;
use crate::test::{Expected, LitmusError, LoadedAddress, Test};
use isa::Module;
use memory_model::{Bits, Budget, ClaimVerdict, Condition, EventKind, Execution, Observable, counterexample, explore};
use std::ops::Range;
use syntax::LintFile;

/// The search limits while the user types.
const BUDGET: Budget = Budget { steps: 300_000, loop_iterations: 6, outcomes: 20_000 };

/// A problem with a claim.
#[derive(Debug)]
pub enum ClaimDiagnostic {
    /// The claim does not hold.
    Contradicted {
        /// The line of the claim.
        range: Range<usize>,
        /// What the claim expects.
        expected: Expected,
        /// What is wrong.
        message: String,
        /// What to change, or which axiom is violated.
        help: String,
        /// The events of an execution that shows it, in order.
        events: Vec<(Range<usize>, String)>,
        /// A change that makes the claim hold.
        repair: Option<Repair>,
    },
    /// The claim cannot be decided.
    Undecided(LitmusError),
}

/// The problems with the claims of the litmus tests in a module, in source order. Repairs are legal for its version and target.
pub fn claim_diagnostics(file: &LintFile, module: &Module) -> Vec<ClaimDiagnostic> {
    let mut all = Vec::new();
    let blocks = blocks(file);
    let text = if blocks.is_empty() { String::new() } else { file.text().to_string() };
    for block in blocks {
        if !block.test.errors.is_empty() {
            all.extend(block.test.errors.into_iter().map(ClaimDiagnostic::Undecided));
            continue;
        }
        for (range, expected, condition) in &block.expected {
            all.extend(decide(&text, module, &block.test, range, *expected, condition));
        }
        for (range, expected) in &block.endless {
            all.extend(decide_endless(&text, &block.test, range, *expected));
        }
    }
    all
}

fn decide(
    text: &str,
    module: &Module,
    test: &Test,
    range: &Range<usize>,
    expected: Expected,
    condition: &Condition,
) -> Option<ClaimDiagnostic> {
    let observed = condition.observables();
    let found = explore(&test.program, &observed, BUDGET);
    if let Some(what) = found.not_modelled.first() {
        return Some(not_modelled(range, what));
    }
    let at = found.all().position(|outcome| condition.holds(&observed, outcome));
    match (expected, at) {
        (Expected::Forbidden, Some(at)) => {
            let outcome = found.all().nth(at).unwrap_or_default();
            let execution = found.witness(at);
            let is_early = |one: &&LoadedAddress| one.is_too_early().holds(&observed, outcome);
            if let Some(early) = test.loaded_addresses.iter().find(is_early) {
                return Some(ClaimDiagnostic::Contradicted {
                    range: range.clone(),
                    expected,
                    message: early.message(),
                    help: "synchronize the threads after the allocation, as with `bar.sync`".to_owned(),
                    events: execution.map(|execution| events(test, &execution)).unwrap_or_default(),
                    repair: None,
                });
            }
            Some(ClaimDiagnostic::Contradicted {
                range: range.clone(),
                expected,
                message: format!("forbidden outcome is allowed by the memory model: {}", outcome_text(test, &observed, outcome)),
                help: "use `.release` on the write and `.acquire` on the read that pass the message, in a scope that includes both threads, or add fences".into(),
                events: execution.map(|execution| events(test, &execution)).unwrap_or_default(),
                repair: repair_text(text, module, test, condition),
            })
        }
        (_, None) if !found.complete => Some(limit_reached(range)),
        (Expected::Allowed, None) => {
            let why = counterexample(&test.program, &observed, &|outcome| condition.holds(&observed, outcome));
            Some(ClaimDiagnostic::Contradicted {
                range: range.clone(),
                expected,
                message: "allowed outcome is forbidden by the memory model".into(),
                help: match &why {
                    Some(why) => {
                        format!("violates {}: {}", why.violation.axiom.name(), why.violation.axiom.summary())
                    }
                    None => "no execution produces these values".into(),
                },
                events: why.map(|why| events(test, &why.execution)).unwrap_or_default(),
                repair: None,
            })
        }
        _ => None,
    }
}

/// Decides a claim about an execution that does not end.
fn decide_endless(text: &str, test: &Test, range: &Range<usize>, expected: Expected) -> Option<ClaimDiagnostic> {
    let found = TestTermination::of(test, BUDGET);
    if let Some(TestTermination::NotModelled(what)) = &found {
        return Some(not_modelled(range, what.first().map_or("", |what| what)));
    }
    match TestTermination::verdict(found.as_ref(), expected) {
        ClaimVerdict::Pass => return None,
        ClaimVerdict::Unknown => return Some(limit_reached(range)),
        ClaimVerdict::Fail => {}
    }
    let waits = found.as_ref().map(|found| found.waits(text, test)).unwrap_or_default();
    let names: Vec<String> = waits.iter().map(|wait| format!("{} at `{}`", wait.thread, wait.text)).collect();
    let names = names.join(", ");
    let (message, help) = match found {
        Some(TestTermination::NotGuaranteed(_)) => (
            format!("not every execution is guaranteed to end: {names}"),
            "use `.relaxed` or a stronger order for what is waited for, in a scope that includes both threads",
        ),
        Some(_) if expected == Expected::Forbidden => (
            format!("forbidden endless execution is allowed by the memory model: {names}"),
            "let some thread write what is waited for in every execution, and do not overwrite it before it is seen",
        ),
        _ => ("every fair execution ends".to_owned(), "write `forbid endless`, or change what is waited for"),
    };
    let event = |wait: WaitingInstruction| Some((wait.range?, format!("{} waits here without end", wait.thread)));
    Some(ClaimDiagnostic::Contradicted {
        range: range.clone(),
        expected,
        message,
        help: help.to_owned(),
        events: waits.into_iter().filter_map(event).collect(),
        repair: None,
    })
}

fn not_modelled(range: &Range<usize>, what: &str) -> ClaimDiagnostic {
    ClaimDiagnostic::Undecided(LitmusError {
        range: range.clone(),
        message: format!("not defined by the memory model: {what}"),
        help: "access each variable in its full size, and issue asynchronous operations outside of loops".to_owned(),
    })
}

fn limit_reached(range: &Range<usize>) -> ClaimDiagnostic {
    ClaimDiagnostic::Undecided(LitmusError {
        range: range.clone(),
        message: "search limit reached before the claim was decided".to_owned(),
        help: "use fewer loop iterations or fewer threads".to_owned(),
    })
}

fn outcome_text(test: &Test, observed: &[Observable], outcome: &[Bits]) -> String {
    let is_claimed = |(observable, _): &(&Observable, &Bits)| {
        test.loaded_addresses.iter().all(|loaded| loaded.register != **observable)
    };
    let values = observed.iter().zip(outcome).filter(is_claimed);
    let parts = values.map(|(observable, value)| format!("{} = {value}", test.name(observable)));
    parts.collect::<Vec<_>>().join(", ")
}

/// What each access of an execution reads or writes, and from which thread it reads.
fn events(test: &Test, execution: &Execution) -> Vec<(Range<usize>, String)> {
    let mut all = Vec::new();
    for (at, event) in execution.events.iter().enumerate() {
        let Some(place) = event.thread.and_then(|thread| test.place(thread, event.instruction)) else { continue };
        let Some(value) = execution.values[at] else { continue };
        let location = event.location.map(|location| &test.program.locations[location]);
        // One that stands for a register is known to nobody.
        if location.is_some_and(|location| location.is_register) {
            continue;
        }
        let name = location.map_or("memory", |location| &location.name);
        let message = if event.kind == EventKind::Read {
            let from = execution.write_read_by(at).and_then(|write| execution.events[write].thread);
            let from = from.map_or("the initial value", |thread| &test.program.threads[thread].name);
            format!("reads {name} = {value}, from {from}")
        } else {
            format!("writes {name} = {value}")
        };
        all.push((place, message));
    }
    all
}

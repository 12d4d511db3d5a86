//! Results as text: verdict, outcomes, and executions.

use crate::result::{LitmusResult, WantedExecutions};
use crate::test::Test;
use memory_model::{Counterexample, EventKind, Execution, Quantifier};
use std::fmt::Write;

/// The result as text for a terminal.
pub fn text(source: &str, test: &Test, answer: &LitmusResult, executions: WantedExecutions) -> String {
    let mut out = String::new();
    let quantifier = test.claim.as_ref().map_or(Quantifier::Exists, |claim| claim.quantifier);
    let name = if test.name.is_empty() { "(unnamed)" } else { &test.name };
    let termination = answer.termination.as_ref().map(|termination| termination.text(source, test)).unwrap_or_default();
    if test.endless.is_some() && answer.not_modelled.is_empty() {
        let _ = writeln!(out, "{name}: {} (termination)", answer.verdict.word());
        return out + &termination;
    }
    let _ = writeln!(out, "{name}: {} ({})", answer.verdict.word(), reason(quantifier, answer));
    for what in &answer.not_modelled {
        let _ = writeln!(out, "  not modelled: {what}");
    }
    if let Some(early) = &answer.early_load {
        let _ = writeln!(out, "  {early}");
    }
    let bound = match (answer.complete, answer.not_modelled.is_empty()) {
        (true, _) => "",
        (false, true) => " or more (search limit reached)",
        (false, false) => " or more (not all executions are modelled)",
    };
    let _ = writeln!(out, "  {} outcomes{bound}", answer.outcomes().len());
    for (at, (outcome, holds)) in answer.outcomes().enumerate() {
        let mark = if holds { '*' } else { ' ' };
        let _ = writeln!(out, "  {mark} {}", test.outcome_text(outcome));
        if executions == WantedExecutions::All
            && let Some((_, execution)) = answer.witnesses.iter().find(|(index, _)| *index == at)
        {
            out += &indent(&execution_text(source, test, execution));
        }
    }
    if executions != WantedExecutions::All {
        out += &decisive_execution_text(source, test, answer);
    }
    out += &counterexample_text(source, test, answer);
    out + &termination
}

/// The execution that decides the verdict, indented; empty if there is none.
pub fn decisive_execution_text(source: &str, test: &Test, answer: &LitmusResult) -> String {
    let Some((at, execution)) = answer.witnesses.first() else { return String::new() };
    let Some((outcome, _)) = answer.outcomes().nth(*at) else { return String::new() };
    format!("  execution with {}:\n{}", test.outcome_text(outcome), indent(&execution_text(source, test, execution)))
}

/// The violation that forbids the claimed outcome, indented; empty if there is none.
pub fn counterexample_text(source: &str, test: &Test, answer: &LitmusResult) -> String {
    let violation = answer.counterexample.as_ref().map(|found| violation_text(source, test, found));
    violation.iter().flat_map(|text| text.lines()).map(|line| format!("  {line}\n")).collect()
}

/// The axiom that an execution violates, and the edges that show it.
pub fn violation_text(source: &str, test: &Test, counterexample: &Counterexample) -> String {
    let axiom = counterexample.violation.axiom;
    let mut out = format!("forbidden by {}: {}\n", axiom.name(), axiom.summary());
    for (from, relation, to) in &counterexample.violation.edges {
        let ends = [from, to].map(|event| event_text(source, test, &counterexample.execution, *event));
        let _ = writeln!(out, "  {} --{relation}--> {}", ends[0], ends[1]);
    }
    out
}

/// The reason for the verdict.
pub fn reason(quantifier: Quantifier, answer: &LitmusResult) -> String {
    let all = answer.outcomes().len();
    let holds = answer.outcomes().filter(|(_, holds)| *holds).count();
    let fails = all - holds;
    match quantifier {
        _ if !answer.not_modelled.is_empty() => "program is not fully defined by the memory model".to_owned(),
        Quantifier::Exists if holds > 0 => format!("exists: {holds} of {all} outcomes match"),
        Quantifier::Exists => "exists: no matching outcome".to_owned(),
        Quantifier::NotExists if holds > 0 => format!("~exists: {holds} of {all} outcomes match"),
        Quantifier::NotExists => "~exists: no matching outcome".to_owned(),
        Quantifier::ForAll if fails > 0 => format!("forall: {fails} of {all} outcomes do not match"),
        Quantifier::ForAll => "forall: all outcomes match".to_owned(),
    }
}

/// The events of an execution, thread by thread, with reads-from, synchronizes-with and fence-SC edges.
pub fn execution_text(source: &str, test: &Test, execution: &Execution) -> String {
    let mut out = events_text(source, test, execution, &|_| Some(""));
    for (name, relation) in [("sync", &execution.synchronizes_with), ("sc", &execution.fence_sc_order)] {
        for (from, to) in relation.edges() {
            let ends = [from, to].map(|event| event_text(source, test, execution, event));
            let _ = writeln!(out, "{} --{name}--> {}", ends[0], ends[1]);
        }
    }
    out
}

/// The events of an execution, thread by thread, each with a note; those without one are left out.
pub fn events_text(
    source: &str,
    test: &Test,
    execution: &Execution,
    note: &dyn Fn(usize) -> Option<&'static str>,
) -> String {
    let mut out = String::new();
    for (at, event) in execution.events.iter().enumerate() {
        let Some(note) = note(at) else { continue };
        if event.thread.is_none() || event.partner.is_some_and(|read| read < at) {
            continue;
        }
        let mut line = event_text(source, test, execution, at);
        if event.kind == EventKind::Read
            && let Some(from) = execution.write_read_by(at)
        {
            let _ = write!(line, "  reads {}", event_text(source, test, execution, from));
        }
        let _ = writeln!(out, "{line}{note}");
    }
    out
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("      {line}\n")).collect()
}

/// An event as text: thread, instruction, value.
pub fn event_text(source: &str, test: &Test, execution: &Execution, at: usize) -> String {
    let label = event_label(source, test, execution, at);
    match execution.events[at].thread {
        Some(thread) => format!("{}: {label}", test.program.threads[thread].name),
        None => label,
    }
}

/// An event as text, without its thread.
pub fn event_label(source: &str, test: &Test, execution: &Execution, at: usize) -> String {
    let event = &execution.events[at];
    let value = execution.values[at].map(Test::signed);
    let Some(thread) = event.thread else {
        let name = event.location.map_or("", |location| &test.program.locations[location].name);
        return format!("initial {name}={}", value.unwrap_or_default());
    };
    let instruction = test.place(thread, event.instruction).and_then(|range| source.get(range)).unwrap_or_default();
    let instruction = instruction.split_whitespace().collect::<Vec<_>>().join(" ");
    let access = match (event.kind, value) {
        (EventKind::Read, Some(value)) => format!(" [R={value}]"),
        (EventKind::Write, Some(value)) => format!(" [W={value}]"),
        (EventKind::Arrive, _) => " [arrives]".to_owned(),
        (EventKind::Wait, _) => " [released]".to_owned(),
        (EventKind::Issue, _) => " [issued]".to_owned(),
        (EventKind::Await, _) => " [waits]".to_owned(),
        (EventKind::ProxyFence, _) => " [proxy fence]".to_owned(),
        _ => String::new(),
    };
    format!("{instruction}{access}")
}

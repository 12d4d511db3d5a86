//! Whether every execution of a litmus test ends, as values and as text.

use super::report::{event_label, events_text};
use super::test::Test;
use memory_model::{
    Budget, EndlessExecution, EndlessWait, Execution, Fairness, Termination, may_be_endless, termination,
};
use std::fmt::Write;
use std::ops::Range;

/// The fairness that the answer assumes, one sentence each, without a full stop.
pub const FAIRNESS: [&str; 3] = [
    "every thread is scheduled again and again; before sm_70 this holds for warps, not for the lanes of one",
    "a read that is repeated sees in the end what morally strong writes leave behind",
    "asynchronous operations and barriers complete as soon as they can",
];

/// Whether every fair execution of a test ends.
#[derive(Debug)]
pub enum TestTermination {
    /// Every one ends.
    Ends,
    /// It depends on a write that is seen by an access that is not morally strong relative to it, which nothing guarantees.
    NotGuaranteed(Box<EndlessExecution>),
    /// One does not end.
    Endless(Box<EndlessExecution>),
    /// The search limit was reached first, or the model does not define what the program does.
    Unknown,
}

/// An instruction that a thread waits at without end.
#[derive(Debug)]
pub struct WaitingInstruction {
    /// The name of the thread.
    pub thread: String,
    /// The instruction, with the value that it reads.
    pub text: String,
    /// The range of the instruction.
    pub range: Option<Range<usize>>,
}

impl TestTermination {
    /// The answer for a test without errors; `None` if it has no loop and no wait.
    pub fn of(test: &Test, budget: Budget) -> Option<Self> {
        if !may_be_endless(&test.program) {
            return None;
        }
        Some(match termination(&test.program, Fairness::MorallyStrong, budget) {
            Termination::Ends => TestTermination::Ends,
            Termination::Unknown | Termination::NotModelled(_) => TestTermination::Unknown,
            Termination::Endless(found) => match termination(&test.program, Fairness::EveryWrite, budget) {
                Termination::Endless(found) => TestTermination::Endless(found),
                Termination::Ends => TestTermination::NotGuaranteed(found),
                Termination::Unknown | Termination::NotModelled(_) => TestTermination::Endless(found),
            },
        })
    }

    /// The word in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            TestTermination::Ends => "ends",
            TestTermination::NotGuaranteed(_) => "notGuaranteed",
            TestTermination::Endless(_) => "endless",
            TestTermination::Unknown => "unknown",
        }
    }

    /// The execution that does not end.
    pub fn execution(&self) -> Option<&EndlessExecution> {
        match self {
            TestTermination::Endless(found) | TestTermination::NotGuaranteed(found) => Some(found),
            TestTermination::Ends | TestTermination::Unknown => None,
        }
    }

    /// The instructions at which threads wait without end.
    pub fn waits(&self, source: &str, test: &Test) -> Vec<WaitingInstruction> {
        let Some(found) = self.execution() else { return Vec::new() };
        let waiting = |(thread, wait): &(usize, EndlessWait)| {
            let events = match *wait {
                EndlessWait::At { event } => vec![event],
                EndlessWait::Loop { first, second } => {
                    let [_, repeated] = found.iterations(*thread, first, second);
                    let is_access = |at: &usize| found.execution.events[*at].is_memory();
                    repeated.into_iter().filter(is_access).collect()
                }
            };
            let is_second_half = |at: &usize| found.execution.events[*at].partner.is_some_and(|read| read < *at);
            let shown = events.into_iter().filter(move |at| !is_second_half(at));
            let name = &test.program.threads[*thread].name;
            shown.map(move |at| waiting_instruction(source, test, &found.execution, name, at)).collect::<Vec<_>>()
        };
        found.waits.iter().flat_map(waiting).collect()
    }

    /// The answer as text for a terminal.
    pub fn text(&self, source: &str, test: &Test) -> String {
        let waits = self.waits(source, test);
        let waits: Vec<_> = waits.iter().map(|wait| format!("{} at `{}`", wait.thread, wait.text)).collect();
        let waits = waits.join(", ");
        let mut out = match self {
            TestTermination::Ends => "  termination: every fair execution ends\n".to_owned(),
            TestTermination::Unknown => "  termination: search limit reached\n".to_owned(),
            TestTermination::Endless(_) => format!("  termination: a fair execution does not end: {waits}\n"),
            TestTermination::NotGuaranteed(_) => format!(
                "  termination: not guaranteed: {waits}; ends only if reads also see writes that are not morally strong relative to them\n"
            ),
        };
        if let Some(found) = self.execution() {
            let note = |at| note(found, at);
            for line in events_text(source, test, &found.execution, &note).lines() {
                let _ = writeln!(out, "      {line}");
            }
        }
        out
    }
}

/// What to say of an event; `None` for the second time of a repeated iteration, and for the end of a wait that is never reached.
fn note(found: &EndlessExecution, at: usize) -> Option<&'static str> {
    let thread = found.execution.events[at].thread;
    match found.waits.iter().find(|(waiting, _)| Some(*waiting) == thread) {
        Some((_, EndlessWait::At { event })) if *event == at => None,
        Some((_, EndlessWait::Loop { second, .. })) if at >= *second => None,
        Some((_, EndlessWait::Loop { first, .. })) if at >= *first => Some("  again and again"),
        _ => Some(""),
    }
}

fn waiting_instruction(source: &str, test: &Test, x: &Execution, thread: &str, at: usize) -> WaitingInstruction {
    let event = &x.events[at];
    let range = event.thread.and_then(|thread| test.place(thread, event.instruction));
    let text = event_label(source, test, x, at);
    let text = text.strip_suffix(" [released]").unwrap_or(&text).to_owned();
    WaitingInstruction { thread: thread.to_owned(), text, range }
}

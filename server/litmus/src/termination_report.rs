//! Executions of a litmus test that do not end, as text.

use crate::report::{event_label, events_text};
use crate::termination::TestTermination;
use crate::test::Test;
use memory_model::{EndlessExecution, EndlessWait, Execution};
use std::fmt::Write;
use std::ops::Range;

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
            TestTermination::NotModelled(what) => format!("  termination: not modelled: {}\n", what.join("; ")),
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

//! Stops, and what a run is resumed for.

use crate::launch::StepScope;
use crate::line_map::CodeLine;
use program::{CodePlace, ThreadId};

/// Why and where a run stops.
#[derive(Clone, Debug, PartialEq)]
pub struct StopEvent {
    /// The reason, in the words of the protocol.
    pub reason: &'static str,
    /// The thread that it is about.
    pub thread: ThreadId,
    /// The instruction that is shown instead of the thread's next one: the one that made a mistake or accessed memory.
    pub place: Option<CodePlace>,
    /// The code and the message of a problem, or which memory was accessed.
    pub detail: Option<(String, String)>,
    /// The breakpoints.
    pub breakpoints: Vec<u64>,
}

impl StopEvent {
    /// A stop of a thread for a reason.
    pub const fn new(reason: &'static str, thread: ThreadId) -> Self {
        Self { reason, thread, place: None, detail: None, breakpoints: Vec::new() }
    }
}

/// How a step treats calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// It goes over them.
    Over,
    /// It enters them.
    Into,
    /// It leaves the current one.
    Out,
}

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepGoal {
    /// What it is of.
    pub scope: StepScope,
    /// How it treats calls.
    pub kind: StepKind,
    /// The thread.
    pub thread: ThreadId,
    /// The number of its calls.
    pub depth: usize,
    /// Its instruction.
    pub place: Option<CodePlace>,
    /// Its line, if the step is of a line of the source.
    pub line: Option<CodeLine>,
}

/// What a run is resumed for.
#[derive(Clone, Debug, PartialEq)]
pub enum RunGoal {
    /// To stop before the first instruction.
    Entry,
    /// To stop at breakpoints only.
    Continue,
    /// To stop after a step.
    Step(StepGoal),
}

/// How instructions are looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum RunMode {
    /// The run goes on and stops at its goal or a breakpoint.
    Forward(RunGoal),
    /// The run is repeated up to a step, and the last stop before is noted.
    Search {
        /// The step that it ends before.
        before: u64,
        /// The goal.
        goal: RunGoal,
        /// The last stop.
        found: Option<(u64, StopEvent)>,
    },
    /// The run is repeated up to a step, and stops there.
    Replay {
        /// The step.
        until: u64,
        /// The stop.
        stop: StopEvent,
    },
}

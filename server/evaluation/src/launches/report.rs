//! What launches in comments have found.

use super::statement::LaunchLineError;
use crate::kernel::Kernel;
use emulator::machine::{Problem, ThreadId};
use std::ops::Range;

/// A place that belongs to a problem, with a message.
pub type LaunchRelated = (Range<usize>, String);

/// A problem of a launch.
#[derive(Clone, Debug)]
pub struct LaunchProblem {
    /// The instruction, or the expectation.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
    /// The launch, and other instructions that take part.
    pub related: Vec<LaunchRelated>,
}

impl LaunchProblem {
    /// A problem of the machine at its instruction.
    pub fn of(problem: &Problem, kernel: &Kernel, launch: &Range<usize>) -> Self {
        let ThreadId { cta, thread } = problem.thread;
        let message = format!("{} (thread {thread} of CTA {cta})", kernel.problem_message(problem));
        let mut related = vec![(launch.clone(), "in this launch".to_owned())];
        for (ThreadId { cta, thread }, place) in &problem.related {
            related.push((kernel.range(*place), format!("thread {thread} of CTA {cta}")));
        }
        Self { range: kernel.range(problem.place), message, related }
    }
}

/// What a launch has found.
#[derive(Clone, Debug)]
pub enum LaunchReport {
    /// The launch cannot be read or run.
    Unreadable(LaunchLineError),
    /// A mistake of the kernel in a run.
    Problem(LaunchProblem),
    /// A value that is not as expected.
    Mismatch {
        /// The problem.
        problem: LaunchProblem,
        /// The range of the expected values, and the values that were found.
        observed: Option<(Range<usize>, String)>,
    },
    /// An execution with a mistake.
    Refuted(LaunchProblem),
    /// Not all executions were explored.
    Undecided(LaunchLineError),
}

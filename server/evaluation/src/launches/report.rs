//! What launches in comments have found.

use crate::launches::statement::LaunchLineError;
use kernel::stream::StreamKernel;
use program::{Dimensions, Problem, ThreadId};
use std::ops::Range;

/// A place that belongs to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRelated {
    /// The launch or an instruction.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
    /// The thread, if it is a step of the execution.
    pub thread: Option<String>,
}

impl LaunchRelated {
    /// The launch.
    pub fn launch(range: Range<usize>) -> Self {
        Self { range, message: "in this launch".to_owned(), thread: None }
    }
}

/// A thread in a message.
pub fn thread_name(ThreadId { cta, thread }: ThreadId, grid: Dimensions) -> String {
    format!("thread {thread} of CTA {}", grid.cta_name(cta))
}

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
    pub fn of(problem: &Problem, StreamKernel { kernel, launch, .. }: StreamKernel, range: &Range<usize>) -> Self {
        let message = format!("{} ({})", kernel.problem_message(problem), thread_name(problem.thread, launch.grid));
        let mut related = vec![LaunchRelated::launch(range.clone())];
        for (thread, place) in &problem.related {
            let message = thread_name(*thread, launch.grid);
            related.push(LaunchRelated { range: kernel.range(*place), message, thread: None });
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
    /// Volatile accesses that nothing orders.
    Unordered(LaunchProblem),
    /// A schedule that is fair to each thread may never end it.
    Unfair(LaunchProblem),
    /// Not all executions were explored.
    Undecided {
        /// Why, at the launch.
        error: LaunchLineError,
        /// The instructions that the reason is about.
        related: Vec<LaunchRelated>,
    },
}

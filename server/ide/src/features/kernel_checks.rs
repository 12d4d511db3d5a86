//! Checks of kernels for editors: every execution of a launch is explored.

use super::kernel_runs::first_error;
use diagnostics::{Context, Snapshot};
use evaluation::launches::{CheckLimits, LaunchProblem, LaunchPurpose, LaunchReport, WrittenLaunch, check_reports};
use kernel::Kernel;

/// The most states of a check. It can be cancelled.
const MAX_STATES: usize = 1_000_000;

/// What is known of all executions of a launch.
#[derive(Clone, Debug)]
pub enum CheckVerdict {
    /// None has a problem, and each ends.
    Proved,
    /// Some have problems.
    Refuted(Vec<LaunchProblem>),
    /// Not all were explored, with the reason.
    Unknown(String),
}

/// A check with its result.
#[derive(Clone, Debug)]
pub struct KernelCheck {
    /// The verdict.
    pub verdict: CheckVerdict,
    /// What does not refute: volatile accesses that nothing orders, and schedules that never end.
    pub notes: Vec<LaunchProblem>,
}

/// Checks of kernels.
pub trait KernelCheckProvider {
    /// Checks a launch of a kernel, given as in `//! check` after the name, with those beside and after it.
    ///
    /// # Errors
    /// A message for users if it cannot be checked.
    fn check_kernel(&self, _kernel: &str, _launch: &str, _cancelled: &dyn Fn() -> bool) -> Result<KernelCheck, String> {
        Err("kernels are checked in PTX modules only".to_owned())
    }
}

impl KernelCheckProvider for Snapshot {
    fn check_kernel(&self, kernel: &str, launch: &str, cancelled: &dyn Fn() -> bool) -> Result<KernelCheck, String> {
        let line = format!("check {kernel} {launch}");
        let read = WrittenLaunch::read(&line, 0..line.len(), LaunchPurpose::Check);
        let written = read.map_err(|error| format!("{}; {}", error.message, error.help))?;
        first_error(self)?;
        let file = self.file.as_ref();
        let named = Kernel::named(file).into_iter().find(|(name, _)| name == kernel);
        let range = named.map_or(0..0, |(_, range)| range);
        let written = written.placed_at(&range);
        let limits = CheckLimits { states: MAX_STATES, cancelled };
        let (mut problems, mut notes, mut reason) = (Vec::new(), Vec::new(), None);
        for report in check_reports(file, Context::new(self).module, &written, &limits) {
            match report {
                LaunchReport::Problem(problem)
                | LaunchReport::Refuted(problem)
                | LaunchReport::Mismatch { problem, .. } => problems.push(problem),
                LaunchReport::Unordered(problem) | LaunchReport::Unfair(problem) => notes.push(problem),
                LaunchReport::Undecided { error, .. } => reason = Some(format!("{}; {}", error.message, error.help)),
                LaunchReport::Unreadable(error) => return Err(format!("{}; {}", error.message, error.help)),
            }
        }
        let verdict = match reason {
            _ if !problems.is_empty() => CheckVerdict::Refuted(problems),
            Some(reason) => CheckVerdict::Unknown(reason),
            None => CheckVerdict::Proved,
        };
        Ok(KernelCheck { verdict, notes })
    }
}

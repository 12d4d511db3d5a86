//! Runs of kernels for editors: a lens on each kernel, and what a run did.

use diagnostics::{Context, Severity, Snapshot, Subject};
use evaluation::launches::statement::read_launch;
use kernel::Kernel;
use kernel::arguments::argument_error::{ArgumentError, EXAMPLE_ELEMENTS, example};
use kernel::arguments::launch::{KernelLaunch, LaunchFailure};
use kernel::reports::profile::{LaunchProfile, ProfileFailure, profile};
use lints::Checker;
use std::ops::Range;

/// A code lens on a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchLens {
    /// The name of the kernel.
    pub range: Range<usize>,
    /// The name.
    pub kernel: String,
    /// A launch of one warp with an argument for each parameter, as in `//! run` after the name.
    pub launch: String,
    /// The same, small enough to be checked.
    pub check: String,
}

/// A run that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOfKernel {
    /// The kernel.
    pub kernel: String,
    /// The launch, as in `//! run` after the name.
    pub launch: String,
    /// The CTA and the thread in it whose registers are wanted.
    pub thread: [u32; 2],
}

/// Runs of kernels.
pub trait KernelRunProvider {
    /// A lens on each kernel that can run.
    fn launch_lenses(&self) -> Vec<LaunchLens> {
        Vec::new()
    }

    /// Runs a kernel, until it ends or is cancelled.
    ///
    /// # Errors
    /// A message for users if it cannot run.
    fn run_kernel(&self, _run: &RunOfKernel, _cancelled: &(dyn Fn() -> bool + Sync)) -> Result<LaunchProfile, String> {
        Err("kernels are run in PTX modules only".to_owned())
    }
}

/// Reads a launch as in `//! run` after the name of the kernel.
fn read_options(kernel: &str, launch: &str) -> Result<KernelLaunch, String> {
    let line = format!("run {kernel} {launch}");
    let read = read_launch(&line, 0..line.len());
    read.map(|(options, _)| options).map_err(|error| format!("{}; {}", error.message, error.help))
}

/// The first error of a module, which has no meaning then. Those of launches in comments do not count.
pub(super) fn first_error(snapshot: &Snapshot) -> Result<(), String> {
    let diagnostics = Checker::once().check(&snapshot.for_lint(), &|| false).unwrap_or_default();
    let mut errors =
        diagnostics.iter().filter(|one| one.severity == Severity::Error && one.rule.subject != Subject::Launch);
    let Some(error) = errors.next() else { return Ok(()) };
    let line = snapshot.file.position(error.range.start).line + 1;
    Err(format!("line {line}: {}", error.message()))
}

impl KernelRunProvider for Snapshot {
    fn launch_lenses(&self) -> Vec<LaunchLens> {
        let module = Context::new(self).module;
        let file = self.file.as_ref();
        let lens = |(kernel, range): (String, Range<usize>)| {
            let lowered = Kernel::lower(file, module, &kernel).ok()?;
            let block = if lowered.bounds.block.is_some() { "" } else { " block 32" };
            let argument = |(name, size): (&str, u32)| format!(" {name}={}", example(size, EXAMPLE_ELEMENTS));
            let parameters = lowered.parameters().iter().filter(|one| lowered.uses(one));
            let arguments: String = parameters.map(|one| argument((&one.name, one.size))).collect();
            let small = if block.is_empty() { "grid 1" } else { "grid 2 block 2" };
            let (launch, check) = (format!("grid 1{block}{arguments}"), format!("{small}{arguments}"));
            Some(LaunchLens { range, kernel, launch, check })
        };
        Kernel::named(file).into_iter().filter_map(lens).collect()
    }

    fn run_kernel(&self, run: &RunOfKernel, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<LaunchProfile, String> {
        let RunOfKernel { kernel, launch, thread } = run;
        let options = read_options(kernel, launch)?;
        first_error(self)?;
        let profile = profile(self.file.as_ref(), Context::new(self).module, &options, *thread, cancelled);
        profile.map_err(|failure| match failure {
            ProfileFailure::Launch(LaunchFailure::Arguments(error) | LaunchFailure::BesideArguments(error)) => {
                let ArgumentError { message, missing } = error;
                if missing.is_empty() { message } else { format!("{message}; add `{}`", missing.join(" ")) }
            }
            ProfileFailure::Launch(LaunchFailure::Kernel(error)) => error.message,
            ProfileFailure::Launch(LaunchFailure::Sizes(message)) | ProfileFailure::Machine(message) => message,
            ProfileFailure::Unsupported(range, opcode) => {
                let line = self.file.position(range.start).line + 1;
                format!("line {line}: emulation of `{opcode}` is not supported")
            }
        })
    }
}

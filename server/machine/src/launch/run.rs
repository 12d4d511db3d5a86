//! Runs a kernel to its end.

use crate::debug::debug_view;
use crate::debug::trace::Trace;
use crate::launch::attempts;
use crate::launch::launch_error::{LaunchError, check};
use crate::launch::remains::RunRemains;
use crate::memory::global::GlobalMemory;
use crate::state::{CurrentObserver, Machine, RunObserver, UnsupportedAt};
use ordering::Races;
use program::launch::kernel_launch::Launch;
use program::machine_program::MachineProgram;
use program::problem::Problem;
use std::num::NonZeroUsize;

/// The result of a run.
#[derive(Debug)]
pub struct RunResult {
    /// Global memory afterwards.
    pub memory: GlobalMemory,
    /// The mistakes.
    pub problems: Vec<Problem>,
    /// What is no mistake in itself: stores of the same value that nothing orders.
    pub notes: Vec<Problem>,
    /// What the kernel printed.
    pub output: Vec<u8>,
    /// The number of instructions, counted per thread.
    pub executed: u64,
    /// The instruction that ended the run, because the machine cannot execute it.
    pub unsupported: Option<UnsupportedAt>,
    /// What was traced.
    pub trace: Trace,
}

/// Runs a kernel to its end, or until it can make no progress, on up to so many cores. The result is the same with any number of them.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn run(
    program: &MachineProgram,
    launch: &Launch,
    memory: GlobalMemory,
    cores: NonZeroUsize,
) -> Result<RunResult, LaunchError> {
    run_and_keep(program, launch, memory, cores).map(|(result, _)| result)
}

/// Runs a kernel as [`run`] does, and returns what it has used, too.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn run_and_keep(
    program: &MachineProgram,
    launch: &Launch,
    memory: GlobalMemory,
    cores: NonZeroUsize,
) -> Result<(RunResult, RunRemains), LaunchError> {
    check(program, launch)?;
    let mut remains = RunRemains::default();
    let mut machine = attempts::run_to_end((program, launch), memory, cores, &mut remains);
    let unused = Races::of_launch(program, launch);
    remains.keep(std::mem::replace(&mut machine.races, unused));
    Ok((result_of(machine), remains))
}

/// Runs a kernel as [`run`] does, while an observer watches it.
///
/// # Errors
/// [`LaunchError`] if the dimensions are invalid.
pub fn observe<'p>(
    program: &'p MachineProgram,
    launch: &'p Launch,
    memory: GlobalMemory,
    observer: &'p mut dyn RunObserver,
) -> Result<RunResult, LaunchError> {
    check(program, launch)?;
    let mut machine = Machine::new(program, launch, memory);
    machine.observer = CurrentObserver(Some(observer));
    machine.run();
    Ok(result_of(machine))
}

/// What a run has led to that cannot go on.
pub fn result_of(mut machine: Machine<'_>) -> RunResult {
    debug_view::show_end(&mut machine);
    RunResult {
        memory: machine.memory,
        problems: machine.problems.into_list(),
        notes: machine.notes.into_list(),
        output: machine.output,
        executed: machine.executed,
        unsupported: machine.unsupported,
        trace: machine.trace,
    }
}

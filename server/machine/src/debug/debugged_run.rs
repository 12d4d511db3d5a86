//! A run that an observer watches and can pause, so that a debugger keeps copies of it to go back to.

use crate::launch::cta::Cta;
use crate::launch::launch_error::{LaunchError, check};
use crate::launch::residency::Residency;
use crate::launch::run::{self, RunResult};
use crate::launch::schedule::RunProgress;
use crate::memory::global::GlobalMemory;
use crate::memory::region::MemoryBytes;
use crate::state::{CurrentObserver, Machine, RunObserver};
use crate::threads::warp::Warp;
use ordering::Footprint;
use ordering::shadow::commutative_words;
use program::lanes::LaneValues;
use program::launch::kernel_launch::Launch;
use program::machine_program::MachineProgram;

/// A run between the turns of two warps. A copy of it goes on as the run itself does.
#[derive(Clone, Debug)]
pub struct ObservedRun<'p> {
    machine: Box<Machine<'p>>,
}

/// What an observed run has led to.
#[derive(Debug)]
pub enum RunOutcome<'p> {
    /// The observer has paused it.
    Paused(ObservedRun<'p>),
    /// It has ended, or the observer has ended it.
    Ended(Box<RunResult>),
}

impl<'p> ObservedRun<'p> {
    /// A run before its first instruction.
    ///
    /// # Errors
    /// [`LaunchError`] if the dimensions are invalid.
    pub fn new(program: &'p MachineProgram, launch: &'p Launch, memory: GlobalMemory) -> Result<Self, LaunchError> {
        check(program, launch)?;
        let mut machine = Machine::new(program, launch, memory);
        // Who steps through clusters that update the same words wants to see them all.
        if commutative_words::notes_commutative(&machine.races) {
            machine.queue.residency = Residency::All;
        }
        Ok(Self { machine: Box::new(machine) })
    }

    /// Runs until the observer pauses or ends the run, or nothing can make progress.
    pub fn advance(self, observer: &mut dyn RunObserver) -> RunOutcome<'p> {
        let (program, launch) = (self.machine.program, self.machine.launch);
        let mut machine = with_observer(*self.machine, (program, launch), CurrentObserver(Some(observer)));
        match machine.run() {
            RunProgress::Ended => RunOutcome::Ended(Box::new(run::result_of(machine))),
            RunProgress::Paused => {
                let machine = with_observer(machine, (program, launch), CurrentObserver(None));
                RunOutcome::Paused(Self { machine: Box::new(machine) })
            }
        }
    }

    /// The bytes of memory that it takes.
    pub fn footprint(&self) -> Footprint {
        let Machine { memory, ctas, warps, races, output, copies, .. } = &*self.machine;
        // With the bits for bytes that are defined.
        let region = |region: &MemoryBytes| region.len() + region.len() / 8;
        let global = memory.allocations().iter().map(|one| region(&one.region)).sum::<usize>();
        let shared = ctas.iter().map(|cta| size_of::<Cta>() + region(&cta.shared)).sum::<usize>();
        let registers = |warp: &Warp| warp.frames.iter().map(|frame| frame.registers.len()).sum::<usize>();
        let of_warp = |warp: &Warp| {
            let local = warp.local.iter().map(region).sum::<usize>();
            size_of::<Warp>() + local + registers(warp) * size_of::<LaneValues>()
        };
        let warps = warps.iter().flatten().map(|warp| of_warp(warp)).sum::<usize>();
        let pending = copies.iter().map(|copy| copy.length).sum::<usize>();
        races.footprint() + Footprint::unshared(global + shared + warps + output.len() + pending)
    }
}

/// The machine with another observer, which may live shorter or longer than the last one.
fn with_observer<'q>(
    machine: Machine<'_>,
    (program, launch): (&'q MachineProgram, &'q Launch),
    observer: CurrentObserver<'q>,
) -> Machine<'q> {
    let Machine {
        program: _,
        launch: _,
        observer: _,
        memory,
        parameter_memory,
        ctas,
        clusters,
        warps,
        copies,
        races,
        problems,
        notes,
        output,
        version,
        executed,
        choices,
        queue,
        unsupported,
        unknown,
        trace,
        round,
        stopped,
        explored,
        code,
        wait_cycles,
    } = machine;
    Machine {
        program,
        launch,
        observer,
        memory,
        parameter_memory,
        ctas,
        clusters,
        warps,
        copies,
        races,
        problems,
        notes,
        output,
        version,
        executed,
        choices,
        queue,
        unsupported,
        unknown,
        trace,
        round,
        stopped,
        explored,
        code,
        wait_cycles,
    }
}

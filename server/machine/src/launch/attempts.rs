//! Runs a launch with summaries of its accesses first, and with all records if those leave a doubt.

use crate::launch::remains::RunRemains;
use crate::launch::sufficiency::{all_wait_at_barriers, suffices};
use crate::memory::global::GlobalMemory;
use crate::state::Machine;
use ordering::summary::access_summaries::{AccessSummaries, Doubt, SummaryUse};
use ordering::summary::warp_accesses::RaceRecords;
use program::launch::kernel_launch::{Launch, UseRecording};
use program::machine_program::MachineProgram;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

/// The most runs with summaries: each but the first knows more of the reads of an allocation.
const ATTEMPTS: usize = 4;

/// Runs a launch to its end on up to so many cores. What other cores have used is kept.
pub fn run_to_end<'p>(
    (program, launch): (&'p MachineProgram, &'p Launch),
    mut memory: GlobalMemory,
    cores: NonZeroUsize,
    remains: &mut RunRemains,
) -> Machine<'p> {
    let kept = |memory, records| {
        let mut machine = Machine::new(program, launch, memory);
        machine.races.keep(records);
        machine
    };
    if !launch.checks.has_races() && launch.uses == UseRecording::Off {
        let records =
            if cores.get() > 1 { summaries(program, SummaryUse::Words, BTreeSet::new()) } else { RaceRecords::Nothing };
        return kept(memory, records).run_on(cores, remains);
    }
    let attempts = if suffices(program, launch, &memory) { ATTEMPTS } else { 0 };
    let mut detailed = BTreeSet::new();
    for _ in 0..attempts {
        memory.keep();
        let mut machine = kept(memory, summaries(program, SummaryUse::Races, detailed.clone())).run_on(cores, remains);
        let doubt = machine.races.doubt();
        if doubt.is_none() {
            machine.memory.forget();
            return machine;
        }
        memory = machine.memory;
        memory.restore();
        *remains = RunRemains::default();
        match doubt {
            Some(Doubt::Reads(allocation)) if detailed.insert(allocation) => {}
            _ => break,
        }
    }
    kept(memory, RaceRecords::All).run_on(cores, remains)
}

fn summaries(program: &MachineProgram, usage: SummaryUse, detailed: BTreeSet<usize>) -> RaceRecords {
    RaceRecords::Summaries(Box::new(AccessSummaries::new(usage, all_wait_at_barriers(program), detailed)))
}

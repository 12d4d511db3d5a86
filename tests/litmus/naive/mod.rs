//! A second implementation of the memory model, as literal as possible: guess the value of every read, its write, every order of writes and every
//! order of fences, and check each axiom as it is written. Slow, but easy to verify.
//!
//! A [`Mutant`] changes one relation or drops one axiom, to check that the litmus tests detect it.

mod axioms;
mod check;
mod endless;
mod event;
mod grid;
mod loops;
mod mutant;
mod relations;
mod trace;

use check::check;
use event::{Event, What};
use memory_model::{Bits, ModelAddress, ModelInstruction, Observable, Program, Update};
use std::collections::{BTreeMap, BTreeSet};
use trace::{Trace, Values, run};

pub use endless::may_wait_forever;
pub use mutant::{MUTANTS, Mutant, TERMINATION_MUTANTS};

/// The outcomes of a program; `None` if it is too large for this way of finding them.
pub fn outcomes(program: &Program, observed: &[Observable], mutant: Mutant) -> Option<BTreeSet<Vec<Bits>>> {
    let mut traces = traces(program, mutant)?;
    traces.iter_mut().for_each(|traces| traces.retain(|trace| trace.wait.is_none()));
    combine(program, &traces, observed, mutant)
}

/// The traces of each thread, for every choice of the values that it reads.
fn traces(program: &Program, mutant: Mutant) -> Option<Vec<Vec<Trace>>> {
    let mut values: Values = vec![BTreeSet::new(); program.locations.len()];
    for (at, location) in program.locations.iter().enumerate().filter(|(_, location)| location.has_initial_value()) {
        values[at].insert(location.init);
    }
    let mut traces: Vec<Vec<Trace>>;
    let mut operations = MbarrierValues::default();
    // Which threads make up a quorum is not guessed here.
    let quorum =
        |instruction: &ModelInstruction| matches!(instruction, ModelInstruction::Barrier { quorum: Some(_), .. });
    if program.threads.iter().any(|thread| thread.code.iter().any(quorum)) {
        return None;
    }
    // The values that can be read are those that can be written; a chain of values visits no instruction twice.
    let most = program.threads.iter().map(|thread| thread.code.len()).sum::<usize>() + 1;
    for round in 0.. {
        traces = Vec::new();
        for thread in 0..program.threads.len() {
            let mut found = Vec::new();
            run(program, thread, &values, mutant, &mut Vec::new(), &mut found)?;
            if program.threads[thread].issuer.is_some() {
                found.push(Trace::not_issued(program, thread));
            }
            traces.push(found);
        }
        let before = values.clone();
        for trace in traces.iter().flatten() {
            for event in trace.events.iter().filter(|event| event.what == What::Write) {
                let updates = operations.updates_of(event, trace);
                if updates <= operations.of(program, event.memory) {
                    operations.reached.entry((event.memory, event.value)).or_insert(updates);
                    values[event.memory].insert(event.value);
                }
            }
        }
        if values.iter().any(|values| values.len() > 12) {
            return None;
        }
        if values == before || round > most {
            return Some(traces);
        }
    }
    None
}

/// How many operations on mbarriers lead to a value. No operation happens twice, so that few values of the counts can be read.
#[derive(Default)]
struct MbarrierValues {
    reached: BTreeMap<(usize, Bits), usize>,
}

impl MbarrierValues {
    /// How many operations lead to the value that an event writes.
    fn updates_of(&self, event: &Event, trace: &Trace) -> usize {
        let read = event.half.map(|half| (event.memory, trace.events[half].value));
        read.map_or(0, |read| self.reached.get(&read).copied().unwrap_or_default() + 1)
    }

    /// How many operations there are on an mbarrier; no limit for other memory.
    fn of(&self, program: &Program, memory: usize) -> usize {
        let operates = |instruction: &&ModelInstruction| match instruction {
            ModelInstruction::Update { at: ModelAddress::Location(at), update: Update::Mbarrier, .. } => {
                program.physical(*at) == memory
            }
            _ => false,
        };
        match program.threads.iter().flat_map(|thread| &thread.code).filter(operates).count() {
            0 => usize::MAX,
            count => count,
        }
    }
}

fn combine(
    program: &Program,
    traces: &[Vec<Trace>],
    observed: &[Observable],
    mutant: Mutant,
) -> Option<BTreeSet<Vec<Bits>>> {
    let mut found = BTreeSet::new();
    each_choice(traces, &mut |chosen| check(program, chosen, observed, mutant, &mut found))?;
    Some(found)
}

/// Calls back with each choice of one trace per thread, until one gives up; `None` then, or if there are too many.
fn each_choice(traces: &[Vec<Trace>], visit: &mut dyn FnMut(&[&Trace]) -> Option<()>) -> Option<()> {
    let count: usize = traces.iter().map(Vec::len).product();
    if count > 300_000 {
        return None;
    }
    for number in 0..count {
        let mut rest = number;
        let mut chosen = Vec::new();
        for choices in traces {
            chosen.push(&choices[rest % choices.len()]);
            rest /= choices.len();
        }
        visit(&chosen)?;
    }
    Some(())
}

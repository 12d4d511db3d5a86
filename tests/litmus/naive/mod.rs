//! A second implementation of the memory model, as literal as possible: guess the value of every read, its write, every order of writes and every
//! order of fences, and check each axiom as it is written. Slow, but easy to verify.
//!
//! A [`Mutant`] changes one relation or drops one axiom, to check that the litmus tests detect it.

mod axioms;
mod check;
mod grid;
mod mutant;
mod relations;
mod trace;

use check::check;
use memory_model::{Bits, ModelInstruction, Observable, Program};
use std::collections::BTreeSet;
use trace::{Trace, What, run};

pub use mutant::{MUTANTS, Mutant};

/// The outcomes of a program; `None` if it is too large for this way of finding them.
pub fn outcomes(program: &Program, observed: &[Observable], mutant: Mutant) -> Option<BTreeSet<Vec<Bits>>> {
    let mut values: BTreeSet<Bits> = program.locations.iter().map(|location| location.init).collect();
    let mut traces: Vec<Vec<Trace>>;
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
        let written = traces.iter().flatten().flat_map(|trace| &trace.events);
        let more: BTreeSet<Bits> = written.filter(|event| event.what == What::Write).map(|event| event.value).collect();
        let before = values.len();
        values.extend(more);
        if values.len() > 12 {
            return None;
        }
        if values.len() == before || round > most {
            return combine(program, &traces, observed, mutant);
        }
    }
    None
}

fn combine(
    program: &Program,
    traces: &[Vec<Trace>],
    observed: &[Observable],
    mutant: Mutant,
) -> Option<BTreeSet<Vec<Bits>>> {
    let mut found = BTreeSet::new();
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
        check(program, &chosen, observed, mutant, &mut found)?;
    }
    Some(found)
}

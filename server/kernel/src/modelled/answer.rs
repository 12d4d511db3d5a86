//! What the axioms say about a small launch: whether an execution has a problem.

use crate::modelled::launch::ModelledLaunch;
use crate::modelled::shown::{shown_claim, shown_race, shown_trap};
use explorer::{FoundProblem, VerifyRequest};
use memory_model::{
    Budget, Execution, Fairness, ModelInstruction, Observable, Outcomes, RaceSearch, Scope, Sem, Termination,
    UndefinedExecution, data_race, explore_cancellable, termination,
};
use std::collections::BTreeSet;

/// How long the answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelEffort {
    /// A second, as nothing else decides.
    Decision,
    /// Less than the search that has found nothing: this one may find what that one has missed.
    SecondOpinion,
}

impl ModelEffort {
    /// The limits of each search.
    const fn budget(self) -> Budget {
        let steps = match self {
            Self::Decision => 200_000,
            Self::SecondOpinion => 4_000,
        };
        Budget { steps, loop_iterations: 6, outcomes: 20_000 }
    }
}

/// What the axioms say about all executions of a launch.
#[derive(Debug)]
pub enum ModelAnswer {
    /// Some have problems: one for each claim that does not hold, each trap, or a data race.
    Problems(Vec<FoundProblem>),
    /// None has a problem, and each ends.
    NoProblem,
    /// The launch is no program of the model, or has too many executions.
    Unknown,
}

/// What the axioms say about a launch.
pub fn ask_model(asked: &VerifyRequest, effort: ModelEffort) -> ModelAnswer {
    let VerifyRequest { program, launch, memory, cancelled, .. } = *asked;
    let budget = effort.budget();
    let Some(modelled) = ModelledLaunch::new(program, launch, memory) else { return ModelAnswer::Unknown };
    let observed: Vec<Observable> = (0..modelled.program.locations.len()).map(Observable::Location).collect();
    let found = explore_cancellable(&modelled.program, &observed, budget, cancelled);
    if !found.not_modelled.is_empty() {
        return ModelAnswer::Unknown;
    }
    let problems = problems(&modelled, &found, asked);
    if !problems.is_empty() {
        return ModelAnswer::Problems(problems);
    }
    if !found.complete || modelled.may_lack_writes {
        return ModelAnswer::Unknown;
    }
    let races = match has_only_strong_accesses(&modelled) {
        true => RaceSearch::None,
        false => data_race(&modelled.program, budget, cancelled),
    };
    match races {
        RaceSearch::Found(UndefinedExecution::Race(race)) => {
            return ModelAnswer::Problems(vec![shown_race(&modelled, memory, &race)]);
        }
        RaceSearch::Found(UndefinedExecution::UndefinedRead) | RaceSearch::Unknown | RaceSearch::NotModelled(_) => {
            return ModelAnswer::Unknown;
        }
        RaceSearch::None => {}
    }
    match termination(&modelled.program, Fairness::EveryWrite, budget) {
        Termination::Ends => ModelAnswer::NoProblem,
        _ => ModelAnswer::Unknown,
    }
}

/// Each claim that an outcome does not satisfy, and each trap, once.
fn problems(modelled: &ModelledLaunch, found: &Outcomes, asked: &VerifyRequest) -> Vec<FoundProblem> {
    let VerifyRequest { memory, claims, .. } = *asked;
    let (mut seen, mut trapped, mut problems) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let words = modelled.words.len();
    // What a thread reads of memory that nothing has written is not known.
    let is_undefined = |execution: &Execution, write: usize| execution.events[write].is_undefined(&modelled.program);
    let witness = |at: usize| {
        let execution = found.witness(at)?;
        let is_defined = !execution.reads_from.edges().any(|(write, _)| is_undefined(&execution, write));
        is_defined.then_some(execution)
    };
    for (at, outcome) in found.all().enumerate() {
        let executed = modelled.traps.iter().zip(&outcome[words..]).filter(|(_, value)| **value != 0);
        let mut has_trapped = false;
        for ((thread, trap), _) in executed {
            has_trapped = true;
            if trapped.insert(trap.place)
                && let Some(execution) = witness(at)
            {
                problems.push(shown_trap(modelled, &execution, (*thread, trap.place)));
            }
        }
        if has_trapped {
            continue;
        }
        for claim in claims(&modelled.memory(memory, &outcome[..words])) {
            if !seen.contains(&claim)
                && let Some(execution) = witness(at)
            {
                problems.push(shown_claim(modelled, &execution, claim.clone()));
                seen.insert(claim);
            }
        }
    }
    problems
}

/// Whether no execution is undefined: all accesses are strong in the scope of the device, or wider, and all memory is written before.
fn has_only_strong_accesses(modelled: &ModelledLaunch) -> bool {
    if modelled.program.locations.iter().any(|location| location.is_undefined) {
        return false;
    }
    let accesses = modelled.program.threads.iter().flat_map(|thread| &thread.code).filter_map(ModelInstruction::access);
    accesses.into_iter().all(|access| access.order != Sem::Weak && access.scope >= Scope::Gpu)
}

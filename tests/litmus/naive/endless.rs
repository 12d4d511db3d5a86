//! Executions that do not end, by guessing: each thread ends, repeats a loop iteration, or is at a barrier; and what a repeated iteration
//! reads must be last.

use super::check::{each_execution, last_values};
use super::event::{Event, What};
use super::grid::Grid;
use super::loops::Wait;
use super::mutant::Mutant;
use super::relations::FixedRelations;
use super::trace::Trace;
use super::{each_choice, traces};
use memory_model::{AwaitedOperation, Fairness, Program};

/// Whether a program has a fair execution that does not end; `None` if it is too large for this way of finding it.
pub fn may_wait_forever(program: &Program, fairness: Fairness, mutant: Mutant) -> Option<bool> {
    let mut traces = traces(program, mutant)?;
    if mutant != Mutant::BarriersEnd {
        traces.iter_mut().for_each(|traces| *traces = with_blocked(program, traces));
    }
    let mut found = false;
    each_choice(&traces, &mut |chosen| {
        if found || chosen.iter().all(|trace| trace.wait.is_none()) || !awaits_what_ends(program, chosen) {
            return Some(());
        }
        let repeated = Repeated::new(program, chosen);
        each_execution(program, chosen, mutant, &mut |fixed, memories, rf, sc| {
            let repeats = |(a, b): &(usize, usize)| {
                let [a, b] = [a, b].map(|read| repeated.source(fixed, rf, *read));
                a.is_some() && a == b
            };
            if mutant != Mutant::OtherWritesRepeat && !repeated.reads(fixed).all(|pair| repeats(&pair)) {
                return;
            }
            let accept = |memory: usize, co: &Grid| {
                let mut here = repeated.reads(fixed).filter(|(_, read)| fixed.events[*read].memory == memory);
                mutant == Mutant::Unfair
                    || here.all(|(_, read)| repeated.is_last(fixed, rf, co, read, fairness, mutant))
            };
            found |= last_values(program, fixed, memories, (rf, sc), &accept, mutant).is_some();
        })
    })?;
    Some(found)
}

/// Whether every wait for the threads of an earlier kernel ends if, and only if, all of these end.
fn awaits_what_ends(program: &Program, traces: &[&Trace]) -> bool {
    traces.iter().flat_map(|trace| &trace.events).filter(|event| awaits_threads(program, event)).all(|event| {
        let endless = |awaited: &AwaitedOperation| traces[awaited.thread].wait.is_some();
        event.awaits.iter().any(endless) == event.blocked
    })
}

/// Whether an event is the end of a wait for threads that are no operations.
fn awaits_threads(program: &Program, event: &Event) -> bool {
    event.awaits.iter().any(|awaited| program.threads[awaited.thread].issuer.is_none())
}

/// The traces, and those that stop at each barrier or wait for an earlier kernel.
fn with_blocked(program: &Program, traces: &[Trace]) -> Vec<Trace> {
    let mut all = traces.to_vec();
    for trace in traces {
        let waits = |at: &usize| trace.events[*at].what == What::Wait || awaits_threads(program, &trace.events[*at]);
        for at in (0..trace.events.len()).filter(waits) {
            let mut blocked = trace.clone();
            blocked.events.truncate(at + 1);
            blocked.events[at].blocked = true;
            blocked.wait = Some(Wait::Event);
            all.push(blocked);
        }
    }
    all
}

/// The events of repeated iterations.
struct Repeated {
    /// Events at the same place in two equal iterations.
    pairs: Vec<(usize, usize)>,
}

impl Repeated {
    fn new(program: &Program, traces: &[&Trace]) -> Self {
        let mut start = program.locations.iter().filter(|location| location.has_initial_value()).count();
        let mut pairs = Vec::new();
        for trace in traces {
            if let Some(Wait::Loop(first, second)) = trace.wait {
                pairs.extend((second..trace.events.len()).map(|at| (start + at - second + first, start + at)));
            }
            start += trace.events.len();
        }
        Repeated { pairs }
    }

    fn reads<'f>(&'f self, fixed: &'f FixedRelations) -> impl Iterator<Item = (usize, usize)> + 'f {
        self.pairs.iter().copied().filter(|(_, at)| fixed.events[*at].what == What::Read)
    }

    fn is_repeated_write(&self, fixed: &FixedRelations, at: usize) -> bool {
        fixed.events[at].what == What::Write && self.pairs.iter().any(|(a, b)| *a == at || *b == at)
    }

    /// The write that a read reads, through repeated writes; `None` if these read each other.
    fn source(&self, fixed: &FixedRelations, rf: &Grid, mut read: usize) -> Option<usize> {
        for _ in 0..rf.len() {
            let write = (0..rf.len()).find(|write| rf[*write][read])?;
            if !self.is_repeated_write(fixed, write) {
                return Some(write);
            }
            read = fixed.events[write].half?;
        }
        None
    }

    /// Whether no write that a read sees in the end is after what it reads.
    fn is_last(
        &self,
        fixed: &FixedRelations,
        rf: &Grid,
        co: &Grid,
        read: usize,
        fairness: Fairness,
        mutant: Mutant,
    ) -> bool {
        let every = fairness == Fairness::EveryWrite || mutant == Mutant::WeakReadsAreFair;
        let later = |write: &usize| (0..rf.len()).any(|from| rf[from][read] && co[from][*write]);
        (0..rf.len())
            .filter(later)
            .all(|write| self.is_repeated_write(fixed, write) || !(every || fixed.atomic[read][write]))
    }
}

//! Executions of the memory model, shown as those of a launch.

use crate::modelled::launch::ModelledLaunch;
use explorer::{FoundProblem, StepEffect, VerifiedStep};
use machine::{GlobalMemory, TracedAccess};
use memory_model::{DataRace, Event, EventKind, Execution, ModelInstruction, Relation};
use ordering::{
    EventAccess, EventAction, EventPerformer, EventRelation, ExecutionEdge, ExecutionEvent, ExecutionRecord,
};
use program::{CodePlace, EarlierAgent, MachineAccessKind, Problem, ProblemKind, RaceCause, ThreadId};
use std::collections::BTreeSet;

/// An execution after which a claim does not hold.
pub fn shown_claim(modelled: &ModelledLaunch, execution: &Execution, claim: String) -> FoundProblem {
    let shown = ShownEvents::of(modelled, execution);
    FoundProblem { problem: None, claim: Some(claim), steps: shown.steps(), execution: shown.record() }
}

/// An execution in which a thread comes to a trap.
pub fn shown_trap(
    modelled: &ModelledLaunch,
    execution: &Execution,
    (thread, place): (ThreadId, CodePlace),
) -> FoundProblem {
    let shown = ShownEvents::of(modelled, execution);
    let problem = Problem { kind: ProblemKind::Trap, thread, place, related: Vec::new(), count: 1 };
    FoundProblem { problem: Some(problem), claim: None, steps: shown.steps(), execution: shown.record() }
}

/// An execution with a data race.
pub fn shown_race(modelled: &ModelledLaunch, memory: &GlobalMemory, race: &DataRace) -> FoundProblem {
    let DataRace { execution, accesses } = race;
    let shown = ShownEvents::of(modelled, execution);
    let by = |at: usize| {
        let event = &execution.events[at];
        (modelled.threads[event.thread.unwrap_or_default()], shown.place(event))
    };
    // The later one of the list is the one that the problem is of.
    let position = |at: usize| shown.events.iter().position(|group| group.contains(&at));
    let [mut other, mut own] = *accesses;
    if position(other) > position(own) {
        std::mem::swap(&mut other, &mut own);
    }
    let word = execution.events[own].location.and_then(|at| modelled.words.get(at));
    let address = word.map_or(0, |word| word.shown_address(modelled.addresses).1);
    let kind = ProblemKind::DataRace {
        address,
        memory: memory.nearest_memory(address),
        access: shown.kind(own),
        other: shown.kind(other),
        by: EarlierAgent::AnotherThread,
        cause: RaceCause::NotOrdered,
    };
    let (thread, place) = by(own);
    let problem = Problem { kind, thread, place, related: vec![by(other)], count: 1 };
    FoundProblem { problem: Some(problem), claim: None, steps: shown.steps(), execution: shown.record() }
}

/// The events of an execution as they are shown: the halves of an atomic are one.
struct ShownEvents<'e> {
    modelled: &'e ModelledLaunch,
    execution: &'e Execution,
    /// The events of each that is shown, in an order in which threads read what is before, as far as there is one.
    events: Vec<Vec<usize>>,
}

impl<'e> ShownEvents<'e> {
    fn of(modelled: &'e ModelledLaunch, execution: &'e Execution) -> Self {
        let mut shown = Self { modelled, execution, events: Vec::new() };
        let mut threads: Vec<Vec<Vec<usize>>> = (0..modelled.threads.len()).map(|thread| shown.own(thread)).collect();
        threads.iter_mut().for_each(|thread| thread.reverse());
        let mut done: BTreeSet<usize> =
            (0..execution.events.len()).filter(|at| execution.events[*at].thread.is_none()).collect();
        loop {
            let is_ready = |thread: &Vec<Vec<usize>>| {
                let Some(next) = thread.last() else { return false };
                next.iter()
                    .all(|at| shown.before(*at).iter().all(|source| next.contains(source) || done.contains(source)))
            };
            let begun =
                threads.iter().position(is_ready).or_else(|| threads.iter().position(|thread| !thread.is_empty()));
            let Some(next) = begun.and_then(|thread| threads[thread].pop()) else { break };
            done.extend(&next);
            shown.events.push(next);
        }
        shown
    }

    /// What a thread does, event by event.
    fn own(&self, thread: usize) -> Vec<Vec<usize>> {
        let events = &self.execution.events;
        let mut own: Vec<Vec<usize>> = Vec::new();
        for at in (0..events.len()).filter(|at| events[*at].thread == Some(thread)) {
            let event = &events[at];
            let is_trap = event.location.is_some_and(|location| location >= self.modelled.words.len());
            let is_second = |last: &Vec<usize>| {
                last.iter().any(|first| {
                    event.partner == Some(*first)
                        || event.kind == EventKind::Wait
                            && events[*first].kind == EventKind::Arrive
                            && events[*first].same_instruction(event)
                })
            };
            match own.last_mut() {
                _ if is_trap => {}
                Some(last) if is_second(last) => last.push(at),
                _ => own.push(vec![at]),
            }
        }
        own
    }

    /// The events of other threads that explain one: the write that it reads, and arrivals at the barrier that it has waited for.
    fn before(&self, at: usize) -> Vec<usize> {
        let execution = self.execution;
        let synchronized = execution.barrier_synchronization.predecessors(at).into_iter();
        execution.write_read_by(at).into_iter().chain(synchronized).collect()
    }

    fn place(&self, event: &Event) -> CodePlace {
        self.modelled.places[event.thread.unwrap_or_default()][event.instruction]
    }

    fn is_atomic(&self, event: &Event) -> bool {
        let thread = event.thread.unwrap_or_default();
        let instruction = self.modelled.program.instruction((thread, event.instruction));
        matches!(instruction, Some(ModelInstruction::Update { .. }))
    }

    fn kind(&self, at: usize) -> MachineAccessKind {
        let event = &self.execution.events[at];
        match event.kind {
            _ if self.is_atomic(event) => MachineAccessKind::Atomic,
            EventKind::Write => MachineAccessKind::Write,
            _ => MachineAccessKind::Read,
        }
    }

    /// The values that an event reads or writes.
    fn values(&self, group: &[usize], kind: EventKind) -> Vec<u128> {
        let of_kind = group.iter().filter(|at| self.execution.events[**at].kind == kind);
        of_kind.filter_map(|at| self.execution.values[*at]).collect()
    }

    fn access(&self, group: &[usize]) -> Option<EventAccess> {
        let first = *group.first()?;
        let location = self.execution.events[first].location?;
        let word = self.modelled.words.get(location)?;
        let (space, address) = word.shown_address(self.modelled.addresses);
        let is_elsewhere = |other: &Event| {
            other.thread.is_some()
                && other.thread != self.execution.events[first].thread
                && other.location == Some(location)
        };
        Some(EventAccess {
            kind: self.kind(first),
            space,
            address,
            element: word.bytes,
            read: self.values(group, EventKind::Read),
            written: self.values(group, EventKind::Write),
            is_shared: self.execution.events.iter().any(is_elsewhere),
        })
    }

    fn steps(&self) -> Vec<VerifiedStep> {
        let step = |group: &Vec<usize>| {
            let event = &self.execution.events[group[0]];
            let effect = self.access(group).map(|access| {
                let bytes = access.written.last().or(access.read.last()).copied().unwrap_or_default().to_le_bytes();
                let bytes = bytes[..access.element as usize].to_vec();
                let traced = TracedAccess { kind: access.kind, space: access.space, address: access.address, bytes };
                StepEffect { accesses: vec![traced], results: access.read.iter().map(|value| *value as u64).collect() }
            });
            VerifiedStep {
                thread: self.modelled.threads[event.thread.unwrap_or_default()],
                place: self.place(event),
                effect: effect.unwrap_or_default(),
            }
        };
        self.events.iter().map(step).collect()
    }

    fn record(&self) -> ExecutionRecord {
        let event = |group: &Vec<usize>| {
            let first = &self.execution.events[group[0]];
            let action = match (first.kind, self.access(group)) {
                (_, Some(access)) => EventAction::Access(access),
                (EventKind::Arrive | EventKind::Wait, None) => EventAction::Barrier,
                _ => EventAction::Fence,
            };
            let thread = self.modelled.threads[first.thread.unwrap_or_default()];
            ExecutionEvent { thread, performer: EventPerformer::Thread, place: self.place(first), action }
        };
        ExecutionRecord { events: self.events.iter().map(event).collect(), edges: self.edges(), forgotten: 0 }
    }

    fn edges(&self) -> Vec<ExecutionEdge> {
        let execution = self.execution;
        let position = |at: usize| self.events.iter().position(|group| group.contains(&at));
        let next = |relation: &Relation, a: usize, b: usize| {
            !relation.successors(a).into_iter().any(|between| relation.contains(between, b))
        };
        let coherence = &execution.coherence_order;
        let direct_coherence = coherence.filter(|a, b| next(coherence, a, b));
        // To the first write after the one that is read.
        let direct_from_reads = execution.from_reads.filter(|read, write| {
            execution.write_read_by(read).is_some_and(|from| direct_coherence.contains(from, write))
        });
        let relations = [
            (&execution.reads_from, EventRelation::ReadsFrom),
            (&direct_coherence, EventRelation::Coherence),
            (&direct_from_reads, EventRelation::FromReads),
            (&execution.synchronizes_with, EventRelation::Synchronizes),
        ];
        let mut edges = BTreeSet::new();
        for (relation, name) in relations {
            for (from, to) in relation.edges() {
                if let (Some(from), Some(to)) = (position(from), position(to))
                    && from != to
                {
                    edges.insert(ExecutionEdge { from, to, relation: name });
                }
            }
        }
        edges.into_iter().collect()
    }
}

//! Executions that do not end: threads that repeat a loop iteration which changes nothing, or that wait for what never comes.

use crate::code::instruction::{AwaitedPart, BarrierMode, ModelInstruction};
use crate::relations::event::EventKind;
use crate::relations::event_set::EventSet;
use crate::relations::execution::Execution;
use crate::runs::run::{ProgramRun, RunKind};
use crate::runs::step::BarrierOperands;
use crate::search::endless_wait::EndlessWait;

/// An execution that does not end. Its threads have stopped where each further step repeats one that was made.
#[derive(Clone, Debug)]
pub struct EndlessExecution {
    /// The execution up to there.
    pub execution: Execution,
    /// The threads that wait without end, and how.
    pub waits: Vec<(usize, EndlessWait)>,
}

impl EndlessExecution {
    /// The events of the repeated iteration of a thread: of its first and its second time.
    pub fn iterations(&self, thread: usize, first: usize, second: usize) -> [Vec<usize>; 2] {
        let own = |at: &usize| self.execution.events[*at].thread == Some(thread);
        [(first..second).filter(own).collect(), (second..self.execution.events.len()).filter(own).collect()]
    }
}

impl ProgramRun<'_> {
    /// Whether a thread can wait without end for an instruction: at a barrier, or for the threads of an earlier kernel.
    pub fn may_wait_forever(&self, thread: usize, instruction: &ModelInstruction) -> bool {
        let waits = match instruction {
            ModelInstruction::Barrier { mode, .. } => *mode != BarrierMode::Arrive,
            ModelInstruction::Await { operations } => {
                operations.iter().any(|awaited| self.program.threads[awaited.thread].issuer.is_none())
            }
            _ => false,
        };
        waits && self.threads[thread].repeats.is_none()
    }

    /// The run in which a thread waits without end for its current instruction.
    pub fn waiting(&self, thread: usize) -> Self {
        let mut waiting = self.clone();
        match self.program.instruction((thread, self.threads[thread].program_counter)) {
            Some(&ModelInstruction::Barrier { id, quorum, mode, orders, .. }) => {
                waiting.barrier(thread, BarrierOperands { id, quorum, mode, orders });
            }
            _ => waiting.await_operations(thread),
        }
        waiting.threads[thread].endless_wait = Some(EndlessWait::At { event: waiting.events.len() - 1 });
        waiting
    }

    /// Whether some thread waits without end.
    pub fn is_endless(&self) -> bool {
        self.kind == RunKind::Endless && self.threads.iter().any(|thread| thread.endless_wait.is_some())
    }

    /// Whether every wait for the threads of an earlier kernel ends if, and only if, all of these end.
    pub fn awaits_what_ends(&self) -> bool {
        let ends = |at: usize| match self.program.instruction((self.events[at].thread?, self.events[at].instruction)) {
            Some(ModelInstruction::Await { operations }) => {
                let awaited = |part: AwaitedPart, thread: usize| {
                    part == AwaitedPart::All && self.threads[thread].endless_wait.is_some()
                };
                Some(!operations.iter().any(|operation| awaited(operation.part, operation.thread)))
            }
            _ => None,
        };
        (0..self.events.len()).filter(|at| self.events[*at].kind == EventKind::Await).all(|at| {
            let waits = self.events[at].thread.is_some_and(|thread| self.threads[thread].waits_forever_at(at));
            ends(at).is_none_or(|ends| ends != waits)
        })
    }

    /// The repeated iterations of all threads: pairs of the reads at the same place in the first and the second iteration, and the
    /// writes, which all write what they read. `None` if two iterations are not equal.
    pub fn repetitions(&self) -> Option<Repetitions> {
        let mut all = Repetitions::default();
        for (thread, state) in self.threads.iter().enumerate() {
            let Some(EndlessWait::Loop { first, second }) = state.endless_wait else { continue };
            let own = |at: &usize| self.events[*at].thread == Some(thread);
            let before: Vec<usize> = (first..second).filter(own).collect();
            let after: Vec<usize> = (second..self.events.len()).filter(own).collect();
            let same = |(a, b): (&usize, &usize)| {
                let (a, b) = (&self.events[*a], &self.events[*b]);
                (a.instruction, a.kind, a.location) == (b.instruction, b.kind, b.location)
            };
            if before.len() != after.len() || !before.iter().zip(&after).all(same) {
                return None;
            }
            for (a, b) in before.into_iter().zip(after) {
                match self.events[b].kind {
                    EventKind::Read => all.reads.push((a, b)),
                    EventKind::Write => all.writes |= EventSet::of(a) | EventSet::of(b),
                    _ => {}
                }
            }
        }
        Some(all)
    }
}

/// The accesses of repeated iterations.
#[derive(Clone, Debug, Default)]
pub struct Repetitions {
    /// Reads at the same place in the first and the second iteration.
    pub reads: Vec<(usize, usize)>,
    /// The writes of both iterations, which change nothing.
    pub writes: EventSet,
}

impl EventSet {
    /// The write that a read reads, through the read-modify-writes whose writes are in this set. `None` if these read each other.
    pub(crate) fn source(
        self,
        read: usize,
        write_read_by: impl Fn(usize) -> Option<usize>,
        partner: impl Fn(usize) -> Option<usize>,
    ) -> Option<usize> {
        let mut write = write_read_by(read)?;
        for _ in 0..self.len() {
            if !self.contains(write) {
                break;
            }
            write = write_read_by(partner(write)?)?;
        }
        Some(write).filter(|write| !self.contains(*write))
    }
}

//! Loops: which iterations are followed, and which are repeated without end.

use crate::Bits;
use crate::relations::event::EventKind;
use crate::runs::run::{LoopIteration, ProgramRun, RunKind, Stop};
use crate::search::endless_wait::EndlessWait;

impl ProgramRun<'_> {
    /// Records a backward branch. An iteration without effects that changes no live register is redundant: a run without it has fewer
    /// reads, which removes orderings and adds none. In an endless run it is repeated twice: the second time stands for all that follow.
    pub fn jump_back(&mut self, thread: usize, target: usize, values: &[Option<Bits>]) -> Result<(), Stop> {
        let seen: Vec<usize> = (0..self.threads[thread].iterations_seen.len())
            .filter(|at| self.is_unchanged(thread, target, *at, values))
            .collect();
        let state = &mut self.threads[thread];
        state.loop_iterations += 1;
        match (self.kind, &seen[..]) {
            (_, []) if state.repeats.is_none() => {
                if state.loop_iterations > self.max_loop_iterations {
                    return Err(Stop::TooLong);
                }
            }
            (RunKind::Ending, _) => return Err(Stop::Redundant),
            (RunKind::Endless, [.., first, second]) => {
                let [first, second] = [first, second].map(|at| state.iterations_seen[*at].events);
                state.endless_wait = Some(EndlessWait::Loop { first, second });
                return Ok(());
            }
            (RunKind::Endless, _) => self.repeat(thread, seen.first().copied(), values)?,
        }
        let state = &mut self.threads[thread];
        let (registers, effects, events) = (state.registers.clone(), state.effects, self.events.len());
        state.iterations_seen.push(LoopIteration { target, registers, effects, events });
        Ok(())
    }

    /// Begins to repeat an iteration, or continues to. What has an effect, or takes longer, is no repetition: a shorter run has it.
    fn repeat(&mut self, thread: usize, seen: Option<usize>, values: &[Option<Bits>]) -> Result<(), Stop> {
        let repeats = self.threads[thread].repeats.or(seen);
        self.threads[thread].repeats = repeats;
        let from = repeats.map_or(0, |at| self.threads[thread].iterations_seen[at].events);
        let takes_longer = self.threads[thread].loop_iterations > 2 * self.max_loop_iterations + 1;
        if takes_longer || self.has_effect_since(thread, from, values) { Err(Stop::Redundant) } else { Ok(()) }
    }

    /// Whether a thread at the beginning of an iteration is where it was at an earlier one, with nothing done in between.
    fn is_unchanged(&self, thread: usize, target: usize, at: usize, values: &[Option<Bits>]) -> bool {
        let live = self.live[thread].get(target).copied().unwrap_or(u128::MAX);
        let state = &self.threads[thread];
        let before = &state.iterations_seen[at];
        let same_value = |old: usize, new: usize| {
            let known = self.value(old, values);
            self.kind == RunKind::Endless && known.is_some() && known == self.value(new, values)
        };
        let mut pairs = before.registers.iter().zip(&state.registers).enumerate();
        let is_dead = |register: usize| register < 128 && live >> register & 1 == 0;
        let without_effect = before.effects == state.effects
            || self.kind == RunKind::Endless && !self.has_effect_since(thread, before.events, values);
        before.target == target
            && without_effect
            && pairs.all(|(at, (old, new))| old == new || is_dead(at) || same_value(*old, *new))
    }

    /// Whether a thread did anything but read, from an event on. An atomic that writes the value that it reads changes nothing.
    fn has_effect_since(&self, thread: usize, from: usize, values: &[Option<Bits>]) -> bool {
        let writes_same = |read: usize, write: usize| {
            let [old, new] = [read, write].map(|at| self.value(self.events[at].value, values));
            old.is_some() && old == new
        };
        (from..self.events.len()).filter(|at| self.events[*at].thread == Some(thread)).any(|at| {
            let event = &self.events[at];
            match event.kind {
                EventKind::Write => !event.partner.is_some_and(|read| writes_same(read, at)),
                EventKind::Arrive | EventKind::Wait | EventKind::Issue | EventKind::Await => true,
                EventKind::Read
                | EventKind::Fence
                | EventKind::ProxyFence
                | EventKind::AliasFence
                | EventKind::IssueFence => false,
            }
        })
    }
}

//! Loops of a thread: which iterations are followed, and when a thread waits without end.

use super::event::{Dependent, Event, What};
use super::mutant::Mutant;
use memory_model::Bits;

/// How a thread waits without end.
#[derive(Clone, Copy, Debug)]
pub enum Wait {
    /// It repeats a loop iteration. The first events of two equal iterations.
    Loop(usize, usize),
    /// At a barrier, or for an earlier kernel: at the last event.
    Event,
}

/// What the beginning of a loop iteration is.
pub enum Iteration {
    /// A state that was not seen, or once.
    New,
    /// One that was seen twice, after different iterations.
    Redundant,
    /// One that was seen twice, after equal iterations.
    Repeated(Wait),
}

/// The states at the beginnings of loop iterations: the instruction, the registers, and the number of events.
#[derive(Default)]
pub struct Loops {
    seen: Vec<(usize, Vec<Bits>, usize)>,
}

impl Loops {
    /// Records the beginning of an iteration.
    pub fn jump_back(&mut self, at: usize, registers: &[Dependent], events: &[Event], mutant: Mutant) -> Iteration {
        let registers: Vec<Bits> = registers.iter().map(|(value, _)| *value).collect();
        let same = |(head, values, from): &&(usize, Vec<Bits>, usize)| {
            *head == at && *values == registers && !has_effect(events, *from, mutant)
        };
        let seen: Vec<usize> = self.seen.iter().filter(same).map(|(.., from)| *from).collect();
        self.seen.push((at, registers, events.len()));
        match seen[..] {
            [.., only] if mutant == Mutant::OneRepetition => Iteration::Repeated(Wait::Loop(only, only)),
            [.., first, second] if equal(&events[first..second], &events[second..]) => {
                Iteration::Repeated(Wait::Loop(first, second))
            }
            [_, _, ..] => Iteration::Redundant,
            _ => Iteration::New,
        }
    }
}

/// Whether something is done from an event on. An atomic that writes what it reads does nothing.
fn has_effect(events: &[Event], from: usize, mutant: Mutant) -> bool {
    let same = |write: &Event| {
        write.half.is_some_and(|read| events[read].value == write.value) && mutant != Mutant::SameValueIsEffect
    };
    events[from..].iter().any(|event| match event.what {
        What::Write => !same(event),
        What::Arrive | What::Wait | What::Issue | What::Await => true,
        What::Read | What::Fence | What::ProxyFence | What::AliasFence | What::IssueFence => false,
    })
}

fn equal(a: &[Event], b: &[Event]) -> bool {
    let same = |(a, b): (&Event, &Event)| (a.what, a.memory, a.value) == (b.what, b.memory, b.value);
    a.len() == b.len() && a.iter().zip(b).all(same)
}

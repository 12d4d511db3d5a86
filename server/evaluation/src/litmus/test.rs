//! A litmus test that was read.
//!
//! Must not know text beyond places in it.

use memory_model::{Bits, Condition, Observable, Program, Quantifier};
use std::ops::Range;

/// What is wrong with a test's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusError {
    /// Where.
    pub range: Range<usize>,
    /// What and why, one sentence without a full stop.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// A litmus test.
#[derive(Clone, Debug, Default)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// What runs.
    pub program: Program,
    /// What is claimed.
    pub claim: Option<Claim>,
    /// The only outcomes that count, where the test says so.
    pub filter: Option<Condition>,
    /// What outcomes tell, ordered by name.
    pub observed: Vec<(String, Observable)>,
    /// What is wrong; such a test means nothing.
    pub errors: Vec<LitmusError>,
    /// Where each thread's instructions stand: thread, instruction, place.
    pub places: Vec<(usize, usize, Range<usize>)>,
    /// The number of each thread, as in `P0`.
    pub numbers: Vec<u32>,
}

/// A claim about outcomes.
#[derive(Clone, Debug)]
pub struct Claim {
    /// How many of them.
    pub quantifier: Quantifier,
    /// What holds for them.
    pub condition: Condition,
    /// Where the quantifier stands.
    pub range: Range<usize>,
}

impl Test {
    /// An instruction as it stands in the text.
    pub fn place(&self, thread: usize, instruction: usize) -> Option<Range<usize>> {
        let is = |(t, i, _): &&(usize, usize, Range<usize>)| (*t, *i) == (thread, instruction);
        self.places.iter().find(is).map(|(_, _, range)| range.clone())
    }

    /// The observables alone.
    pub fn observables(&self) -> Vec<Observable> {
        self.observed.iter().map(|(_, observable)| *observable).collect()
    }

    /// What is observed, as conditions name it.
    pub fn name(&self, observable: &Observable) -> String {
        match observable {
            Observable::Register(thread, register) => {
                let thread = &self.program.threads[*thread];
                format!("{}:{}", thread.name, thread.registers[*register].name)
            }
            Observable::Location(location) => self.program.locations[*location].name.clone(),
        }
    }

    /// An outcome in one line.
    pub fn tell(&self, outcome: &[Bits]) -> String {
        let parts =
            self.observed.iter().zip(outcome).map(|((name, _), value)| format!("{name}={}", Test::show(*value)));
        parts.collect::<Vec<_>>().join(" ")
    }

    /// A value as litmus tests show it: a signed number of 64 bits.
    pub fn show(value: Bits) -> i64 {
        value as i64
    }
}

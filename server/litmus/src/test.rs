//! A parsed litmus test.

use memory_model::arithmetic::Compare;
use memory_model::{Bits, Condition, Observable, Program, Quantifier, Term};
use std::ops::Range;

/// An error in the text of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusError {
    /// The range of the error.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
    /// What to write instead, without a full stop.
    pub help: String,
}

/// A litmus test.
#[derive(Clone, Debug, Default)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: Program,
    /// The claim.
    pub claim: Option<Claim>,
    /// The claim about executions that do not end, in place of one about outcomes.
    pub endless: Option<Expected>,
    /// The `filter` condition: only outcomes that satisfy it count.
    pub filter: Option<Condition>,
    /// The observables, ordered by name.
    pub observed: Vec<(String, Observable)>,
    /// The errors; a test with errors is not run.
    pub errors: Vec<LitmusError>,
    /// The source range of each instruction: thread, index, range.
    pub places: Vec<(usize, usize, Range<usize>)>,
    /// The number of each thread, as in `P0`.
    pub numbers: Vec<u32>,
    /// The registers that get what loads see of an address that `tcgen05.alloc` writes.
    pub loaded_addresses: Vec<LoadedAddress>,
}

/// What a load sees of the address that `tcgen05.alloc` writes to a shared variable.
#[derive(Clone, Debug)]
pub struct LoadedAddress {
    /// The register.
    pub register: Observable,
    /// The variable.
    pub variable: String,
}

impl LoadedAddress {
    /// The value of the variable before the allocation.
    pub const NONE: Bits = u32::MAX as Bits;

    /// That the load can see the variable as it is before the allocation.
    pub fn message(&self) -> String {
        format!("`{}` can be loaded before `tcgen05.alloc` has written the address", self.variable)
    }

    /// The condition that the load sees the variable as it is before the allocation.
    pub fn is_too_early(&self) -> Condition {
        Condition::Compare(Compare::Eq, Term::Observable(self.register), Term::Constant(Self::NONE))
    }
}

/// The expectation of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// `forbid`: it must not be possible.
    Forbidden,
    /// `allow`: it must be possible.
    Allowed,
}

/// A claim about outcomes.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The quantifier.
    pub quantifier: Quantifier,
    /// The condition.
    pub condition: Condition,
    /// The range of the quantifier.
    pub range: Range<usize>,
}

impl Test {
    /// The source range of an instruction.
    pub fn place(&self, thread: usize, instruction: usize) -> Option<Range<usize>> {
        let is = |(t, i, _): &&(usize, usize, Range<usize>)| (*t, *i) == (thread, instruction);
        self.places.iter().find(is).map(|(_, _, range)| range.clone())
    }

    /// The observables without their names.
    pub fn observables(&self) -> Vec<Observable> {
        self.observed.iter().map(|(_, observable)| *observable).collect()
    }

    /// The name of an observable, as in conditions.
    pub fn name(&self, observable: &Observable) -> String {
        match observable {
            Observable::Register(thread, register) => {
                let thread = &self.program.threads[*thread];
                format!("{}:{}", thread.name, thread.registers[*register].name)
            }
            Observable::Location(location) => self.program.locations[*location].name.clone(),
        }
    }

    /// The indices of the observables that the test names: not those that loads of an address get.
    pub fn named(&self) -> impl Iterator<Item = usize> {
        let is_loaded = |one: &Observable| self.loaded_addresses.iter().any(|loaded| loaded.register == *one);
        self.observed.iter().enumerate().filter(move |(_, (_, one))| !is_loaded(one)).map(|(at, _)| at)
    }

    /// An outcome as one line of text.
    pub fn outcome_text(&self, outcome: &[Bits]) -> String {
        let parts = self.named().map(|at| format!("{}={}", self.observed[at].0, Test::signed(outcome[at])));
        parts.collect::<Vec<_>>().join(" ")
    }

    /// A value as litmus tests print it: a signed 64-bit integer.
    pub fn signed(value: Bits) -> i64 {
        value as i64
    }
}

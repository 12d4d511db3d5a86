//! Which registers of a function may still be read before they are written: states that differ in others only are the same.

use crate::call::Formals;
use crate::effects::{RegisterAccesses, successors};
use crate::machine_program::{MachineFunction, MachineInstruction};
use crate::problem::CodePlace;
use std::collections::HashMap;

/// A set of register slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSet(Vec<u64>);

impl RegisterSet {
    /// None of so many.
    pub fn empty(registers: u32) -> Self {
        Self(vec![0; registers.div_ceil(64) as usize])
    }

    /// Adds a register.
    pub fn insert(&mut self, register: u32) {
        self.0[register as usize / 64] |= 1 << (register % 64);
    }

    fn remove(&mut self, register: u32) {
        self.0[register as usize / 64] &= !(1 << (register % 64));
    }

    fn insert_all(&mut self) {
        self.0.fill(u64::MAX);
    }

    /// Adds the registers of another set; returns whether some were new.
    fn unite(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (own, new) in self.0.iter_mut().zip(&other.0) {
            changed |= *new & !*own != 0;
            *own |= new;
        }
        changed
    }

    /// The registers, in order.
    pub fn registers(&self) -> impl Iterator<Item = u32> {
        let words = (0_u32..).step_by(64).zip(&self.0).filter(|(_, word)| **word != 0);
        words.flat_map(|(first, word)| (0..64).filter(move |bit| *word >> bit & 1 == 1).map(move |bit| first + bit))
    }

    /// Whether a register is in the set.
    pub fn contains(&self, register: usize) -> bool {
        self.0[register / 64] >> (register % 64) & 1 == 1
    }
}

/// What is known about the registers that are still read, of functions for which that was asked.
#[derive(Clone, Debug, Default)]
pub struct KnownLiveness(HashMap<u32, Vec<RegisterSet>>);

impl KnownLiveness {
    /// Whether an instruction after a place may read a register.
    pub fn is_live_behind(&mut self, function: &MachineFunction, place: CodePlace, register: u32) -> bool {
        let live = self.0.entry(place.function).or_insert_with(|| live_registers(function));
        let mut found = false;
        successors(&function.code[place.instruction as usize], place.instruction as usize, |next| {
            found |= live.get(next).is_some_and(|live| live.contains(register as usize));
        });
        found
    }
}

/// The registers that may be read at or after each instruction of a function.
pub fn live_registers(function: &MachineFunction) -> Vec<RegisterSet> {
    let code = &function.code;
    let mut live = vec![RegisterSet::empty(function.registers); code.len() + 1];
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev() {
            let mut before = RegisterSet::empty(function.registers);
            successors(&code[at], at, |next| {
                before.unite(&live[next.min(code.len())]);
            });
            transfer(&code[at], &function.formals, &mut before);
            changed |= live[at].unite(&before);
        }
        if !changed {
            return live;
        }
    }
}

/// The registers that some instruction of a function may read.
pub fn read_registers(function: &MachineFunction) -> RegisterSet {
    let mut all = RegisterSet::empty(function.registers);
    for instruction in &function.code {
        instruction.guard.iter().for_each(|guard| all.insert(guard.predicate));
        match RegisterAccesses::in_function(&instruction.action, &function.formals) {
            Some(accesses) => accesses.read.into_iter().for_each(|register| all.insert(register)),
            None => all.insert_all(),
        }
    }
    function.formals.result_registers().for_each(|register| all.insert(register));
    all
}

/// From what is live after an instruction to what is before it.
fn transfer(instruction: &MachineInstruction, formals: &Formals, live: &mut RegisterSet) {
    let accesses = RegisterAccesses::in_function(&instruction.action, formals);
    let is_always = instruction.guard.is_none();
    instruction.guard.iter().for_each(|guard| live.insert(guard.predicate));
    let Some(accesses) = accesses else {
        // It may read what it writes.
        live.insert_all();
        return;
    };
    accesses.written.iter().filter(|_| is_always).for_each(|register| live.remove(*register));
    accesses.read.iter().for_each(|register| live.insert(*register));
}

/// The registers of a function that may be read at or after each instruction.
#[derive(Clone, Debug)]
pub struct LiveRegisters(Vec<RegisterSet>);

impl LiveRegisters {
    /// Those of a function.
    pub fn of(function: &MachineFunction) -> Self {
        Self(live_registers(function))
    }

    /// Whether an instruction, or one after it, may read a register before it is written.
    pub fn is_live_before(&self, instruction: u32, register: u32) -> bool {
        self.0.get(instruction as usize).is_some_and(|live| live.contains(register as usize))
    }
}

//! Names in scope: registers, variables and labels of a function.

use program::{Destination, MemorySpace};
use std::collections::HashMap;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its first slot.
    pub slot: u32,
    /// Its width in bits; 1 for a predicate.
    pub bits: u32,
    /// The elements of a vector register; 1 for others.
    pub lanes: u32,
}

impl Register {
    /// The slots of one element: 2 for 128 bits.
    pub const fn slots(self) -> u32 {
        if self.bits > 64 { 2 } else { 1 }
    }

    /// The elements of a vector register; others are one.
    pub fn elements(self) -> impl Iterator<Item = Self> {
        (0..self.lanes).map(move |lane| Self { slot: self.slot + lane * self.slots(), lanes: 1, ..self })
    }

    /// The slot of a 64-bit part of an element, with its bits.
    pub const fn part(self, part: u32) -> Destination {
        let mask = if self.bits >= 64 { u64::MAX } else { (1 << self.bits) - 1 };
        Destination { slot: self.slot + part, mask }
    }
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelSymbol {
    /// The space that its address belongs to.
    pub space: MemorySpace,
    /// Its address, or its offset in the frame or the parameters.
    pub address: u64,
    /// Its size in bytes.
    pub size: u32,
    /// Whether it is dynamic shared memory, whose address is known once all static shared memory is.
    pub dynamic: bool,
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A register.
    Register(Register),
    /// A variable.
    Symbol(KernelSymbol),
}

/// Registers with numbers: `%r<10>`.
#[derive(Clone, Copy, Debug)]
struct NumberedRegisters {
    first: Register,
    count: u64,
}

/// The names of register slots, for messages and traces.
#[derive(Clone, Debug, Default)]
pub struct RegisterNames(Vec<(String, NumberedRegisters)>);

impl RegisterNames {
    /// Adds a register, or registers with the numbers from 0 on.
    pub fn add(&mut self, name: &str, first: Register, count: Option<u64>) {
        let name = if count.is_some() { format!("{name}<") } else { name.to_owned() };
        self.0.push((name, NumberedRegisters { first, count: count.unwrap_or(1) }));
    }

    /// The name of a slot, with the element of a vector; `None` for intermediate values and the high halves of 128 bits.
    pub fn name(&self, slot: u32) -> Option<String> {
        // They are in the order of their slots.
        let at = self.0.partition_point(|(_, registers)| registers.first.slot <= slot).checked_sub(1)?;
        let (name, NumberedRegisters { first, count }) = &self.0[at];
        let (slots, offset) = (first.slots(), slot - first.slot);
        let (number, lane) = (offset / (slots * first.lanes), offset / slots % first.lanes);
        if u64::from(number) >= *count || !offset.is_multiple_of(slots) {
            return None;
        }
        let element = if first.lanes > 1 { [".x", ".y", ".z", ".w"][lane as usize % 4] } else { "" };
        Some(match name.strip_suffix('<') {
            Some(prefix) => format!("{prefix}{number}{element}"),
            None => format!("{name}{element}"),
        })
    }
}

/// A block or a function.
#[derive(Clone, Debug, Default)]
struct RegisterScope {
    names: HashMap<String, Meaning>,
    ranges: HashMap<String, NumberedRegisters>,
}

/// The scopes that are open, the innermost last.
#[derive(Clone, Debug, Default)]
pub struct NameScopes {
    scopes: Vec<RegisterScope>,
}

impl NameScopes {
    /// Begins a scope.
    pub fn enter(&mut self) {
        self.scopes.push(RegisterScope::default());
    }

    /// Ends the innermost scope.
    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Declares a name.
    pub fn declare(&mut self, name: &str, meaning: Meaning) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), meaning);
        }
    }

    /// Declares registers with the numbers from 0 on.
    pub fn declare_range(&mut self, prefix: &str, first: Register, count: u64) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.ranges.insert(prefix.to_owned(), NumberedRegisters { first, count });
        }
    }

    /// The meaning of a name.
    pub fn find(&self, name: &str) -> Option<Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.find(name))
    }
}

impl RegisterScope {
    fn find(&self, name: &str) -> Option<Meaning> {
        if let Some(meaning) = self.names.get(name) {
            return Some(*meaning);
        }
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        // A prefix may end with digits itself.
        (1..=digits).rev().find_map(|length| {
            let (prefix, number) = name.split_at(name.len() - length);
            let NumberedRegisters { first, count } = *self.ranges.get(prefix)?;
            let number: u64 = number.parse().ok().filter(|number| *number < count)?;
            let slot = first.slot + number as u32 * first.slots() * first.lanes;
            Some(Meaning::Register(Register { slot, ..first }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_registers_and_inner_scopes() {
        let mut names = NameScopes::default();
        names.enter();
        names.declare_range("%r", Register { slot: 4, bits: 32, lanes: 1 }, 12);
        names.enter();
        names.declare("%r1", Meaning::Register(Register { slot: 0, bits: 64, lanes: 1 }));
        let slot = |names: &NameScopes, name: &str| match names.find(name) {
            Some(Meaning::Register(register)) => Some(register.slot),
            _ => None,
        };
        assert_eq!(["%r0", "%r1", "%r11", "%r12"].map(|name| slot(&names, name)), [Some(4), Some(0), Some(15), None]);
        names.leave();
        assert_eq!(slot(&names, "%r1"), Some(5));
    }
}

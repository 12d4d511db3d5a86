//! What the registers and the local memory of a thread depend on, in all functions that it is in.

use crate::load_buffering::earlier_reads::ReadPlace;
use program::call::Formal;
use program::effects::InstructionMemory;
use program::machine_program::MachineAction;
use program::operand::Source;
use std::collections::{BTreeMap, BTreeSet};

/// For each register of a function the reads that its value depends on.
pub type RegisterSources = BTreeMap<u32, BTreeSet<ReadPlace>>;

/// An access to local memory: the first byte, and the bytes of an element.
#[derive(Clone, Copy, Debug)]
pub struct LocalAccess {
    /// The first byte.
    pub offset: u32,
    /// The bytes of an element.
    pub element: u32,
    /// The number of elements.
    pub count: u32,
}

/// Which way a call passes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedTo {
    /// Arguments to the function that is called.
    Callee,
    /// Results to the function that has called it.
    Caller,
}

/// What values of a thread depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DependentValues {
    /// Those in registers of the current function.
    pub registers: RegisterSources,
    /// Those in registers of its callers.
    pub callers: Vec<RegisterSources>,
    /// Those in local memory, by the first byte, with the number of bytes.
    pub local: BTreeMap<u32, (u32, BTreeSet<ReadPlace>)>,
}

impl DependentValues {
    /// Whether nothing depends on anything.
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.local.is_empty() && self.callers.iter().all(BTreeMap::is_empty)
    }

    /// Some reads are not followed any more.
    pub fn forget(&mut self, is_gone: impl Fn(&ReadPlace) -> bool) {
        let keep = |sources: &mut BTreeSet<ReadPlace>| {
            sources.retain(|source| !is_gone(source));
            !sources.is_empty()
        };
        for registers in self.callers.iter_mut().chain([&mut self.registers]) {
            registers.retain(|_, sources| keep(sources));
        }
        self.local.retain(|_, (_, sources)| keep(sources));
    }

    /// What a load reads of local memory is added to what its results depend on. Returns what a store writes there; what was there is forgotten.
    pub fn access_local(
        &mut self,
        action: &MachineAction,
        LocalAccess { offset, element, count }: LocalAccess,
        results: &mut RegisterSources,
    ) -> Vec<(u32, (u32, BTreeSet<ReadPlace>))> {
        let at = |number: usize| offset + number as u32 * element;
        match action.memory() {
            InstructionMemory::Load(load) => {
                for (number, slot) in load.elements.iter().enumerate() {
                    let stored = self.local.get(&at(number)).filter(|(bytes, _)| *bytes == element);
                    if let Some((slot, (_, sources))) = slot.as_ref().zip(stored) {
                        results.entry(slot.slot).or_default().extend(sources);
                    }
                }
                Vec::new()
            }
            InstructionMemory::Store(store) => {
                self.overwrite(offset, element * count);
                let stored = store.elements.iter().enumerate().filter_map(|(number, source)| match source {
                    Source::Register(slot) => Some((at(number), (element, self.registers.get(slot)?.clone()))),
                    _ => None,
                });
                stored.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Local memory has other values.
    pub fn overwrite(&mut self, offset: u32, bytes: u32) {
        self.local.retain(|start, (length, _)| *start >= offset + bytes || *start + *length <= offset);
    }

    /// A value is copied from a function to the other one, each with the beginning of its local memory.
    pub fn pass(&mut self, to: PassedTo, (from, from_local): (Formal, u32), (target, to_local): (Formal, u32)) {
        let value = {
            let caller = self.callers.last();
            let source = if to == PassedTo::Callee { caller } else { Some(&self.registers) };
            match from {
                Formal::Register(slot) => source.and_then(|registers| registers.get(&slot)).cloned(),
                Formal::Memory { offset, size } => {
                    let stored = self.local.get(&(from_local + offset)).filter(|(bytes, _)| *bytes == size);
                    stored.map(|(_, sources)| sources.clone())
                }
                Formal::Constant(_) | Formal::Unused => None,
            }
        };
        match target {
            Formal::Register(slot) => {
                let registers = match to {
                    PassedTo::Callee => Some(&mut self.registers),
                    PassedTo::Caller => self.callers.last_mut(),
                };
                let Some(registers) = registers else { return };
                registers.remove(&slot);
                registers.extend(value.map(|sources| (slot, sources)));
            }
            Formal::Memory { offset, size } => {
                self.overwrite(to_local + offset, size);
                let is_whole = |_: &BTreeSet<ReadPlace>| match from {
                    Formal::Memory { size: from, .. } => from == size,
                    _ => size <= 8,
                };
                self.local.extend(value.filter(is_whole).map(|sources| (to_local + offset, (size, sources))));
            }
            Formal::Constant(_) | Formal::Unused => {}
        }
    }
}

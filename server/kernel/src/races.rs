//! Races in the shared memory of a kernel, for launches that it is made for.

use crate::{Kernel, KernelModule};
use program::{AddressSize, CodePlace, Dimensions, MemorySpace};
use std::ops::Range;
use symbolic::{BlockKernel, SharedRace, SharedVariable, find_races};
pub use symbolic::{MissingBarrier, RaceOrder};
use syntax::readable;

/// Two accesses to shared memory by threads of a block that no barrier orders.
#[derive(Clone, Debug)]
pub struct KernelRace {
    /// The two accesses, in the order of the program.
    pub accesses: [RacingInstruction; 2],
    /// How the two follow each other.
    pub order: RaceOrder,
    /// The barrier that is missing.
    pub barrier: MissingBarrier,
    /// What both access: an element of a variable, or an address.
    pub element: String,
    /// The size of the block.
    pub block: Dimensions,
    /// The integer parameters that decide, with their values.
    pub parameters: Vec<(String, u64)>,
}

/// An access of a thread.
#[derive(Clone, Debug)]
pub struct RacingInstruction {
    /// The range of the instruction.
    pub range: Range<usize>,
    /// The thread: `3`, or `3,1` in a block of two dimensions.
    pub thread: String,
    /// Whether it is a write.
    pub is_write: bool,
}

impl KernelModule<'_> {
    /// The races of a kernel; none if it cannot be lowered.
    pub fn races(&mut self, name: &str) -> Vec<KernelRace> {
        self.lower_code(name).map(|kernel| kernel.races()).unwrap_or_default()
    }
}

/// A variable in shared memory.
#[derive(Debug)]
pub(super) struct NamedElements {
    /// Its name.
    pub(super) name: String,
    element_bytes: u64,
    variable: SharedVariable,
}

impl Kernel {
    /// The races of the kernel.
    fn races(&self) -> Vec<KernelRace> {
        if self.program.addresses != AddressSize::Bits64 {
            return Vec::new();
        }
        let elements = self.shared_variables();
        let races = self.with_block_kernel(&elements, find_races);
        races.iter().map(|race| self.named_race(race, &elements)).collect()
    }

    /// Calls a function with the kernel as a block executes it.
    pub(super) fn with_block_kernel<T>(
        &self,
        elements: &[NamedElements],
        function: impl FnOnce(&BlockKernel) -> T,
    ) -> T {
        let code = &self.program.functions[self.index];
        let variables: Vec<SharedVariable> = elements.iter().map(|one| one.variable).collect();
        let static_bytes = u64::from(code.shared.static_bytes);
        let variable_at = |address: u64, size: u64| {
            variables.iter().position(|variable| variable.address == address && variable.size == size)
        };
        let addresses = self.shared_addresses.iter().filter_map(|one| {
            let first = if one.symbol.dynamic { static_bytes } else { one.symbol.address };
            Some((one.constant, variable_at(first, one.symbol.size.into())? as u16))
        });
        function(&BlockKernel {
            function: code,
            block: self.bounds.block,
            most_threads: self.bounds.most_threads,
            variables: &variables,
            addresses: &addresses.collect::<Vec<_>>(),
            static_bytes,
            has_dynamic_memory: code.shared.uses_dynamic,
            scheduling: self.program.scheduling,
        })
    }

    /// The variables in shared memory.
    pub(super) fn shared_variables(&self) -> Vec<NamedElements> {
        let own = self.names.get(self.index).into_iter().flat_map(|names| &names.variables);
        let shared = own.chain(&self.variables).filter(|one| one.space == MemorySpace::SharedCta);
        let elements = shared.map(|one| NamedElements {
            name: one.name.clone(),
            element_bytes: element_bytes(&one.ty),
            variable: SharedVariable { address: one.address, size: one.size.into() },
        });
        elements.collect()
    }

    fn named_race(&self, race: &SharedRace, elements: &[NamedElements]) -> KernelRace {
        let function = &self.program.functions[self.index];
        let accesses = race.accesses.map(|access| RacingInstruction {
            range: self.range(CodePlace { function: self.index as u32, instruction: access.instruction }),
            thread: thread_name(access.thread, race.block),
            is_write: access.is_write,
        });
        let element = match race.variable.map(|at| &elements[at]) {
            Some(one) => {
                let offset = race.address - one.variable.address;
                // Compilers declare most arrays as bytes.
                let bytes = if one.element_bytes == 1 { race.bytes.into() } else { one.element_bytes };
                let name = readable(&one.name);
                match one.variable.size == bytes {
                    true => format!("`{name}`"),
                    false if offset.is_multiple_of(bytes) => format!("`{name}[{}]`", offset / bytes),
                    false => format!("byte {offset} of `{name}`"),
                }
            }
            None => format!("address {} of shared memory", race.address),
        };
        let parameter = |(index, value): &(usize, u64)| (function.parameters[*index].name.clone(), *value);
        KernelRace {
            accesses,
            order: race.order,
            barrier: race.barrier,
            element,
            block: race.block,
            parameters: race.parameters.iter().map(parameter).collect(),
        }
    }
}

/// A thread by its position, without the dimensions that the block does not have.
fn thread_name([x, y, z]: [u32; 3], block: Dimensions) -> String {
    match block.0 {
        [_, 1, 1] => x.to_string(),
        [_, _, 1] => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

/// The bytes of an element of a type.
fn element_bytes(ty: &str) -> u64 {
    ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().map_or(1, |bits: u64| (bits / 8).max(1))
}

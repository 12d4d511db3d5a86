//! The names of registers and variables, for a debugger.

use crate::module::names::{KernelSymbol, Register};
use program::MemorySpace;
use std::ops::Range;

/// A register, or a range of registers with numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRegister {
    /// The name; the part before the number of a range.
    pub name: String,
    /// The number of registers of a range.
    pub count: Option<u64>,
    /// The type without its dot.
    pub ty: String,
    /// The slot of the first one.
    pub slot: u32,
    /// The width in bits; 1 for a predicate.
    pub bits: u32,
    /// The elements of a vector register; 1 for others.
    pub lanes: u32,
    /// The instructions in its scope.
    pub scope: Range<u32>,
}

/// A variable, or a parameter of a kernel or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedVariable {
    /// The name.
    pub name: String,
    /// The type of an element without its dot.
    pub ty: String,
    /// The space that its address belongs to.
    pub space: MemorySpace,
    /// The address, or the offset in the frame or the parameters.
    pub address: u64,
    /// The size in bytes; 0 for dynamic shared memory.
    pub size: u32,
    /// The instructions in its scope.
    pub scope: Range<u32>,
}

/// The names of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionNames {
    /// The registers, in the order of their declarations.
    pub registers: Vec<NamedRegister>,
    /// The parameters and variables.
    pub variables: Vec<NamedVariable>,
    /// The scopes that are open: how many registers and variables were declared before.
    open: Vec<(usize, usize)>,
}

impl NamedRegister {
    /// The first slot of one of the registers that a declaration declares; `element` counts those of a vector.
    pub const fn slot_of(&self, number: u64, element: u32) -> u32 {
        let slots = if self.bits > 64 { 2 } else { 1 };
        self.slot + (number as u32 * self.lanes + element) * slots
    }
}

impl NamedVariable {
    /// A variable of a scope that is open from an instruction on.
    pub fn new(name: &str, ty: &str, symbol: KernelSymbol, from: u32) -> Self {
        let KernelSymbol { space, address, size, .. } = symbol;
        let ty = ty.trim_start_matches('.').to_owned();
        Self { name: name.to_owned(), ty, space, address, size, scope: from..u32::MAX }
    }
}

impl FunctionNames {
    /// The registers in scope at an instruction.
    pub fn registers_at(&self, instruction: u32) -> impl Iterator<Item = &NamedRegister> {
        self.registers.iter().filter(move |one| one.scope.contains(&instruction))
    }

    /// A register in scope by its name, with an element of a vector after a dot: its declaration, its number in a range, and the element.
    pub fn find_register(&self, name: &str, instruction: u32) -> Option<(&NamedRegister, u64, u32)> {
        let (base, element) = match name.rsplit_once('.') {
            Some((base, element)) => (base, "xyzw".find(element).filter(|_| element.len() == 1)?),
            None => (name, 0),
        };
        // The innermost declaration is the last one.
        let found = self.registers_at(instruction).filter_map(|register| {
            let rest = base.strip_prefix(&*register.name)?;
            let number = match register.count {
                None => rest.is_empty().then_some(0),
                Some(count) => rest.parse().ok().filter(|number| *number < count),
            };
            Some((register, number?))
        });
        found.last().map(|(register, number)| (register, number, element as u32))
    }

    /// Begins a scope.
    pub fn enter(&mut self) {
        self.open.push((self.registers.len(), self.variables.len()));
    }

    /// Ends the innermost scope before an instruction.
    pub fn leave(&mut self, before: u32) {
        let Some((registers, variables)) = self.open.pop() else { return };
        let scopes = self.registers[registers..].iter_mut().map(|one| &mut one.scope);
        let ends = scopes.chain(self.variables[variables..].iter_mut().map(|one| &mut one.scope));
        ends.filter(|scope| scope.end == u32::MAX).for_each(|scope| scope.end = before);
    }

    /// Adds registers of a scope that is open from an instruction on.
    pub fn add_registers(&mut self, name: &str, count: Option<u64>, ty: &str, register: Register, from: u32) {
        let Register { slot, bits, lanes } = register;
        let ty = ty.trim_start_matches('.').to_owned();
        self.registers.push(NamedRegister {
            name: name.to_owned(),
            count,
            ty,
            slot,
            bits,
            lanes,
            scope: from..u32::MAX,
        });
    }
}

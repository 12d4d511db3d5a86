//! The names of registers and variables, for a debugger.

use super::names::{KernelSymbol, Register};
use emulator::machine::MemorySpace;
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

impl NamedVariable {
    /// A variable of a scope that is open from an instruction on.
    pub fn new(name: &str, ty: &str, symbol: KernelSymbol, from: u32) -> Self {
        let KernelSymbol { space, address, size, .. } = symbol;
        let ty = ty.trim_start_matches('.').to_owned();
        Self { name: name.to_owned(), ty, space, address, size, scope: from..u32::MAX }
    }
}

impl FunctionNames {
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

//! Calls of functions, and what they pass.

use crate::operand::Source;

/// The formal parameters and results of a device function.
#[derive(Clone, Debug, Default)]
pub struct Formals {
    /// The parameters.
    pub parameters: Vec<Formal>,
    /// The results.
    pub results: Vec<Formal>,
}

/// Where an argument or a result is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formal {
    /// In the frame, at an offset and with a size in bytes.
    Memory {
        /// The offset in the frame.
        offset: u32,
        /// The size.
        size: u32,
    },
    /// In a register slot.
    Register(u32),
    /// A constant, as an argument.
    Constant(u32),
    /// Nowhere: a result that is not used.
    Unused,
}

/// A call.
#[derive(Debug)]
pub struct MachineCall {
    /// The function.
    pub target: CallTarget,
    /// The arguments.
    pub arguments: Vec<Formal>,
    /// Where the results go.
    pub results: Vec<Formal>,
}

/// The function of a call.
#[derive(Clone, Copy, Debug)]
pub enum CallTarget {
    /// A function of the program, by its index.
    Function(u32),
    /// A function whose address is in a register.
    Register(Source),
    /// A function that the system provides.
    System(SystemFunction),
}

/// The functions that every device provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemFunction {
    /// `vprintf`
    Printf,
    /// `malloc`
    Allocate,
    /// `free`
    Free,
    /// `__assertfail`
    AssertionFailed,
}

impl Formals {
    /// The registers that have results.
    pub fn result_registers(&self) -> impl Iterator<Item = u32> {
        self.results.iter().filter_map(Formal::register)
    }
}

impl Formal {
    /// The register slot in which it is kept.
    pub const fn register(&self) -> Option<u32> {
        match self {
            Self::Register(register) => Some(*register),
            Self::Memory { .. } | Self::Constant(_) | Self::Unused => None,
        }
    }
}

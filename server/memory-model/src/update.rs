//! What atomics do to memory.

use crate::Bits;
use crate::arithmetic::Alu;
use emulator::Operation;

/// What an atomic does to memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update {
    /// A read-modify-write of PTX. A compare-and-swap that fails writes nothing.
    Ptx(Operation),
    /// Any other computation of two operands, as litmus tests know some: memory first.
    Other(Alu),
}

impl Update {
    /// What memory holds afterwards; `None` where it is not written.
    pub fn apply(self, memory: Bits, b: Bits, c: Bits) -> Option<Bits> {
        match self {
            Update::Ptx(operation) => {
                let mask = operation.shape().mask();
                let (memory, b, c) = (memory & mask, b & mask, c & mask);
                (!self.compares() || memory == b).then(|| operation.apply(memory, b, c))
            }
            Update::Other(alu) => Some(alu.apply(memory, b)),
        }
    }

    /// Whether it writes only if memory holds operand b.
    pub fn compares(self) -> bool {
        matches!(self, Update::Ptx(operation) if operation.op() == isa::types::Op::Cas)
    }

    /// Whether what it writes depends on what it read.
    pub fn depends(self) -> bool {
        !matches!(self, Update::Ptx(operation) if operation.op() == isa::types::Op::Exch)
    }
}

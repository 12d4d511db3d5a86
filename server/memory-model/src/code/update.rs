//! The memory updates of atomics.

use crate::Bits;
use crate::code::arithmetic::Alu;
use crate::runs::mbarrier::MbarrierState;
use values::Operation;

/// The update of an atomic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update {
    /// A read-modify-write of PTX. A compare-and-swap that fails writes nothing.
    Ptx(Operation),
    /// An operation that only litmus tests have; its first operand is memory.
    Other(Alu),
    /// An operation on an mbarrier: `b` arrivals, and `c` more bytes of transactions to expect.
    Mbarrier,
}

impl Update {
    /// The new value of memory; `None` if it is not written.
    pub fn apply(self, memory: Bits, b: Bits, c: Bits) -> Option<Bits> {
        match self {
            Update::Ptx(operation) => {
                let mask = operation.shape().mask();
                let (memory, b, c) = (memory & mask, b & mask, c & mask);
                (!self.compares() || memory == b).then(|| operation.apply(memory, b, c))
            }
            Update::Other(alu) => Some(alu.apply(memory, b)),
            Update::Mbarrier => Some(MbarrierState::of(memory).after(b, c).bits()),
        }
    }

    /// Whether it writes only if memory holds operand b.
    pub fn compares(self) -> bool {
        matches!(self, Update::Ptx(operation) if operation.op() == isa::types::Op::Cas)
    }

    /// Whether the written value depends on the value read.
    pub fn depends(self) -> bool {
        !matches!(self, Update::Ptx(operation) if operation.op() == isa::types::Op::Exch)
    }
}

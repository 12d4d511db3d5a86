//! Operands of instructions: registers, constants, addresses, and the order of accesses.

use isa::types::{Scope, Sem};

/// An operand that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register slot.
    Register(u32),
    /// One of the constants of the function.
    Constant(u32),
}

/// A register that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The slot.
    pub slot: u32,
    /// The bits that the register has, as a mask.
    pub mask: u64,
}

/// A state space as the machine distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySpace {
    /// The address decides.
    Generic,
    /// Global memory.
    Global,
    /// Constant memory.
    Constant,
    /// Shared memory of the thread's CTA.
    SharedCta,
    /// Shared memory of any CTA of the cluster.
    SharedCluster,
    /// Local memory of the thread.
    Local,
    /// The variables of the frame of a device function, by their offset.
    Frame,
    /// The parameters of the kernel, by their offset.
    Parameter,
}

impl MemorySpace {
    /// Whether another thread may write there, so that a loop can wait for it.
    pub fn may_change(self) -> bool {
        matches!(self, Self::Generic | Self::Global | Self::SharedCta | Self::SharedCluster)
    }

    /// Whether it is memory of one thread.
    pub const fn is_own(self) -> bool {
        matches!(self, Self::Local | Self::Frame)
    }

    /// Whether a register of 32 bits holds each of its addresses.
    const fn is_narrow(self) -> bool {
        matches!(self, Self::SharedCta | Self::SharedCluster | Self::Local)
    }
}

/// The address of an access.
#[derive(Clone, Copy, Debug)]
pub struct MachineAddress {
    /// The space.
    pub space: MemorySpace,
    /// The base.
    pub base: Source,
    /// The offset in bytes.
    pub offset: i64,
}

impl MachineAddress {
    /// The address, by the value of the base. Compilers leave it to the sum of 32 bits to wrap around.
    #[inline]
    pub const fn of(&self, base: u64) -> u64 {
        let sum = base.wrapping_add_signed(self.offset);
        if self.space.is_narrow() && base <= u32::MAX as u64 { sum & u32::MAX as u64 } else { sum }
    }
}

/// What an access means to other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessOrder {
    /// The order; `Sem::Weak` for plain accesses.
    pub sem: Sem,
    /// The scope of a strong access.
    pub scope: Scope,
    /// How the order is written.
    pub spelling: OrderSpelling,
}

/// How the order of an access is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderSpelling {
    /// As an order, or not at all.
    Order,
    /// `.volatile` or `.mmio`, which make an access strong without saying that it synchronizes.
    Volatile,
    /// As the order of `red`, whose read takes part in no acquire pattern.
    Reduction,
}

impl AccessOrder {
    /// The scope, if the access is strong.
    pub fn strong_scope(self) -> Option<Scope> {
        (self.sem != Sem::Weak).then_some(self.scope)
    }

    /// The order of plain accesses.
    pub const WEAK: Self = Self::new(Sem::Weak, Scope::Sys);

    /// The order of volatile accesses.
    pub const VOLATILE: Self = Self { sem: Sem::Relaxed, scope: Scope::Sys, spelling: OrderSpelling::Volatile };

    /// An order that is written as one.
    pub const fn new(sem: Sem, scope: Scope) -> Self {
        Self { sem, scope, spelling: OrderSpelling::Order }
    }

    /// The order of `red`.
    pub const fn of_reduction(sem: Sem, scope: Scope) -> Self {
        Self { sem, scope, spelling: OrderSpelling::Reduction }
    }
}

//! The instructions of a program: their operands, their qualifiers, and what they do.

use crate::Bits;
use crate::code::arithmetic::{Alu, Compare};
use crate::code::proxy::{ModelProxyFence, Proxy};
use crate::code::register_function::RegisterFunction;
use crate::code::update::Update;
use isa::types::{Scope, Sem};

/// The qualifiers of a memory operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The memory order.
    pub order: Sem,
    /// The scope; ignored for weak operations.
    pub scope: Scope,
    /// The proxy.
    pub proxy: Proxy,
}

impl Access {
    /// A strong access through the generic proxy.
    pub fn strong(order: Sem, scope: Scope) -> Self {
        Access { order, scope, proxy: Proxy::Generic }
    }

    /// A weak access through the generic proxy.
    pub fn weak() -> Self {
        Access { order: Sem::Weak, scope: Scope::Sys, proxy: Proxy::Generic }
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelOperand {
    /// A register of the thread, by index.
    Register(usize),
    /// A constant.
    Constant(Bits),
}

/// The address of a memory operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAddress {
    /// A location, by index.
    Location(usize),
    /// The value of a register, plus a constant.
    Register(usize, i64),
}

/// The operation of a barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierMode {
    /// Arrives and waits.
    Sync,
    /// Arrives.
    Arrive,
    /// Waits, after an earlier arrival.
    Wait,
}

/// The group of threads that a barrier synchronizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierLevel {
    /// The CTA's.
    Cta,
    /// The cluster's.
    Cluster,
}

/// The kind of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceKind {
    /// `fence.acquire`.
    Acquire(Scope),
    /// `fence.release`.
    Release(Scope),
    /// `fence.acq_rel`, and `fence` alone.
    AcqRel(Scope),
    /// `fence.sc`, which is `acq_rel` too; `membar`.
    Sc(Scope),
    /// `fence.proxy.*` between the generic proxy and another.
    Proxy(ModelProxyFence),
    /// `fence.proxy.alias`, between generic addresses of one memory.
    Alias,
    /// `fence.mbarrier_init.release.cluster`, a release of the initialization of mbarriers alone.
    MbarrierInit,
}

/// The id of a barrier that is identified by its instance alone: no register can hold it.
pub const NO_ID: Bits = 1 << 64;

/// An asynchronous operation whose completion a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AwaitedOperation {
    /// The thread of the operation.
    pub thread: usize,
    /// How much of it must be complete.
    pub part: AwaitedPart,
}

/// The part of an asynchronous operation that a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitedPart {
    /// Its reads, as for `wait_group.read`.
    Reads,
    /// All of it.
    All,
}

/// An instruction. Registers are indices into those of the thread.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelInstruction {
    /// An arithmetic instruction.
    Compute {
        /// The destination register.
        to: usize,
        /// The operation.
        alu: Alu,
        /// First operand.
        a: ModelOperand,
        /// Second operand.
        b: ModelOperand,
    },
    /// A select: `a` if `when` is not zero, else `b`.
    Select {
        /// The destination register.
        to: usize,
        /// The condition.
        when: ModelOperand,
        /// The value if the condition is not zero.
        a: ModelOperand,
        /// The value if the condition is zero.
        b: ModelOperand,
    },
    /// A computation of another kind.
    Apply {
        /// The destination register.
        to: usize,
        /// What is computed.
        function: RegisterFunction,
        /// The operands; those that it does not have are 0.
        operands: [ModelOperand; 4],
    },
    /// A load.
    Load {
        /// The destination register.
        to: Option<usize>,
        /// The address.
        at: ModelAddress,
        /// The size in bytes.
        bytes: u32,
        /// The qualifiers.
        access: Access,
    },
    /// A store.
    Store {
        /// The address.
        at: ModelAddress,
        /// The value.
        value: ModelOperand,
        /// The size in bytes.
        bytes: u32,
        /// The qualifiers.
        access: Access,
    },
    /// A read-modify-write.
    Update {
        /// The destination register of the old value; a reduction (`red`) has none.
        to: Option<usize>,
        /// The address.
        at: ModelAddress,
        /// The operation.
        update: Update,
        /// Operand b.
        b: ModelOperand,
        /// Operand c, of a compare-and-swap.
        c: ModelOperand,
        /// The size in bytes.
        bytes: u32,
        /// The qualifiers.
        access: Access,
        /// Whether it is a `red`, whose read takes no part in an acquire pattern.
        reduction: bool,
    },
    /// A fence.
    Fence(FenceKind),
    /// Issues an asynchronous operation.
    Issue {
        /// The thread of the operation.
        thread: usize,
    },
    /// Orders earlier instructions before asynchronous operations that are issued later and need it, as `wgmma.fence` does.
    IssueFence,
    /// `tcgen05.fence::before_thread_sync`: begins a release pattern that orders operations of its thread alone, which it has waited for.
    ReleaseOperations {
        /// The operations.
        operations: Vec<AwaitedOperation>,
    },
    /// `tcgen05.fence::after_thread_sync`: ends an acquire pattern of operations that are released.
    AcquireOperations,
    /// Waits for asynchronous operations of the same thread.
    Await {
        /// The operations.
        operations: Vec<AwaitedOperation>,
    },
    /// `mbarrier.test_wait` and `try_wait`: whether a phase of an mbarrier is complete.
    TestPhase {
        /// The destination register: 1 if it is complete, else 0.
        to: usize,
        /// The mbarrier.
        at: ModelAddress,
        /// The size in bytes.
        bytes: u32,
        /// A state of the mbarrier in that phase.
        phase: ModelOperand,
        /// The qualifiers.
        access: Access,
    },
    /// A barrier.
    Barrier {
        /// The group of threads.
        level: BarrierLevel,
        /// The instance, if the program names one.
        instance: u64,
        /// The id.
        id: ModelOperand,
        /// The number of threads that complete a phase; `None`: all that use the barrier.
        quorum: Option<ModelOperand>,
        /// The operation.
        mode: BarrierMode,
        /// Whether it orders memory.
        orders: bool,
    },
    /// A branch.
    Branch {
        /// The condition; `None`: always taken.
        when: Option<(Compare, ModelOperand, ModelOperand)>,
        /// The index of the target instruction.
        target: usize,
        /// Whether it skips the instructions before the target, as a guard does: later instructions do not depend on it.
        guard: bool,
    },
}

impl ModelInstruction {
    /// The register that it writes.
    pub fn destination(&self) -> Option<usize> {
        match self {
            ModelInstruction::Compute { to, .. }
            | ModelInstruction::Select { to, .. }
            | ModelInstruction::Apply { to, .. }
            | ModelInstruction::TestPhase { to, .. } => Some(*to),
            ModelInstruction::Load { to, .. } | ModelInstruction::Update { to, .. } => *to,
            _ => None,
        }
    }

    /// The qualifiers of its memory access, if it has one.
    pub fn access(&self) -> Option<&Access> {
        match self {
            ModelInstruction::Load { access, .. }
            | ModelInstruction::Store { access, .. }
            | ModelInstruction::Update { access, .. }
            | ModelInstruction::TestPhase { access, .. } => Some(access),
            _ => None,
        }
    }

    /// The mutable qualifiers of its memory access, if it has one.
    pub fn access_mut(&mut self) -> Option<&mut Access> {
        match self {
            ModelInstruction::Load { access, .. }
            | ModelInstruction::Store { access, .. }
            | ModelInstruction::Update { access, .. }
            | ModelInstruction::TestPhase { access, .. } => Some(access),
            _ => None,
        }
    }
}

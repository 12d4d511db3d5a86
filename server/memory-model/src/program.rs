//! Programs: threads with their positions and instructions, and the memory that they share.

use crate::Bits;
use crate::arithmetic::{Alu, Compare};
use crate::proxy::{FencedSpace, ModelProxyFence, Proxy};
use crate::update::Update;
pub use isa::types::{Scope, Sem};

/// A small program, such as a litmus test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The threads.
    pub threads: Vec<Thread>,
    /// The memory locations. An alias refers to the memory of another location.
    pub locations: Vec<Location>,
}

/// A thread: its position and its code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// The name.
    pub name: String,
    /// The position.
    pub place: ThreadPosition,
    /// The registers.
    pub registers: Vec<ModelRegister>,
    /// The instructions. The thread ends after the last one.
    pub code: Vec<ModelInstruction>,
    /// For an asynchronous operation: the thread that issues it, and the index of its [`ModelInstruction::Issue`].
    pub issuer: Option<(usize, usize)>,
    /// For an asynchronous operation: which instructions of its issuer its accesses are ordered after.
    pub issue_order: IssueOrder,
}

/// Which instructions of its issuer the accesses of an asynchronous operation are ordered after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IssueOrder {
    /// Those before its issue.
    #[default]
    Issue,
    /// Those before an earlier [`ModelInstruction::IssueFence`], by index, or none.
    Fence(Option<usize>),
}

impl Thread {
    /// The value of an operand that is the same wherever it is used: a constant, or a register that one instruction computes from such, which no
    /// guard or branch leaves out.
    pub fn static_value(&self, operand: ModelOperand) -> Option<Bits> {
        self.static_value_within(operand, 16)
    }

    fn static_value_within(&self, operand: ModelOperand, depth: usize) -> Option<Bits> {
        let register = match operand {
            ModelOperand::Constant(value) => return Some(value),
            ModelOperand::Register(register) => register,
        };
        let code = self.code.iter().enumerate();
        let mut writers = code.filter(|(_, instruction)| instruction.destination() == Some(register));
        match (writers.next(), writers.next()) {
            (None, _) => self.registers.get(register).map(|register| register.init),
            (Some((at, ModelInstruction::Compute { alu, a, b, .. })), None) if !self.may_skip(at) => {
                let [a, b] = [a, b].map(|operand| self.static_value_within(*operand, depth.checked_sub(1)?));
                Some(alu.apply(a?, b?))
            }
            _ => None,
        }
    }

    /// Whether a branch leads past an instruction.
    fn may_skip(&self, at: usize) -> bool {
        let skips = |one: &ModelInstruction| matches!(one, ModelInstruction::Branch { target, .. } if *target > at);
        self.code[..at].iter().any(skips)
    }
}

/// The position of a thread in the hierarchy. Two threads are in the same CTA if all three numbers are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadPosition {
    /// The device.
    pub gpu: u32,
    /// The cluster on the device.
    pub cluster: u32,
    /// The CTA in the cluster.
    pub cta: u32,
}

impl ThreadPosition {
    /// Whether the instance of `scope` at this position includes the other position.
    pub fn includes(self, scope: Scope, other: ThreadPosition) -> bool {
        match scope {
            Scope::Cta => self == other,
            Scope::Cluster => self.gpu == other.gpu && self.cluster == other.cluster,
            Scope::Gpu => self.gpu == other.gpu,
            Scope::Sys => true,
        }
    }
}

/// A register and its initial value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRegister {
    /// The name.
    pub name: String,
    /// The initial value.
    pub init: Bits,
}

/// A memory location that is only accessed as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Location {
    /// The name.
    pub name: String,
    /// The initial value; for an alias, that of the other location is used.
    pub init: Bits,
    /// The address, which registers may hold. Address ranges of locations do not overlap.
    pub address: u64,
    /// The size in bytes.
    pub bytes: u32,
    /// The location that it aliases, if any.
    pub alias: Option<Alias>,
    /// The state space, if the program names it.
    pub space: Option<FencedSpace>,
}

/// A second name for the memory of another location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The index of the other location.
    pub of: usize,
    /// Whether the alias has another generic address, as for `fence.proxy.alias`; otherwise it has the same address through another proxy.
    pub generic: bool,
}

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

/// An observable part of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    /// The final value of a register: thread, register.
    Register(usize, usize),
    /// The final value of a location.
    Location(usize),
}

impl Observable {
    /// The location that holds its memory; `None` for a register.
    pub fn memory(&self, program: &Program) -> Option<usize> {
        match self {
            Observable::Location(location) => Some(program.physical(*location)),
            Observable::Register(..) => None,
        }
    }
}

impl Program {
    /// An instruction, by thread and index.
    pub fn instruction(&self, (thread, index): (usize, usize)) -> Option<&ModelInstruction> {
        self.threads.get(thread)?.code.get(index)
    }

    /// The location that holds the memory of a location: itself, or the one that it aliases.
    pub fn physical(&self, mut location: usize) -> usize {
        for _ in 0..self.locations.len() {
            match self.locations[location].alias {
                Some(alias) => location = alias.of,
                None => break,
            }
        }
        location
    }

    /// The location that has the same generic address and is no proxy alias.
    pub fn generic(&self, mut location: usize) -> usize {
        for _ in 0..self.locations.len() {
            match self.locations[location].alias {
                Some(Alias { of, generic: false }) => location = of,
                _ => break,
            }
        }
        location
    }

    /// The location with exactly these bytes, if any.
    pub fn at(&self, address: u64, bytes: u32) -> Option<usize> {
        self.locations.iter().position(|location| location.address == address && location.bytes == bytes)
    }
}

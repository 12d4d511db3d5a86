//! Programs: threads with their places, their instructions, and the memory that they share.

use crate::Bits;
use crate::arithmetic::{Alu, Compare};
use crate::update::Update;
pub use isa::types::{Scope, Sem};

/// A program of litmus size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The threads.
    pub threads: Vec<Thread>,
    /// The memory; alias entries name another entry's memory.
    pub locations: Vec<Location>,
}

/// One thread: where it runs and what it does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Where it runs.
    pub place: ThreadPosition,
    /// Its registers.
    pub registers: Vec<ModelRegister>,
    /// Its instructions; it ends behind the last one.
    pub code: Vec<ModelInstruction>,
}

/// Where a thread runs. Two threads are in the same CTA if all three numbers agree.
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
    /// Whether the scope instance of `scope` around this place holds the other.
    pub fn includes(self, scope: Scope, other: ThreadPosition) -> bool {
        match scope {
            Scope::Cta => self == other,
            Scope::Cluster => self.gpu == other.gpu && self.cluster == other.cluster,
            Scope::Gpu => self.gpu == other.gpu,
            Scope::Sys => true,
        }
    }
}

/// A register and what it holds at the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRegister {
    /// Its name.
    pub name: String,
    /// Its first value.
    pub init: Bits,
}

/// A piece of memory that is only ever accessed as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Its first value; of an alias, the other entry's counts.
    pub init: Bits,
    /// Its address, which registers may hold. No two ranges of addresses overlap.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u32,
    /// Whether it is another name of other memory.
    pub alias: Option<Alias>,
}

/// Another name of other memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The index of the location whose memory it is.
    pub of: usize,
    /// Whether it is another generic address, which `fence.proxy.alias` brings together; otherwise it is the same address for another proxy.
    pub generic: bool,
}

/// How memory is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Proxy {
    /// Ordinary loads, stores and atomics.
    #[default]
    Generic,
    /// Texture fetches.
    Texture,
    /// Surface accesses.
    Surface,
    /// Constant memory.
    Constant,
}

/// The qualifiers of a memory operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// How strongly it orders.
    pub order: Sem,
    /// Whom it is strong for; of a weak one it means nothing.
    pub scope: Scope,
    /// How memory is reached.
    pub proxy: Proxy,
}

impl Access {
    /// A strong one through the generic proxy.
    pub fn strong(order: Sem, scope: Scope) -> Self {
        Access { order, scope, proxy: Proxy::Generic }
    }

    /// A weak one through the generic proxy.
    pub fn weak() -> Self {
        Access { order: Sem::Weak, scope: Scope::Sys, proxy: Proxy::Generic }
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelOperand {
    /// A register of the thread, by index.
    Register(usize),
    /// A constant.
    Constant(Bits),
}

/// Where a memory operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelAddress {
    /// A location, by index.
    Location(usize),
    /// What a register holds, plus a constant.
    Register(usize, i64),
}

/// What a barrier instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierMode {
    /// Arrives and waits.
    Sync,
    /// Arrives.
    Arrive,
    /// Waits for those that arrived, itself among them.
    Wait,
}

/// Whose barrier it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierLevel {
    /// The CTA's.
    Cta,
    /// The cluster's.
    Cluster,
}

/// What a fence orders.
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
    Proxy(Proxy),
    /// `fence.proxy.alias`, between generic addresses of one memory.
    Alias,
}

/// The id of a barrier that only its instance names: no register holds it.
pub const NO_ID: Bits = 1 << 64;

/// An instruction. Registers are indices into the thread's.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelInstruction {
    /// Computes.
    Compute {
        /// Where the result goes.
        to: usize,
        /// What is computed.
        alu: Alu,
        /// First operand.
        a: ModelOperand,
        /// Second operand.
        b: ModelOperand,
    },
    /// One of two values: `a` if `when` is not zero, else `b`.
    Select {
        /// Where the result goes.
        to: usize,
        /// What decides.
        when: ModelOperand,
        /// If it is not zero.
        a: ModelOperand,
        /// If it is zero.
        b: ModelOperand,
    },
    /// Reads memory.
    Load {
        /// Where the value goes.
        to: Option<usize>,
        /// Where it is read.
        at: ModelAddress,
        /// How many bytes.
        bytes: u32,
        /// How.
        access: Access,
    },
    /// Writes memory.
    Store {
        /// Where it is written.
        at: ModelAddress,
        /// What is written.
        value: ModelOperand,
        /// How many bytes.
        bytes: u32,
        /// How.
        access: Access,
    },
    /// Reads, computes and writes memory.
    Update {
        /// Where the old value goes; a reduction (`red`) has none.
        to: Option<usize>,
        /// Where memory is.
        at: ModelAddress,
        /// What is computed.
        update: Update,
        /// Operand b.
        b: ModelOperand,
        /// Operand c, of a compare-and-swap.
        c: ModelOperand,
        /// How many bytes.
        bytes: u32,
        /// How.
        access: Access,
        /// Whether it is a `red`, whose read takes no part in an acquire pattern.
        reduction: bool,
    },
    /// Orders.
    Fence(FenceKind),
    /// Waits for other threads, or lets them go on.
    Barrier {
        /// Whose barrier.
        level: BarrierLevel,
        /// Which use of it, where the program says so.
        instance: u64,
        /// Which one.
        id: ModelOperand,
        /// How many threads suffice; `None`: all that use it.
        quorum: Option<ModelOperand>,
        /// Whether it arrives, waits, or both.
        mode: BarrierMode,
        /// Whether memory is ordered by it.
        orders: bool,
    },
    /// Jumps.
    Branch {
        /// When: always, or if the comparison holds.
        when: Option<(Compare, ModelOperand, ModelOperand)>,
        /// The index of the instruction that comes next.
        target: usize,
        /// Whether it only skips what is before the target, as a guard does: what comes later does not depend on it.
        guard: bool,
    },
}

impl ModelInstruction {
    /// How it accesses memory, if it does.
    pub fn access(&self) -> Option<&Access> {
        match self {
            ModelInstruction::Load { access, .. }
            | ModelInstruction::Store { access, .. }
            | ModelInstruction::Update { access, .. } => Some(access),
            _ => None,
        }
    }

    /// How it accesses memory, if it does, to be changed.
    pub fn access_mut(&mut self) -> Option<&mut Access> {
        match self {
            ModelInstruction::Load { access, .. }
            | ModelInstruction::Store { access, .. }
            | ModelInstruction::Update { access, .. } => Some(access),
            _ => None,
        }
    }
}

/// A part of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    /// A register at the end: thread, register.
    Register(usize, usize),
    /// A location at the end.
    Location(usize),
}

impl Observable {
    /// The location whose memory it is; `None` of a register.
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

    /// The location whose memory a location is.
    pub fn physical(&self, mut location: usize) -> usize {
        for _ in 0..self.locations.len() {
            match self.locations[location].alias {
                Some(alias) => location = alias.of,
                None => break,
            }
        }
        location
    }

    /// The location whose generic address a location has.
    pub fn generic(&self, mut location: usize) -> usize {
        for _ in 0..self.locations.len() {
            match self.locations[location].alias {
                Some(Alias { of, generic: false }) => location = of,
                _ => break,
            }
        }
        location
    }

    /// The location with exactly these bytes; `None` where there is none.
    pub fn at(&self, address: u64, bytes: u32) -> Option<usize> {
        self.locations.iter().position(|location| location.address == address && location.bytes == bytes)
    }
}

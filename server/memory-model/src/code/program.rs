//! Programs: threads with their positions and instructions, and the memory that they share.

use crate::Bits;
use crate::code::instruction::{ModelInstruction, ModelOperand};
use crate::code::proxy::FencedSpace;
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
    /// Whether it stands for a register that an asynchronous operation writes: who reads it waits for the value, which orders no memory.
    pub is_register: bool,
    /// Whether nothing has written it before the program: a thread that reads its initial value reads what is not defined.
    pub is_undefined: bool,
}

impl Location {
    /// Whether there is a value of its own before the first write.
    pub fn has_initial_value(&self) -> bool {
        self.alias.is_none() && !self.is_register
    }
}

/// A second name for the memory of another location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The index of the other location.
    pub of: usize,
    /// Whether the alias has another generic address, as for `fence.proxy.alias`; otherwise it has the same address through another proxy.
    pub generic: bool,
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

//! The code of a thread of the memory model while it is written.

use crate::modelled::launched_thread::ModelledWord;
use memory_model::{Bits, Compare, ModelInstruction, ModelOperand, ModelRegister, RegisterFunction};
use program::CodePlace;
use std::collections::{BTreeMap, BTreeSet};

/// The most instructions of a thread.
const MOST_INSTRUCTIONS: usize = 4_000;

/// A place of the code that branches lead to. It may not be written yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLabel(usize);

/// An instruction that ends the kernel with a problem, and the location that tells that it was executed.
#[derive(Clone, Copy, Debug)]
pub struct ModelledTrap {
    /// The instruction.
    pub place: CodePlace,
    /// The address of the location.
    pub address: u64,
}

/// The code of a thread.
#[derive(Debug, Default)]
pub struct ThreadCode {
    /// The instructions. Targets of branches are labels until [`Self::finish`].
    pub code: Vec<ModelInstruction>,
    /// The instruction of the kernel that each of them is made from.
    pub places: Vec<CodePlace>,
    /// The registers; the first one is always 0.
    pub registers: Vec<ModelRegister>,
    /// The words that it accesses at addresses that are known.
    pub words: BTreeSet<ModelledWord>,
    /// The sizes in bytes of accesses at addresses that depend on reads.
    pub computed_sizes: BTreeSet<u32>,
    /// The allocations, by their indices, that it takes for constant.
    pub read_allocations: BTreeSet<usize>,
    /// Those that it writes at addresses that are known.
    pub written_allocations: BTreeSet<usize>,
    /// The instances and ids of the barriers that it executes, in their order.
    pub barriers: Vec<(u64, u64)>,
    /// Whether it has a branch or guard that depends on reads.
    pub has_branched: bool,
    /// The traps that it may come to.
    pub traps: Vec<ModelledTrap>,
    /// Whether it may read a register that nothing has written, where a guard that depends on reads leaves the write out.
    pub may_lack_writes: bool,
    /// The register of each slot of the kernel.
    slots: BTreeMap<u32, usize>,
    labels: Vec<Option<usize>>,
    current: Option<CodePlace>,
}

impl ThreadCode {
    /// The address of a location that is no memory of the kernel: the register at 0 and this.
    pub const ZERO: usize = 0;

    /// No instructions.
    pub fn new() -> Self {
        let zero = ModelRegister { name: "zero".to_owned(), init: 0 };
        Self { registers: vec![zero], ..Self::default() }
    }

    /// The next instructions are made from this one.
    pub fn begin(&mut self, place: CodePlace) {
        self.current = Some(place);
    }

    /// Adds an instruction; `None` if there are too many.
    pub fn push(&mut self, instruction: ModelInstruction) -> Option<()> {
        self.places.push(self.current?);
        self.code.push(instruction);
        (self.code.len() <= MOST_INSTRUCTIONS).then_some(())
    }

    /// The register of a slot.
    pub fn register(&mut self, slot: u32) -> usize {
        let next = self.registers.len();
        let register = *self.slots.entry(slot).or_insert(next);
        if register == next {
            self.registers.push(ModelRegister { name: format!("r{slot}"), init: 0 });
        }
        register
    }

    /// A register that no slot has.
    pub fn temporary(&mut self) -> usize {
        self.registers.push(ModelRegister { name: format!("t{}", self.registers.len()), init: 0 });
        self.registers.len() - 1
    }

    /// Computes a register.
    pub fn apply(
        &mut self,
        to: usize,
        operands: [ModelOperand; 4],
        function: impl Fn([Bits; 4]) -> Bits + Send + Sync + 'static,
    ) -> Option<()> {
        self.push(ModelInstruction::Apply { to, function: RegisterFunction::new(function), operands })
    }

    /// Sets a register to a constant.
    pub fn set(&mut self, to: usize, value: u64) -> Option<()> {
        let operands = [ModelOperand::Constant(value.into()), NO_OPERAND, NO_OPERAND, NO_OPERAND];
        self.apply(to, operands, |[value, ..]| value)
    }

    /// A place that is not written yet.
    pub fn label(&mut self) -> CodeLabel {
        self.labels.push(None);
        CodeLabel(self.labels.len() - 1)
    }

    /// The label is here.
    pub fn place(&mut self, CodeLabel(at): CodeLabel) {
        self.labels[at] = Some(self.code.len());
    }

    /// Goes on at a label.
    pub fn jump(&mut self, CodeLabel(target): CodeLabel) -> Option<()> {
        self.push(ModelInstruction::Branch { when: None, target, guard: false })
    }

    /// Goes on at a label if a register is 0, or if it is not.
    pub fn branch(
        &mut self,
        register: usize,
        is_zero: bool,
        CodeLabel(target): CodeLabel,
        kind: BranchKind,
    ) -> Option<()> {
        self.has_branched = true;
        let compare = if is_zero { Compare::Eq } else { Compare::Ne };
        let when = Some((compare, ModelOperand::Register(register), ModelOperand::Constant(0)));
        self.push(ModelInstruction::Branch { when, target, guard: kind == BranchKind::Guard })
    }

    /// Whether a barrier may be executed again, in a loop that depends on reads. Asked after [`Self::finish`].
    pub fn repeats_barrier(&self) -> bool {
        let is_barrier = |one: &ModelInstruction| matches!(one, ModelInstruction::Barrier { .. });
        let Some(last) = self.code.iter().rposition(is_barrier) else { return false };
        let leads_back =
            |one: &ModelInstruction| matches!(one, ModelInstruction::Branch { target, .. } if *target <= last);
        self.code[last..].iter().any(leads_back)
    }

    /// Gives all branches their targets. Labels without a place are the end.
    pub fn finish(mut self) -> Self {
        let end = self.code.len();
        for instruction in &mut self.code {
            if let ModelInstruction::Branch { target, .. } = instruction {
                *target = self.labels[*target].unwrap_or(end);
            }
        }
        self
    }
}

/// Whether what follows the target of a branch depends on its condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// It does.
    Branch,
    /// It does not: the branch skips an instruction that its guard leaves out.
    Guard,
}

/// An operand that a function does not have.
pub const NO_OPERAND: ModelOperand = ModelOperand::Constant(0);

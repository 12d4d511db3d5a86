//! The part of a kernel that decides which threads access which addresses of shared memory, and when.

use crate::step::{CodeStep, ThreadStep, pointer_source, step};
use isa::types::Sem;
use program::{MachineFunction, RegisterAccesses, Source};

/// A kernel without the instructions whose results decide no address, branch or barrier.
pub(crate) struct Code<'p> {
    /// The function.
    pub function: &'p MachineFunction,
    /// The instructions that count, in order.
    pub steps: Vec<CodeStep<'p>>,
    /// Whether a register holds an address in global memory, by its slot.
    pub is_pointer: Vec<bool>,
    /// Whether threads write shared memory.
    pub writes_shared: bool,
}

/// The registers of each instruction, one list after another.
struct InstructionRegisters {
    starts: Vec<(u32, u32)>,
    slots: Vec<u32>,
}

impl InstructionRegisters {
    fn of(function: &MachineFunction, steps: &[ThreadStep]) -> Self {
        let (mut starts, mut slots) = (Vec::with_capacity(function.code.len() + 1), Vec::new());
        for (instruction, step) in function.code.iter().zip(steps) {
            let accesses = RegisterAccesses::of(&instruction.action).unwrap_or_default();
            let first = slots.len() as u32;
            slots.extend(&accesses.written);
            starts.push((first, slots.len() as u32));
            slots.extend(accesses.read);
            slots.extend(instruction.guard.map(|guard| guard.predicate));
            slots.extend(step.access().and_then(|access| slot(access.address.base)).map(|slot| slot as u32));
        }
        starts.push((slots.len() as u32, slots.len() as u32));
        Self { starts, slots }
    }

    fn written(&self, at: usize) -> &[u32] {
        &self.slots[self.starts[at].0 as usize..self.starts[at].1 as usize]
    }

    fn read(&self, at: usize) -> &[u32] {
        &self.slots[self.starts[at].1 as usize..self.starts[at + 1].0 as usize]
    }
}

impl<'p> Code<'p> {
    /// The code of a function.
    pub fn of(function: &'p MachineFunction) -> Self {
        let steps: Vec<ThreadStep> = function.code.iter().map(|instruction| step(&instruction.action)).collect();
        let registers = InstructionRegisters::of(function, &steps);
        let writes_shared = steps.iter().any(ThreadStep::writes_shared);
        let is_pointer = pointers(function, &steps, &registers);
        let needed = needed(function, &steps, &registers);
        // The index of each instruction among those that are needed.
        let mut places = Vec::with_capacity(needed.len() + 1);
        let mut count = 0;
        for is_needed in &needed {
            places.push(count);
            count += u32::from(*is_needed);
        }
        places.push(count);
        let of_needed = steps.into_iter().enumerate().filter(|(at, _)| needed[*at]);
        let steps = of_needed.map(|(at, step)| CodeStep {
            at: at as u32,
            guard: function.code[at].guard,
            step: step.with_targets(&places),
            written: registers.written(at).into(),
            is_strong: function.code[at].action.memory().order().is_some_and(|order| order.sem != Sem::Weak),
        });
        Self { function, steps: steps.collect(), is_pointer, writes_shared }
    }
}

/// Which instructions decide an address of shared memory, a branch or a barrier.
fn needed(function: &MachineFunction, steps: &[ThreadStep], registers: &InstructionRegisters) -> Vec<bool> {
    let mut needed: Vec<bool> = steps.iter().map(ThreadStep::is_always_needed).collect();
    let mut slots = vec![false; function.registers as usize];
    for at in (0..steps.len()).filter(|at| needed[*at]) {
        registers.read(at).iter().for_each(|slot| slots[*slot as usize] = true);
    }
    // Registers are mostly written before they are read, so few rounds are needed.
    loop {
        let mut has_changed = false;
        for at in (0..steps.len()).rev() {
            if !needed[at] && registers.written(at).iter().any(|slot| slots[*slot as usize]) {
                needed[at] = true;
                has_changed = true;
                if steps[at].has_known_result() {
                    registers.read(at).iter().for_each(|slot| slots[*slot as usize] = true);
                }
            }
        }
        if !has_changed {
            return needed;
        }
    }
}

/// The registers from which addresses of global memory are made by copies and sums.
fn pointers(function: &MachineFunction, steps: &[ThreadStep], registers: &InstructionRegisters) -> Vec<bool> {
    let mut pointers = vec![false; function.registers as usize];
    let bases = function.code.iter().filter_map(|instruction| pointer_source(&instruction.action));
    bases.filter_map(slot).for_each(|slot| pointers[slot] = true);
    loop {
        let mut has_changed = false;
        for (at, step) in steps.iter().enumerate().rev() {
            if registers.written(at).iter().any(|slot| pointers[*slot as usize]) {
                for slot in step.addends().filter_map(slot) {
                    has_changed |= !std::mem::replace(&mut pointers[slot], true);
                }
            }
        }
        if !has_changed {
            return pointers;
        }
    }
}

/// The slot of a register.
fn slot(source: Source) -> Option<usize> {
    match source {
        Source::Register(slot) => Some(slot as usize),
        Source::Constant(_) => None,
    }
}

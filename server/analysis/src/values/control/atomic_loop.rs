//! Loops around one atomic: straight-line code from a label to a branch back to it.

use crate::values::{DefinitionSite, FunctionValues, OperandValue};

/// A loop.
pub struct AtomicLoop {
    /// The first instruction.
    pub top: usize,
    /// The backward branch.
    pub branch: usize,
    /// The comparison that computes the loop condition.
    pub test: Option<usize>,
}

/// The maximum number of instructions before and after the atomic.
const MAX_LENGTH: usize = 64;

impl AtomicLoop {
    /// The loop around an instruction.
    pub fn around(flow: &FunctionValues, at: usize) -> Option<AtomicLoop> {
        let mut branch = at;
        let top = loop {
            branch += 1;
            if branch >= flow.len() || branch - at > MAX_LENGTH || flow.is_branch_target(branch) {
                return None;
            }
            match flow.mnemonic(branch) {
                "bra" => match flow.target(branch) {
                    Some(top) if top <= at && flow.is_guarded(branch) => break top,
                    _ => return None,
                },
                "brx" | "ret" | "exit" | "trap" => return None,
                _ => {}
            }
        };
        if at - top > MAX_LENGTH
            || (top + 1..=at).any(|instruction| flow.is_branch_target(instruction))
            || (top..=branch).any(|instruction| flow.is_broken(instruction))
            || (top..at).any(|instruction| flow.target(instruction).is_some())
        {
            return None;
        }
        let (OperandValue::Register(guard), _) = flow.guard(branch)? else { return None };
        let test = match flow.reaching(guard, branch).site {
            DefinitionSite::Instruction(test) if test >= top && flow.mnemonic(test) == "setp" => Some(test),
            _ => None,
        };
        Some(AtomicLoop { top, branch, test })
    }

    /// Follows copies of a value back to the start of the loop, or to its last computation before `at`. Returns the source and its position.
    pub fn source(&self, flow: &FunctionValues, value: &OperandValue, at: usize) -> (OperandValue, usize) {
        let (mut value, mut at) = (value.clone(), at);
        while let OperandValue::Register(register) = value {
            let Some(writer) = flow.last_write(register, self.top..at) else { break };
            let instruction = flow.instruction(writer);
            let copied = match instruction.values.as_slice() {
                [OperandValue::Register(to), from @ (OperandValue::Register(_) | OperandValue::Number(_))] => {
                    (*to == register && instruction.is("mov") && instruction.guard.is_none()).then_some(from)
                }
                _ => None,
            };
            let Some(from) = copied else { break };
            (value, at) = (from.clone(), writer);
        }
        (value, at)
    }
}

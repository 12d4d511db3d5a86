//! Whether the same threads execute an instruction in every iteration of a loop.

use analysis::effects::LoopBody;
use analysis::values::{BasicBlocks, DefinitionSite, FunctionValues, OperandValue, PostDominators};
use syntax::OperandKind;

/// The maximum number of branches to visit for one instruction.
const STEP_BUDGET: usize = 2_000;

/// The maximum number of instructions between a condition and what it is computed from.
const MAX_DEPTH: usize = 6;

/// The special registers that do not change while a thread runs.
const FIXED: [&str; 7] = ["%tid", "%ntid", "%laneid", "%lanemask", "%ctaid", "%nctaid", "%cluster"];

/// Decides which instructions of a function repeat.
pub(in crate::rules::asynchronous::mbarrier_protocol::parity) struct Repetition<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
}

impl<'f, 'a> Repetition<'f, 'a> {
    /// `None` if the control flow is not known.
    pub(in crate::rules::asynchronous::mbarrier_protocol::parity) fn new(flow: &'f FunctionValues<'a>) -> Option<Self> {
        Some(Repetition { flow, blocks: flow.blocks()?, post_dominators: PostDominators::new(flow)? })
    }

    /// Whether neither the guard of an instruction nor a branch before it in the loop depends on a value that changes there.
    pub(in crate::rules::asynchronous::mbarrier_protocol::parity) fn repeats(
        &self,
        at: usize,
        body: &LoopBody,
    ) -> bool {
        let block = self.blocks.of(at);
        let deciding = self.post_dominators.all_deciding(block, self.blocks, &mut { STEP_BUDGET });
        // A branch out of the loop decides about further iterations only.
        let is_within = |deciding: usize| {
            body.has_block(deciding)
                && self.blocks.successors(deciding).filter(|next| body.has_block(*next)).count() > 1
        };
        let is_same = |deciding: usize| {
            let branch = self.blocks.end(deciding, self.flow.len()).saturating_sub(1);
            self.flow.is_guarded(branch) && self.is_same_guard(branch, body)
        };
        let decides = |deciding: &usize| is_within(*deciding) && !self.blocks.dominates(block, *deciding);
        self.is_same_guard(at, body) && deciding.is_some_and(|found| found.into_iter().filter(decides).all(is_same))
    }

    fn is_same_guard(&self, at: usize, body: &LoopBody) -> bool {
        match self.flow.guard(at) {
            Some((guard, _)) => self.is_same(&guard, at, body, MAX_DEPTH),
            None => !self.flow.is_guarded(at),
        }
    }

    /// Whether a value is computed from values that do not change in the loop.
    fn is_same(&self, value: &OperandValue, at: usize, body: &LoopBody, depth: usize) -> bool {
        let register = match value {
            OperandValue::Register(register) => *register,
            OperandValue::Number(_) | OperandValue::Variable { .. } => return true,
            OperandValue::Address { .. } | OperandValue::List(_) | OperandValue::Other => return false,
        };
        let definition = self.flow.reaching(register, at);
        if body.is_outside(definition) {
            return true;
        }
        let DefinitionSite::Instruction(writer) = definition.site else { return false };
        let is_pure = self.flow.fills_registers(writer) || self.flow.mnemonic(writer) == "elect";
        if !is_pure || self.flow.is_guarded(writer) || depth == 0 {
            return false;
        }
        let instruction = self.flow.instruction(writer);
        instruction.values.iter().zip(&instruction.operands).skip(1).all(|(value, written)| {
            let is_special = FIXED.iter().any(|fixed| written.token.text.trim().starts_with(fixed));
            let is_constant = *value == OperandValue::Other && written.kind == OperandKind::Constant;
            is_special || is_constant || self.is_same(value, writer, body, depth - 1)
        })
    }
}

//! The instructions of the model that the lowering of a thread appends.

use crate::lower::Lower;
use crate::lower::source_instruction::SourceInstruction;
use memory_model::arithmetic::{Alu, AluOp};
use memory_model::{ModelInstruction, ModelOperand};

impl Lower<'_> {
    pub fn code(&mut self) -> &mut Vec<ModelInstruction> {
        &mut self.test.program.threads[self.number].code
    }

    /// The index of the instruction that is appended next.
    pub fn next_index(&mut self) -> usize {
        self.code().len()
    }

    /// Appends an instruction.
    pub fn push(&mut self, source: &SourceInstruction, instruction: ModelInstruction) {
        let at = self.code().len();
        self.code().push(instruction);
        self.test.places.push((self.number, at, source.range.clone()));
    }

    /// Appends a computation.
    pub fn compute(
        &mut self,
        source: &SourceInstruction,
        to: usize,
        op: AluOp,
        (width, signed): (u8, bool),
        a: ModelOperand,
        b: ModelOperand,
    ) {
        self.push(source, ModelInstruction::Compute { to, alu: Alu { op, width, signed }, a, b });
    }
}

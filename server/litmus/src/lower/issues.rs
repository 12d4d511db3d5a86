//! Asynchronous operations that the lowering of a thread issues, with their groups.

use crate::lower::Lower;
use crate::lower::copies::{CopiedAddress, CopiedShape, CopiedValue, UnresolvedCopy};
use crate::lower::source_instruction::SourceInstruction;
use crate::parse::{AsyncGroup, AsyncOperation};
use crate::test::LitmusError;
use memory_model::{Bits, FencedSpace, ModelInstruction, ModelOperand, Proxy};

impl Lower<'_> {
    /// Commits the operations of a kind so far.
    pub fn commit(&mut self, source: &SourceInstruction, kind: AsyncGroup) -> Result<(), LitmusError> {
        self.operations.commit(self.number, kind);
        self.push(source, ModelInstruction::Await { operations: Vec::new() });
        Ok(())
    }

    pub fn copied_address(
        &mut self,
        source: &SourceInstruction,
        at: usize,
        space: Option<FencedSpace>,
    ) -> Result<CopiedAddress, LitmusError> {
        let (base, offset) = self.address_parts(source, at)?;
        Ok(CopiedAddress { base, offset, space })
    }

    /// Issues an operation of the async proxy without a signal, which `change` completes; returns its number.
    pub fn issue(
        &mut self,
        source: &SourceInstruction,
        kind: Option<AsyncGroup>,
        (to, from, shape): (CopiedAddress, CopiedValue, CopiedShape),
        change: impl FnOnce(UnresolvedCopy) -> UnresolvedCopy,
    ) -> usize {
        let issuer = self.number;
        let group = kind.map(|kind| (kind, self.operations.committed(issuer, kind)));
        let (at, range) = (self.next_index(), source.range.clone());
        let issue_order = self.operations.issue_order(issuer, kind);
        let thread = self.operations.add(AsyncOperation {
            issuer,
            at,
            range,
            code: Vec::new(),
            group,
            issue_order,
            pipeline: None,
        });
        self.push(source, ModelInstruction::Issue { thread });
        self.copies.push(change(UnresolvedCopy {
            operation: thread,
            issuer,
            range: source.range.clone(),
            to,
            from,
            shape,
            proxy: Proxy::Async,
            reduction: None,
            signal: None,
            rank: None,
        }));
        thread
    }

    /// Issues an operation whose code is known.
    pub fn issue_code(&mut self, source: &SourceInstruction, kind: AsyncGroup, code: Vec<ModelInstruction>) {
        let issuer = self.number;
        let group = Some((kind, self.operations.committed(issuer, kind)));
        let (at, range) = (self.next_index(), source.range.clone());
        let issue_order = self.operations.issue_order(issuer, Some(kind));
        let operation = AsyncOperation { issuer, at, range, code, group, issue_order, pipeline: None };
        let thread = self.operations.add(operation);
        self.push(source, ModelInstruction::Issue { thread });
    }

    /// An operand that must be a number, or a register that holds one.
    pub fn number_operand(&mut self, source: &SourceInstruction, at: usize) -> Result<Bits, LitmusError> {
        let operand = self.operand(source, at)?;
        self.constant(operand, source.error(format!("operand {} is not a constant", at + 1)))
    }

    /// The value of an operand that must be a number, or a register that holds one.
    pub fn constant(&mut self, operand: ModelOperand, error: LitmusError) -> Result<Bits, LitmusError> {
        let number = self.test.program.threads[self.number].static_value(operand);
        let number = number.ok_or_else(|| error.clone())?;
        self.numbers.push((operand, number, error));
        Ok(number)
    }
}

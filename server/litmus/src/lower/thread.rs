//! Lowers the instructions of a function in order, with their guards and branches.

use crate::lower::LitmusModule;
use crate::lower::copies::UnresolvedCopy;
use crate::lower::functions::{Body, ModuleVariable};
use crate::lower::source_instruction::SourceInstruction;
use crate::lower::tensor_columns::TensorColumns;
use crate::lower::warpgroup_product::PendingProduct;
use crate::parse::AsyncOperations;
use crate::test::{LitmusError, Test};
use memory_model::arithmetic::Compare;
use memory_model::{Bits, ModelInstruction, ModelOperand};
use std::collections::BTreeMap;
use std::ops::Range;

/// The lowering of a function to a thread.
pub struct Lower<'l> {
    pub test: &'l mut Test,
    pub symbols: &'l BTreeMap<String, ModuleVariable>,
    pub lowering: &'l LitmusModule,
    pub body: &'l Body<'l>,
    pub number: usize,
    /// The asynchronous operations of all threads, and the copies among them.
    pub operations: &'l mut AsyncOperations,
    pub copies: &'l mut Vec<UnresolvedCopy>,
    /// What the functions do with tensor memory.
    pub tensors: &'l mut TensorColumns,
    /// Branches whose targets are set at the end: instruction, and label or `None` for the end of the thread.
    pub branches: Vec<(usize, Option<Label>)>,
    /// Operands that have to be constants, with their values so far and what is wrong if instructions after them or branches change them.
    pub numbers: Vec<(ModelOperand, Bits, LitmusError)>,
    /// The products of `wgmma` that the thread has not waited for.
    pub products: Vec<PendingProduct>,
}

/// The name and range of a label.
pub type Label = (String, Range<usize>);

impl Lower<'_> {
    /// Lowers all instructions.
    pub fn lower_all(&mut self) -> Result<(), LitmusError> {
        let mut starts = Vec::new();
        for instruction in &self.body.code {
            starts.push(self.code().len());
            let source = SourceInstruction::new(instruction);
            let guard = instruction.guard().map(|guard| (guard.text.into_owned(), instruction.is_negated()));
            self.lower_one(&source, guard)?;
        }
        let end = self.code().len();
        starts.push(end);
        for (at, label) in std::mem::take(&mut self.branches) {
            let to = match label {
                None => end,
                Some((label, range)) => match self.body.labels.get(&label) {
                    Some(index) => starts.get(*index).copied().unwrap_or(end),
                    None => {
                        let message = format!("unknown label `{label}` in `{}`", self.body.name);
                        return Err(LitmusError {
                            range,
                            message,
                            help: "branch to a label of the same function".into(),
                        });
                    }
                },
            };
            if let ModelInstruction::Branch { target, .. } = &mut self.code()[at] {
                *target = to;
            }
        }
        let thread = &self.test.program.threads[self.number];
        let changed = |(operand, number, _): &&_| thread.static_value(*operand) != Some(*number);
        self.numbers.iter().find(changed).map_or(Ok(()), |(.., error)| Err(error.clone()))
    }

    fn lower_one(&mut self, source: &SourceInstruction, guard: Option<(String, bool)>) -> Result<(), LitmusError> {
        let guard = guard.map(|(name, negated)| (ModelOperand::Register(self.register(&name)), negated));
        let is_branch = matches!(source.mnemonic(), "bra" | "ret" | "exit");
        let comparison = |compare| guard.map(|(predicate, _)| (compare, predicate, ModelOperand::Constant(0)));
        let is_negated = guard.is_some_and(|(_, negated)| negated);
        let (holds, fails) = if is_negated { (Compare::Eq, Compare::Ne) } else { (Compare::Ne, Compare::Eq) };
        if is_branch {
            let label = match source.mnemonic() {
                "bra" => Some(source.operands.first().cloned().ok_or_else(|| source.unsupported())?),
                _ => None,
            };
            let at = self.code().len();
            self.branches.push((at, label));
            self.push(source, ModelInstruction::Branch { when: comparison(holds), target: 0, guard: false });
            return Ok(());
        }
        let skip = comparison(fails).map(|when| {
            let at = self.code().len();
            self.push(source, ModelInstruction::Branch { when: Some(when), target: 0, guard: true });
            at
        });
        self.unguarded(source)?;
        if let Some(at) = skip {
            let next = self.code().len();
            if let ModelInstruction::Branch { target, .. } = &mut self.code()[at] {
                *target = next;
            }
        }
        Ok(())
    }
}

//! A function becomes a thread: its instructions one after the other, their guards, and its jumps.
//!
//! Must not know what a single instruction does.

use super::LitmusModule;
use super::functions::{Body, ModuleVariable};
use super::source_instruction::SourceInstruction;
use crate::litmus::test::{LitmusError, Test};
use memory_model::arithmetic::Compare;
use memory_model::{ModelInstruction, ModelOperand};
use std::collections::BTreeMap;
use std::ops::Range;

/// A function on its way to become a thread.
pub struct Lower<'l> {
    pub test: &'l mut Test,
    pub symbols: &'l BTreeMap<String, ModuleVariable>,
    pub lowering: &'l LitmusModule,
    pub body: &'l Body<'l>,
    pub number: usize,
    /// Jumps whose target is known at the end: instruction, label or the end.
    pub ends: Vec<(usize, Option<Label>)>,
}

/// A label's name, and where it is written.
pub type Label = (String, Range<usize>);

impl Lower<'_> {
    /// Adds the instructions of the function to its thread.
    pub fn all(&mut self) -> Result<(), LitmusError> {
        let mut starts = Vec::new();
        for instruction in &self.body.code {
            starts.push(self.code().len());
            let written = SourceInstruction::new(instruction);
            let guard = instruction.guard().map(|guard| (guard.text.into_owned(), instruction.is_negated()));
            self.one(&written, guard)?;
        }
        let end = self.code().len();
        starts.push(end);
        for (at, label) in std::mem::take(&mut self.ends) {
            let to = match label {
                None => end,
                Some((label, range)) => match self.body.labels.get(&label) {
                    Some(index) => starts.get(*index).copied().unwrap_or(end),
                    None => {
                        let message = format!("unknown label `{label}` in `{}`", self.body.name);
                        return Err(LitmusError {
                            range,
                            message,
                            help: "jump to a label of the same function".into(),
                        });
                    }
                },
            };
            if let ModelInstruction::Branch { target, .. } = &mut self.code()[at] {
                *target = to;
            }
        }
        Ok(())
    }

    fn code(&mut self) -> &mut Vec<ModelInstruction> {
        &mut self.test.program.threads[self.number].code
    }

    /// Adds an instruction.
    pub fn push(&mut self, written: &SourceInstruction, instruction: ModelInstruction) {
        let at = self.code().len();
        self.code().push(instruction);
        self.test.places.push((self.number, at, written.range.clone()));
    }

    fn one(&mut self, written: &SourceInstruction, guard: Option<(String, bool)>) -> Result<(), LitmusError> {
        let guard = guard.map(|(name, negated)| (ModelOperand::Register(self.register(&name)), negated));
        let jump = matches!(written.mnemonic(), "bra" | "ret" | "exit");
        let when = |skip: bool| {
            guard.map(|(name, not)| {
                (if not ^ skip { Compare::Eq } else { Compare::Ne }, name, ModelOperand::Constant(0))
            })
        };
        if jump {
            let label = match written.mnemonic() {
                "bra" => Some(written.operands.first().cloned().ok_or_else(|| written.unknown())?),
                _ => None,
            };
            let at = self.code().len();
            self.ends.push((at, label));
            self.push(written, ModelInstruction::Branch { when: when(false), target: 0, guard: false });
            return Ok(());
        }
        let skip = when(true).map(|when| {
            let at = self.code().len();
            self.push(written, ModelInstruction::Branch { when: Some(when), target: 0, guard: true });
            at
        });
        self.plain(written)?;
        if let Some(at) = skip {
            let next = self.code().len();
            if let ModelInstruction::Branch { target, .. } = &mut self.code()[at] {
                *target = next;
            }
        }
        Ok(())
    }
}

//! From functions of a PTX module to threads of the memory model: addresses by symbol or parameter, moves, arithmetic, comparisons, jumps,
//! and everything that accesses or orders memory.
//!
//! What it does not know it names, so that nothing is left out in silence. Must not know what the model says.

mod arithmetic;
mod functions;
mod initial_values;
mod memory;
mod names;
mod source_instruction;
mod thread;

use super::test::{LitmusError, Test};
use memory_model::arithmetic::AluOp;
use memory_model::{Bits, ModelOperand, Thread, ThreadPosition};
use source_instruction::SourceInstruction;
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::LintFile;
use thread::Lower;

pub use functions::Widths;

/// A thread as the comments place it.
#[derive(Clone, Debug)]
pub struct ThreadPlacement {
    pub function: String,
    pub place: ThreadPosition,
    pub range: Range<usize>,
}

/// First values by name (of a variable, or `f:name`), with the line that says so.
pub type InitialValues = BTreeMap<String, (String, Range<usize>)>;

/// What the comments say.
pub struct LitmusModule {
    pub roles: Vec<ThreadPlacement>,
    pub inits: InitialValues,
}

/// Adds the threads to a test; returns how wide the registers of each are.
pub fn lower(file: &LintFile, lowering: &LitmusModule, test: &mut Test) -> Vec<Widths> {
    let (bodies, symbols) = functions::read(file);
    let mut lowered = Vec::new();
    for role in &lowering.roles {
        let Some(body) = bodies.iter().find(|body| body.name == role.function) else {
            test.errors.push(LitmusError {
                range: role.range.clone(),
                message: format!("unknown function `{}`", role.function),
                help: closest(&role.function, bodies.iter().map(|body| &*body.name))
                    .unwrap_or_else(|| "name an `.entry` or `.func` of this file".into()),
            });
            continue;
        };
        let number = test.program.threads.len();
        test.numbers.push(number as u32);
        test.program.threads.push(Thread { name: role.function.clone(), place: role.place, ..Thread::default() });
        let mut thread = Lower { test, symbols: &symbols, lowering, body, number, ends: Vec::new() };
        if let Err(error) = thread.all() {
            test.errors.push(error);
        }
        lowered.push(body);
    }
    if test.errors.is_empty() {
        initial_values::apply(&lowering.inits, &lowered, &symbols, test);
    }
    lowered.into_iter().map(|body| body.widths.clone()).collect()
}

/// Names the one of some names that was probably meant.
pub fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    isa::closest(name, known).map(|near| format!("did you mean `{near}`?"))
}

fn cut(value: Bits, width: u32) -> Bits {
    value & (Bits::MAX >> (128 - width.clamp(1, 128)))
}

impl Lower<'_> {
    /// Adds what one instruction does, whatever guards it.
    fn plain(&mut self, written: &SourceInstruction) -> Result<(), LitmusError> {
        match written.mnemonic() {
            "ld" if written.has("param") => {
                let name = written.operands.get(1).map(|(text, _)| text.trim_matches(['[', ']'])).unwrap_or_default();
                let value = self.symbol(name, written)?;
                let to = self.destination(written)?;
                self.compute(written, to, AluOp::Move, (64, false), value, ModelOperand::Constant(0));
            }
            "ld" | "st" => self.access(written)?,
            "atom" | "red" => self.update(written)?,
            "fence" | "membar" => self.fence(written)?,
            "bar" | "barrier" => self.barrier(written)?,
            "nop" | "pragma" => {}
            _ => self.arithmetic(written)?,
        }
        Ok(())
    }
}

//! Lowers functions of a PTX module to threads of the memory model: addresses by symbol or parameter, moves, arithmetic, comparisons,
//! branches, and instructions that access or order memory.
//!
//! An unsupported instruction is an error, so that nothing is ignored silently.

mod arithmetic;
mod asynchronous;
mod copies;
mod emitted;
mod functions;
mod initial_values;
mod issues;
mod memory;
mod names;
mod shared_variables;
mod source_instruction;
mod tensor_columns;
mod tensor_copies;
mod tensor_memory;
mod thread;
mod warpgroup;
mod warpgroup_product;

use crate::lower::source_instruction::SourceInstruction;
use crate::lower::tensor_columns::TensorColumns;
use crate::lower::thread::Lower;
use crate::parse::{AsyncOperations, add_threads};
use crate::test::{LitmusError, Test};
use memory_model::arithmetic::AluOp;
use memory_model::{Bits, ModelOperand, Thread, ThreadPosition};
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::LintFile;

pub use crate::lower::functions::Widths;
use crate::lower::functions::{Body, ModuleVariable};

/// A thread and its position, from a comment.
#[derive(Clone, Debug)]
pub struct ThreadPlacement {
    pub function: String,
    pub place: ThreadPosition,
    pub range: Range<usize>,
}

/// Initial values by name (of a variable, or `f:name`), with the range of the line.
pub type InitialValues = BTreeMap<String, (String, Range<usize>)>;

/// The statements of the comments of a test.
pub struct LitmusModule {
    pub threads: Vec<ThreadPlacement>,
    pub inits: InitialValues,
}

/// The functions and variables of a module, for all of its tests.
pub struct ModuleFunctions<'a> {
    bodies: Vec<Body<'a>>,
    symbols: BTreeMap<String, ModuleVariable>,
}

impl<'a> ModuleFunctions<'a> {
    /// Those of a file.
    pub fn of(file: &'a LintFile) -> Self {
        let (bodies, mut symbols) = functions::read(file);
        shared_variables::place(&mut symbols);
        ModuleFunctions { bodies, symbols }
    }
}

/// Adds the threads to a test; returns the widths of the registers of each.
pub fn lower(functions: &ModuleFunctions, lowering: &LitmusModule, test: &mut Test) -> Vec<Widths> {
    let ModuleFunctions { bodies, symbols } = functions;
    let mut lowered = Vec::new();
    let mut tensors = TensorColumns::of(bodies);
    let (mut operations, mut copies) = (AsyncOperations::default(), Vec::new());
    for placement in &lowering.threads {
        let Some(body) = bodies.iter().find(|body| body.name == placement.function) else {
            test.errors.push(LitmusError {
                range: placement.range.clone(),
                message: format!("unknown function `{}`", placement.function),
                help: closest(&placement.function, bodies.iter().map(|body| &*body.name))
                    .unwrap_or_else(|| "name an `.entry` or `.func` of this file".into()),
            });
            continue;
        };
        let number = test.program.threads.len();
        test.numbers.push(number as u32);
        test.program.threads.push(Thread {
            name: placement.function.clone(),
            place: placement.place,
            ..Thread::default()
        });
        let mut thread = Lower {
            test,
            symbols,
            lowering,
            body,
            number,
            operations: &mut operations,
            copies: &mut copies,
            tensors: &mut tensors,
            branches: Vec::new(),
            numbers: Vec::new(),
            products: Vec::new(),
        };
        if let Err(error) = thread.lower_all() {
            test.errors.push(error);
        }
        lowered.push(body);
    }
    if test.errors.is_empty() {
        copies::resolve(test, &mut operations, &copies);
    }
    if test.errors.is_empty() {
        add_threads(test, operations);
        let slot_error = tensors.slot_error(test);
        test.errors.extend(slot_error);
        tensors.mark_slots(test);
        initial_values::apply(&lowering.inits, &lowered, symbols, test);
    }
    lowered.into_iter().map(|body| body.widths.clone()).collect()
}

/// A help that names the closest of some names.
pub fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    isa::closest(name, known).map(|near| format!("did you mean `{near}`?"))
}

fn cut(value: Bits, width: u32) -> Bits {
    value & (Bits::MAX >> (128 - width.clamp(1, 128)))
}

impl Lower<'_> {
    /// Lowers one instruction without its guard.
    fn unguarded(&mut self, source: &SourceInstruction) -> Result<(), LitmusError> {
        if let Some(lowered) = warpgroup::warpgroup(self, source)
            .or_else(|| tensor_memory::tensor_memory(self, source))
            .or_else(|| asynchronous::asynchronous(self, source))
        {
            return lowered;
        }
        match source.mnemonic() {
            "ld" if source.has("param") => {
                let name = source.operands.get(1).map(|(text, _)| text.trim_matches(['[', ']'])).unwrap_or_default();
                let value = self.symbol(name, source)?;
                let to = self.destination(source)?;
                self.compute(source, to, AluOp::Move, (64, false), value, ModelOperand::Constant(0));
            }
            "ld" | "st" => memory::access(self, source)?,
            "atom" | "red" => memory::update(self, source)?,
            "fence" | "membar" => memory::fence(self, source)?,
            "bar" | "barrier" => memory::barrier(self, source)?,
            "mapa" => self.map_to_rank(source)?,
            // What changes neither memory nor its order.
            "nop" | "pragma" | "nanosleep" | "prefetch" | "prefetchu" | "setmaxnreg" => {}
            _ => arithmetic::arithmetic(self, source)?,
        }
        Ok(())
    }
}

//! From functions of a PTX module to threads of the memory model: addresses by symbol or parameter, moves, arithmetic, comparisons, jumps,
//! and everything that accesses or orders memory.
//!
//! What it does not know it names, so that nothing is left out in silence. Must not know what the model says.

mod arithmetic;
mod functions;
mod memory;
mod names;
mod thread;
mod written;

use super::module::Role;
use super::parse::number;
use super::test::{Mistake, Test};
use emulator::model::compute::Op;
use emulator::model::{Bits, Operand, Thread};
use std::collections::BTreeMap;
use std::ops::Range;
use syntax::SourceFile;
use thread::Lower;
use written::Written;

/// What the comments say.
pub struct Lowering {
    pub roles: Vec<Role>,
    /// First values by name, with the line that says so.
    pub inits: BTreeMap<String, (String, Range<usize>)>,
}

/// Adds the threads to a test.
pub fn lower(file: &SourceFile, lowering: &Lowering, test: &mut Test) {
    let (bodies, symbols) = functions::read(file);
    for role in &lowering.roles {
        let Some(body) = bodies.iter().find(|body| body.name == role.function) else {
            test.mistakes.push(Mistake {
                range: role.range.clone(),
                message: format!("there is no function `{}` here", role.function),
                help: "name an .entry or .func of this file".into(),
            });
            continue;
        };
        let number = test.program.threads.len();
        test.numbers.push(number as u32);
        test.program.threads.push(Thread { name: role.function.clone(), place: role.place, ..Thread::default() });
        let mut thread = Lower { file, test, symbols: &symbols, lowering, body, number, ends: Vec::new() };
        if let Err(mistake) = thread.all() {
            test.mistakes.push(mistake);
        }
    }
    for (name, (value, range)) in &lowering.inits {
        if name.contains(':') {
            continue;
        }
        let location = test.program.locations.iter().position(|location| location.name == *name);
        match (location, number(value)) {
            (Some(at), Some(value)) => {
                test.program.locations[at].init = cut(value, test.program.locations[at].bytes * 8)
            }
            _ => test.mistakes.push(Mistake {
                range: range.clone(),
                message: format!("no thread accesses `{name}`, or `{value}` is no number"),
                help: "name a variable or a pointer parameter of the functions".into(),
            }),
        }
    }
}

fn cut(value: Bits, width: u32) -> Bits {
    value & (Bits::MAX >> (128 - width.clamp(1, 128)))
}

impl Lower<'_> {
    /// Adds what one instruction does, whatever guards it.
    fn plain(&mut self, written: &Written) -> Result<(), Mistake> {
        match written.mnemonic() {
            "ld" if written.has("param") => {
                let name = written.operands.get(1).map(|(text, _)| text.trim_matches(['[', ']'])).unwrap_or_default();
                let value = self.symbol(name, written)?;
                let to = self.destination(written)?;
                self.compute(written, to, Op::Move, (64, false), value, Operand::Constant(0));
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

//! Evaluation comments on atomics, such as `//= [a]=5, b=3`: results, hints, and example inputs.
//!
//! Evaluates the comments in the emulator, with the state known from the surrounding code.

mod arithmetic;
pub mod atomic;
pub mod comment;
mod errors;
pub mod evaluate;
mod follow;
mod guard;
mod known_state;
pub mod statements;
pub mod table;
mod written;

pub use crate::comments::table::table;

pub use crate::comments::atomic::EvaluatedAtomic;
pub use crate::comments::comment::{CommentError, is_marked};
pub use crate::comments::errors::EvaluationFailure;
pub use crate::comments::evaluate::CommentOutcome;
pub use crate::comments::guard::GuardValue;
pub use crate::comments::known_state::KnownState;
pub use crate::comments::written::{ExecutionValues, NamedContent, RegisterUse, WritingInstruction};

use crate::comments::statements::{CommentStep, items, steps};
use diagnostics::Context;
use diagnostics::Snapshot;
use isa::{Module, Resolution, Spelling};
use std::ops::Range;
use syntax::{Instruction, SourceFile};
use values::Computation;

/// An evaluation comment and its result.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The range of the comment.
    pub range: Range<usize>,
    /// Whether values are missing, and the comment gives none: a launch may have them.
    pub lacks_values: bool,
    /// Whether a generic address is assumed to be in global memory.
    pub assumed_global: bool,
    /// The result, or the error.
    pub outcome: Result<CommentOutcome, CommentError>,
}

/// Evaluates the evaluation comments of the functions that a range touches, in order. Comments on illegal instructions
/// are skipped: the instruction has a diagnostic of its own.
pub fn evaluations(snapshot: &Snapshot, within: Range<usize>) -> Vec<Evaluated> {
    let module = Context::new(snapshot).module;
    let mut found = Vec::new();
    let touched = |item: &Range<usize>| item.start <= within.end && within.start <= item.end;
    for item in items(&snapshot.file).into_iter().filter(touched) {
        run(snapshot, item, &module, None, &mut found);
    }
    found
}

/// Evaluates the evaluation comments of one item of the module, in order.
pub fn item_evaluations(snapshot: &Snapshot, item: Range<usize>, module: &Module) -> Vec<Evaluated> {
    let mut found = Vec::new();
    run(snapshot, item, module, None, &mut found);
    found
}

/// Evaluates the comments of an item in order. With an offset, stops at the instruction there and returns it with the state known
/// before it; between two adjacent instructions, the second.
pub fn run<'a>(
    snapshot: &'a Snapshot,
    item: Range<usize>,
    module: &Module,
    until: Option<usize>,
    found: &mut Vec<Evaluated>,
) -> Option<(Instruction<'a>, KnownState)> {
    let mut here = None;
    let mut known = KnownState::default();
    // Most code has no comment before the next label, so steps are only followed when the state is needed.
    let mut pending = Vec::new();
    for step in steps(&snapshot.file, item) {
        match step {
            CommentStep::Reset => {
                pending.clear();
                known.forget();
            }
            CommentStep::Stray(range) => found.push(stray(snapshot, range)),
            CommentStep::Declared(_) => pending.push(step),
            CommentStep::Statement(instruction, ref comments) => {
                let range = instruction.range();
                if let Some(offset) = until.filter(|offset| *offset <= range.end) {
                    if range.start <= offset {
                        catch_up(&mut known, &mut pending);
                        here = Some((instruction, known.clone()));
                    }
                    if offset < range.end {
                        return here;
                    }
                }
                if comments.is_empty() {
                    pending.push(step);
                    continue;
                }
                match atomic(&snapshot.file, &instruction, module) {
                    AtomicCheck::Legal(subject) => {
                        catch_up(&mut known, &mut pending);
                        let cases = comments.iter().map(|range| case(snapshot, range.clone(), &subject, &mut known));
                        found.extend(cases);
                    }
                    AtomicCheck::Illegal => pending.push(step),
                    AtomicCheck::Other => {
                        let other = WritingInstruction::new(&instruction);
                        found.extend(comments.iter().map(|range| written(snapshot, range.clone(), &other)));
                        pending.push(step);
                    }
                }
            }
        }
    }
    here
}

/// Follows the pending steps.
fn catch_up(known: &mut KnownState, pending: &mut Vec<CommentStep>) {
    for step in pending.drain(..) {
        match step {
            CommentStep::Statement(instruction, _) => known.follow(&instruction),
            CommentStep::Declared(name) => known.forget_declared(&name),
            CommentStep::Reset | CommentStep::Stray(_) => {}
        }
    }
}

/// The class of an instruction.
pub enum AtomicCheck<'a> {
    /// A legal atomic with its operands.
    Legal(Box<EvaluatedAtomic<'a>>),
    /// An atomic that is illegal.
    Illegal,
    /// Not an atomic.
    Other,
}

/// Classifies an instruction of a module.
pub fn atomic<'a>(file: &SourceFile, instruction: &Instruction<'a>, module: &Module) -> AtomicCheck<'a> {
    let opcode = instruction.opcode();
    let words = opcode.words();
    match isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, module) {
        Resolution::Legal(resolved) if !Computation::covers(resolved.family.name) => AtomicCheck::Other,
        Resolution::Legal(resolved) => AtomicCheck::Legal(Box::new(
            EvaluatedAtomic::new(resolved, instruction.operands()).guarded(GuardValue::of(file, instruction)),
        )),
        Resolution::Illegal(_) => AtomicCheck::Illegal,
        Resolution::Unknown => AtomicCheck::Other,
    }
}

fn case(snapshot: &Snapshot, range: Range<usize>, subject: &EvaluatedAtomic, known: &mut KnownState) -> Evaluated {
    let text = snapshot.file.slice(&range);
    let comment = comment::parse(&text, range.start);
    let gives_none = comment.as_ref().is_ok_and(|comment| comment.given.is_empty());
    let outcome = comment.map_err(EvaluationFailure::Invalid).and_then(|comment| {
        let outcome = evaluate::evaluate(subject, &comment, known)?;
        Ok((comment, outcome))
    });
    let generic = subject.instruction.space.value == isa::types::Space::Generic;
    match outcome {
        Ok((comment, outcome)) => Evaluated {
            range: comment.range,
            assumed_global: generic && comment.location.is_none(),
            lacks_values: false,
            outcome: Ok(outcome),
        },
        Err(failure) => {
            let lacks_values = gives_none && matches!(failure, EvaluationFailure::Missing(_));
            // The effect of the instruction is unknown.
            known.forget_memory();
            subject.destination.iter().for_each(|destination| evaluate::forget(known, destination));
            Evaluated { range, assumed_global: false, lacks_values, outcome: Err(failure.into()) }
        }
    }
}

/// A comment on an instruction that is no atomic: only a launch has its values.
fn written(snapshot: &Snapshot, range: Range<usize>, instruction: &WritingInstruction) -> Evaluated {
    let comment = comment::parse(&snapshot.file.slice(&range), range.start);
    let lacks_values = comment.as_ref().is_ok_and(|comment| comment.given.is_empty());
    let error = comment.map_or_else(|error| error, |comment| instruction.without_launch(&comment));
    Evaluated { range, assumed_global: false, lacks_values, outcome: Err(error) }
}

fn stray(snapshot: &Snapshot, range: Range<usize>) -> Evaluated {
    let text = snapshot.file.slice(&range);
    let error = CommentError {
        range: range.start..range.start + comment::without_trailing_comment(&text).len(),
        message: "evaluation comment without an instruction on this line or the next".to_owned(),
        help: "write it after the `;` of an instruction, or on the line above".to_owned(),
    };
    Evaluated { range, assumed_global: false, lacks_values: false, outcome: Err(error) }
}

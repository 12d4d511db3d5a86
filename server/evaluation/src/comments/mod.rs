//! Evaluation where the code is read: comments `//= [a]=5, b=3` on atomics, their results as hints, and what to try.
//!
//! Joins the comments and the code around them with the emulator.

mod arithmetic;
mod atomic;
pub mod comment;
pub mod evaluate;
mod follow;
mod guard;
mod known_state;
pub mod statements;
pub mod table;

pub use table::table;

pub use atomic::EvaluatedAtomic;
pub use comment::{CommentError, is_marked};
pub use evaluate::CommentOutcome;
pub use guard::GuardValue;
pub use known_state::KnownState;

use diagnostics::Context;
use diagnostics::Snapshot;
use isa::{Module, Resolution, Spelling};
use statements::{CommentStep, items, steps};
use std::ops::Range;
use syntax::{Instruction, SourceFile};

/// One evaluation comment and what came of it.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// From the mark to the end of what counts.
    pub range: Range<usize>,
    /// Whether the instruction's address is generic and the comment leaves open where it points.
    pub taken_as_global: bool,
    /// What came of it, or why nothing did.
    pub outcome: Result<CommentOutcome, CommentError>,
}

/// Evaluates the evaluation comments of the functions that a range touches, in order. Comments on illegal instructions
/// are passed over: what is wrong with the instruction is said elsewhere.
pub fn evaluations(snapshot: &Snapshot, within: Range<usize>) -> Vec<Evaluated> {
    let module = Context::new(snapshot).module;
    let mut found = Vec::new();
    let touched = |item: &Range<usize>| item.start <= within.end && within.start <= item.end;
    for item in items(&snapshot.file).into_iter().filter(touched) {
        run(snapshot, item, &module, None, &mut found);
    }
    found
}

/// Evaluates the evaluation comments of one of the module's items, in order.
pub fn item_evaluations(snapshot: &Snapshot, item: Range<usize>, module: &Module) -> Vec<Evaluated> {
    let mut found = Vec::new();
    run(snapshot, item, module, None, &mut found);
    found
}

/// Evaluates an item's comments in order. With an offset, those before the instruction there, which is given with what
/// is known in front of it; where one instruction ends and the next begins, the next.
pub fn run<'a>(
    snapshot: &'a Snapshot,
    item: Range<usize>,
    module: &Module,
    until: Option<usize>,
    found: &mut Vec<Evaluated>,
) -> Option<(Instruction<'a>, KnownState)> {
    let mut here = None;
    let mut known = KnownState::default();
    // Most code lies between no comment and the next label: it is followed only once somebody asks what is known.
    let mut behind = Vec::new();
    for step in steps(&snapshot.file, item) {
        match step {
            CommentStep::Reset => {
                behind.clear();
                known.forget();
            }
            CommentStep::Stray(range) => found.push(stray(snapshot, range)),
            CommentStep::Declared(_) => behind.push(step),
            CommentStep::Statement(instruction, ref comments) => {
                let range = instruction.range();
                if let Some(offset) = until.filter(|offset| *offset <= range.end) {
                    if range.start <= offset {
                        catch_up(&mut known, &mut behind);
                        here = Some((instruction, known.clone()));
                    }
                    if offset < range.end {
                        return here;
                    }
                }
                if comments.is_empty() {
                    behind.push(step);
                    continue;
                }
                match atomic(&snapshot.file, &instruction, module) {
                    AtomicCheck::Legal(subject) => {
                        catch_up(&mut known, &mut behind);
                        let cases = comments.iter().map(|range| case(snapshot, range.clone(), &subject, &mut known));
                        found.extend(cases);
                    }
                    AtomicCheck::Illegal => behind.push(step),
                    AtomicCheck::Other => {
                        found.extend(comments.iter().map(|range| stray(snapshot, range.clone())));
                        behind.push(step);
                    }
                }
            }
        }
    }
    here
}

/// Follows the steps that nobody has asked about yet.
fn catch_up(known: &mut KnownState, behind: &mut Vec<CommentStep>) {
    for step in behind.drain(..) {
        match step {
            CommentStep::Statement(instruction, _) => known.follow(&instruction),
            CommentStep::Declared(name) => known.forget_declared(&name),
            CommentStep::Reset | CommentStep::Stray(_) => {}
        }
    }
}

/// What the tables say of an instruction.
pub enum AtomicCheck<'a> {
    /// An atomic, legal and with its operands.
    Legal(Box<EvaluatedAtomic<'a>>),
    /// An atomic that is illegal.
    Illegal,
    /// No atomic.
    Other,
}

/// What the tables say of an instruction in a module.
pub fn atomic<'a>(file: &SourceFile, instruction: &Instruction<'a>, module: &Module) -> AtomicCheck<'a> {
    let opcode = instruction.opcode();
    let words = opcode.words();
    match isa::resolve(&Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words }, module) {
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
    let outcome = comment.and_then(|comment| {
        let outcome = evaluate::evaluate(subject, &comment, known)?;
        Ok((comment, outcome))
    });
    let generic = subject.instruction.space.value == isa::types::Space::Generic;
    match outcome {
        Ok((comment, outcome)) => Evaluated {
            range: comment.range,
            taken_as_global: generic && comment.location.is_none(),
            outcome: Ok(outcome),
        },
        Err(error) => {
            // What the instruction did is not known, and so neither is what it left.
            known.forget_memory();
            subject.destination.iter().for_each(|destination| evaluate::forget(known, destination));
            Evaluated { range, taken_as_global: false, outcome: Err(error) }
        }
    }
}

fn stray(snapshot: &Snapshot, range: Range<usize>) -> Evaluated {
    let text = snapshot.file.slice(&range);
    let error = CommentError {
        range: range.start..range.start + comment::counts(&text).len(),
        message: "evaluation comment without an atomic on this line or the next".to_owned(),
        help: "write it after the `;` of an `atom`, `red` or `multimem` instruction, or on the line above".to_owned(),
    };
    Evaluated { range, taken_as_global: false, outcome: Err(error) }
}

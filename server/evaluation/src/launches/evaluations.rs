//! Evaluation comments without values, which take them from the launches in comments.

use crate::comments::evaluate::{CommentOutcome, evaluate};
use crate::comments::statements::{CommentStep, items, steps};
use crate::comments::{
    AtomicCheck, CommentError, Evaluated, EvaluatedAtomic, KnownState, WritingInstruction, atomic, comment,
};
use crate::launches::atomic_values::{AtomicQuestion, AtomicValues, answers};
use crate::launches::blocks::{LaunchPurpose, WrittenLaunch, written_launches};
use crate::launches::cache::LaunchCache;
use crate::launches::prepare::prepare_launch;
use crate::launches::report::thread_name;
use crate::launches::written_values::{PREFERRED, WrittenQuestion, WrittenValues, written_values};
use isa::Module;
use isa::types::Space;
use kernel::KernelModule;
use litmus::is_marked;
use program::ThreadId;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::{OperandKind, SourceFile};
use values::{AccessedSpace, Computation, Shape, Value};

/// Evaluates comments without values, given by their ranges: with the values of the first thread that executes the instruction, in the first
/// launch `//! run` that does; of an instruction that is no atomic, with those of thread 0 of CTA 0 if it executes it. Those that no launch executes are left out.
pub fn evaluations_from_runs(
    file: &SourceFile,
    module: Module,
    comments: &[Range<usize>],
    cache: &LaunchCache,
) -> Vec<Evaluated> {
    if comments.is_empty() || !is_marked(file, 0..file.text().len_bytes()) {
        return Vec::new();
    }
    let text = file.text().to_string();
    let (launches, _) = written_launches(&text);
    let (mut atomics, mut others) = open_instructions(file, module, comments);
    let mut found = Vec::new();
    let mut kernels = KernelModule::of_many(file.as_ref(), module);
    for written in launches.iter().filter(|one| one.purpose == LaunchPurpose::Run) {
        let Ok(prepared) = prepare_launch(&mut kernels, &text, written) else { continue };
        let kernel = &prepared.kernel;
        let question = |one: &OpenAtomic| AtomicQuestion::new(&kernel.kernel, &one.range, &one.atomic);
        let values = |questions: &[AtomicQuestion]| answers(kernel, questions, cache);
        for (one, values) in answered(&mut atomics, question, values) {
            found.extend(one.evaluated(&text, &values, written));
        }
        let question = |one: &OpenInstruction| WrittenQuestion::new(&kernel.kernel, &one.range, &one.instruction);
        let values = |questions: &[WrittenQuestion]| written_values(kernel, questions, cache).to_vec();
        for (one, values) in answered(&mut others, question, values) {
            found.extend(one.evaluated(&text, &values, written));
        }
    }
    found
}

/// Asks the questions about open instructions that a launch has, and takes those out that it answers.
fn answered<O, Q, A>(
    open: &mut Vec<O>,
    question: impl Fn(&O) -> Option<Q>,
    answers: impl Fn(&[Q]) -> Vec<Option<A>>,
) -> Vec<(O, A)> {
    let (mut asked, mut questions, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for one in std::mem::take(open) {
        match question(&one) {
            Some(question) => {
                questions.push(question);
                asked.push(one);
            }
            None => open.push(one),
        }
    }
    if questions.is_empty() {
        return found;
    }
    for (one, answer) in asked.into_iter().zip(answers(&questions)) {
        match answer {
            Some(answer) => found.push((one, answer)),
            None => open.push(one),
        }
    }
    found
}

/// An instruction that is no atomic, with comments that have no values.
struct OpenInstruction {
    range: Range<usize>,
    instruction: WritingInstruction,
    comments: Vec<Range<usize>>,
}

/// An atomic with comments that have no values.
struct OpenAtomic<'f> {
    range: Range<usize>,
    atomic: Box<EvaluatedAtomic<'f>>,
    comments: Vec<Range<usize>>,
}

fn open_instructions<'f>(
    file: &'f SourceFile,
    module: Module,
    wanted: &[Range<usize>],
) -> (Vec<OpenAtomic<'f>>, Vec<OpenInstruction>) {
    let wanted: BTreeSet<usize> = wanted.iter().map(|range| range.start).collect();
    let (mut atomics, mut others) = (Vec::new(), Vec::new());
    for step in items(file).into_iter().flat_map(|item| steps(file, item)) {
        let CommentStep::Statement(instruction, mut comments) = step else { continue };
        comments.retain(|range| wanted.contains(&range.start));
        if comments.is_empty() {
            continue;
        }
        let range = instruction.range();
        match atomic(file, &instruction, &module) {
            AtomicCheck::Legal(atomic) => atomics.push(OpenAtomic { range, atomic, comments }),
            AtomicCheck::Other => {
                let instruction = WritingInstruction::new(&instruction);
                others.push(OpenInstruction { range, instruction, comments });
            }
            AtomicCheck::Illegal => {}
        }
    }
    (atomics, others)
}

/// An evaluation with the values of a launch.
fn evaluated(text: &str, range: &Range<usize>, outcome: Result<CommentOutcome, CommentError>) -> Evaluated {
    Evaluated {
        range: range.start..range.start + comment::without_trailing_comment(&text[range.clone()]).len(),
        assumed_global: false,
        lacks_values: false,
        outcome,
    }
}

/// Says whose values they are.
fn source(thread: ThreadId, written: &WrittenLaunch) -> String {
    format!(
        "values of {}, the first to execute it in `run {}`",
        thread_name(thread, written.launch.grid),
        written.launch.kernel
    )
}

impl OpenInstruction {
    fn evaluated(&self, text: &str, (thread, values): &WrittenValues, written: &WrittenLaunch) -> Vec<Evaluated> {
        let outcome = |range: &Range<usize>| {
            let comment = comment::parse(&text[range.clone()], range.start)?;
            let outcome = self.instruction.outcome(&comment, values)?;
            let note = match *thread {
                PREFERRED => format!(
                    "values of {} in `run {}`",
                    thread_name(PREFERRED, written.launch.grid),
                    written.launch.kernel
                ),
                other => source(other, written),
            };
            Ok(CommentOutcome { notes: vec![note], ..outcome })
        };
        self.comments.iter().map(|range| evaluated(text, range, outcome(range))).collect()
    }
}

impl OpenAtomic<'_> {
    fn evaluated(&self, text: &str, values: &AtomicValues, written: &WrittenLaunch) -> Vec<Evaluated> {
        let one = |range: &Range<usize>| evaluated(text, range, self.outcome(text, range, values, written));
        self.comments.iter().map(one).collect()
    }

    fn outcome(
        &self,
        text: &str,
        range: &Range<usize>,
        values: &AtomicValues,
        written: &WrittenLaunch,
    ) -> Result<CommentOutcome, CommentError> {
        let mut comment = comment::parse(&text[range.clone()], range.start)?;
        let is_generic = self.atomic.instruction.space.value == Space::Generic;
        if is_generic && values.location == AccessedSpace::Shared && comment.location.is_none() {
            comment.location = Some((values.location, comment.range.clone()));
        }
        comment.given.extend(values.guard.clone());
        let mut known = KnownState::default();
        for (name, bits, width) in &values.registers {
            known.assume(name, *bits, *width);
        }
        let location = comment.location.as_ref().map_or(AccessedSpace::Global, |(location, _)| *location);
        let computation = Computation::of(&self.atomic.instruction, location);
        let observed =
            computation.ok().map(|one| self.observe(values, location, one.shape(), &mut known)).unwrap_or_default();
        let outcome = evaluate(&self.atomic, &comment, &mut known)?;
        let note = source(values.thread, written);
        let notes = [note].into_iter().chain(outcome.notes).collect();
        Ok(CommentOutcome { observed, notes, ..outcome })
    }

    /// Sets what memory holds. Returns the inputs by their names.
    fn observe(
        &self,
        values: &AtomicValues,
        location: AccessedSpace,
        shape: Shape,
        known: &mut KnownState,
    ) -> Vec<(String, String)> {
        let memory = Value::new(shape, values.memory);
        if let Some((region, offset)) = self.atomic.place(location) {
            known.store(region, offset, &[memory]);
        }
        let operand = |at: usize| {
            let operand = self.atomic.inputs[at].as_ref().filter(|one| one.kind != OperandKind::Constant)?;
            let value = Value::new(shape, known.read(operand, shape)?.bits);
            Some((self.atomic.name(at), value.to_string()))
        };
        [("[a]".to_owned(), memory.to_string())].into_iter().chain([0, 1].into_iter().filter_map(operand)).collect()
    }
}

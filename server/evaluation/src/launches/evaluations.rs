//! Evaluation comments without values, which take them from the launches in comments.

use super::atomic_values::{AtomicQuestion, AtomicValues, answers};
use super::blocks::{LaunchPurpose, WrittenLaunch, written_launches};
use super::cache::LaunchCache;
use super::prepare::prepare_launch;
use super::report::thread_name;
use crate::comments::evaluate::{CommentOutcome, evaluate};
use crate::comments::statements::{CommentStep, items, steps};
use crate::comments::{AtomicCheck, CommentError, Evaluated, EvaluatedAtomic, KnownState, atomic, comment};
use crate::litmus::is_marked;
use emulator::{AccessedSpace, Computation, Shape, Value};
use isa::Module;
use isa::types::Space;
use std::ops::Range;
use syntax::{OperandKind, SourceFile};

/// Evaluates comments without values, given by their ranges: with the values of the first thread that executes the atomic, in the first launch
/// `//! run` that does. Those that no launch executes are left out.
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
    let (mut open, mut found) = (open_atomics(file, module, comments), Vec::new());
    for written in launches.iter().filter(|one| one.purpose == LaunchPurpose::Run) {
        let Ok(prepared) = prepare_launch(file.as_ref(), &text, module, written) else { continue };
        let question = |one: &OpenAtomic| AtomicQuestion::new(&prepared.kernel.kernel, &one.range, &one.atomic);
        let (asked, others): (Vec<_>, Vec<_>) =
            open.into_iter().map(|one| (question(&one), one)).partition(|(question, _)| question.is_some());
        open = others.into_iter().map(|(_, one)| one).collect();
        let questions: Vec<AtomicQuestion> = asked.iter().filter_map(|(question, _)| question.clone()).collect();
        if questions.is_empty() {
            continue;
        }
        for ((_, one), answer) in asked.into_iter().zip(answers(&prepared.kernel, &questions, cache)) {
            match answer {
                Some(values) => found.extend(one.evaluated(&text, &values, written)),
                None => open.push(one),
            }
        }
    }
    found
}

/// An atomic with comments that have no values.
struct OpenAtomic<'f> {
    range: Range<usize>,
    atomic: Box<EvaluatedAtomic<'f>>,
    comments: Vec<Range<usize>>,
}

fn open_atomics<'f>(file: &'f SourceFile, module: Module, wanted: &[Range<usize>]) -> Vec<OpenAtomic<'f>> {
    let mut found = Vec::new();
    for step in items(file).into_iter().flat_map(|item| steps(file, item)) {
        let CommentStep::Statement(instruction, mut comments) = step else { continue };
        comments.retain(|range| wanted.iter().any(|one| one.start == range.start));
        if !comments.is_empty()
            && let AtomicCheck::Legal(atomic) = atomic(file, &instruction, &module)
        {
            found.push(OpenAtomic { range: instruction.range(), atomic, comments });
        }
    }
    found
}

impl OpenAtomic<'_> {
    fn evaluated(&self, text: &str, values: &AtomicValues, written: &WrittenLaunch) -> Vec<Evaluated> {
        let one = |range: &Range<usize>| Evaluated {
            range: range.start..range.start + comment::without_trailing_comment(&text[range.clone()]).len(),
            assumed_global: false,
            lacks_values: false,
            outcome: self.outcome(text, range, values, written),
        };
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
        let note = format!(
            "values of {}, the first to execute it in `run {}`",
            thread_name(values.thread),
            written.launch.kernel
        );
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

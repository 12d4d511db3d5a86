//! Evaluation in editors: hints after evaluation comments, and code lenses on atomics without one.

use crate::features::InlayHint;
use crate::features::atomics::with_rows;
use crate::features::kernel_runs::first_error;
use diagnostics::Context;
use diagnostics::{Edit, Snapshot};
use evaluation::comments::comment::{CommentError, EvaluationComment};
use evaluation::comments::evaluate;
use evaluation::comments::evaluate::CommentOutcome;
use evaluation::comments::table::{inputs, operation};
use evaluation::comments::{AtomicCheck, Evaluated, atomic, comment, evaluations, run};
use evaluation::comments::{EvaluatedAtomic, KnownState, statements};
use evaluation::launches::{LAUNCH_CACHE, check_executions, evaluations_from_runs};
use litmus::{Executions, executions_at};
use std::ops::Range;
use values::AccessedSpace;

/// A code lens on an atomic without an evaluation comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationLens {
    /// The opcode.
    pub range: Range<usize>,
    /// Example inputs as the text of a comment without its prefix; never empty, a typical case first.
    pub inputs: Vec<String>,
}

/// Evaluation of atomics and of litmus tests.
pub trait EvaluationProvider {
    /// The executions of the litmus test or of the check at an offset; `None` if there is none, or if the request is cancelled.
    fn executions(&self, _offset: usize, _cancelled: &dyn Fn() -> bool) -> Option<Executions> {
        None
    }

    /// The results of evaluation comments.
    fn evaluation_hints(&self, _within: Range<usize>) -> Vec<InlayHint> {
        Vec::new()
    }

    /// The code lenses.
    fn evaluation_lenses(&self) -> Vec<EvaluationLens> {
        Vec::new()
    }

    /// The result of an evaluation at an offset as one line, or the error.
    fn evaluate_here(&self, _offset: usize, _input: &str) -> Result<String, String> {
        Err("nothing to evaluate here".to_owned())
    }
}

impl EvaluationProvider for Snapshot {
    fn executions(&self, offset: usize, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
        let of_check = || check_executions(self.file.as_ref(), Context::new(self).module, offset);
        let is_valid = |_: &Executions| first_error(self).is_ok();
        of_check().filter(is_valid).or_else(|| executions_at(&self.file, offset, cancelled))
    }

    fn evaluation_hints(&self, within: Range<usize>) -> Vec<InlayHint> {
        let touched =
            |evaluated: &&Evaluated| evaluated.range.start <= within.end && within.start <= evaluated.range.end;
        let mut all = evaluations(self, within.clone());
        all.retain(|evaluated| touched(&evaluated));
        let open: Vec<Range<usize>> = all.iter().filter(|one| one.lacks_values).map(|one| one.range.clone()).collect();
        all.extend(evaluations_from_runs(&self.file, Context::new(self).module, &open, &LAUNCH_CACHE));
        all.iter().filter_map(hint).collect()
    }

    fn evaluation_lenses(&self) -> Vec<EvaluationLens> {
        let module = Context::new(self).module;
        let file = &self.file;
        let mut commented = Vec::new();
        for item in statements::items(file) {
            for step in statements::steps(file, item) {
                if let statements::CommentStep::Statement(instruction, comments) = step
                    && !comments.is_empty()
                {
                    commented.push(instruction.range().start);
                }
            }
        }
        let mut lenses = Vec::new();
        with_rows(file, 0..file.text().len_bytes(), |instruction, opcode| {
            // Instructions with syntax errors are skipped.
            if !instruction.has_error()
                && commented.binary_search(&instruction.range().start).is_err()
                && let AtomicCheck::Legal(subject) = atomic(file, &instruction, &module)
            {
                // An instruction may be legal and still have operands that cannot be evaluated.
                let can_be_evaluated = |input: &String| outcome(&subject, input, &mut KnownState::default()).is_ok();
                let inputs: Vec<String> = inputs(&subject).into_iter().filter(can_be_evaluated).collect();
                if !inputs.is_empty() {
                    lenses.push(EvaluationLens { range: opcode.range, inputs });
                }
            }
        });
        lenses
    }

    fn evaluate_here(&self, offset: usize, input: &str) -> Result<String, String> {
        let nothing = || "no atomic to evaluate here".to_owned();
        let file = &self.file;
        let offset = file.clamp(offset);
        let module = Context::new(self).module;
        // Where two items meet, the one that begins there.
        let item =
            file.items().into_iter().rfind(|item| item.start <= offset && offset <= item.end).ok_or_else(nothing)?;
        let (instruction, mut known) = run(self, item, &module, Some(offset), &mut Vec::new()).ok_or_else(nothing)?;
        let subject = match atomic(file, &instruction, &module) {
            AtomicCheck::Legal(subject) => subject,
            AtomicCheck::Illegal => return Err("instruction is illegal; see its diagnostic".to_owned()),
            AtomicCheck::Other => return Err(nothing()),
        };
        let (outcome, comment) =
            outcome(&subject, input, &mut known).map_err(|error| format!("{}; {}", error.message, error.help))?;
        let mut parts = vec![label(&outcome)];
        parts.extend(outcome.mismatches.iter().map(|mismatch| mismatch.message.clone()));
        parts.extend(outcome.notes);
        if comment.location.is_none()
            && operation(&subject.instruction, AccessedSpace::Shared)
                != operation(&subject.instruction, AccessedSpace::Global)
        {
            parts.push(
                "the generic address is assumed to be in global memory; begin with `@shared` for shared memory"
                    .to_owned(),
            );
        }
        Ok(parts.join(" · "))
    }
}

fn hint(evaluated: &Evaluated) -> Option<InlayHint> {
    let outcome = evaluated.outcome.as_ref().ok()?;
    let at = evaluated.range.end;
    let mut tooltip = match (outcome.checked, outcome.mismatches.is_empty()) {
        (false, true) => "result of the instruction".to_owned(),
        (true, true) => "result of the instruction, as expected".to_owned(),
        (_, false) => "result of the instruction, which differs from the expected values".to_owned(),
    };
    for note in &outcome.notes {
        tooltip += &format!("\n\n- {note}");
    }
    if evaluated.assumed_global {
        tooltip += "\n\nThe generic address is assumed to be in global memory; begin the comment with `@shared` for shared memory.";
    }
    let expectation = format!(" -> {}", listed(&outcome.results));
    let insert =
        (!outcome.checked && outcome.mismatches.is_empty()).then_some(Edit { range: at..at, text: expectation });
    Some(InlayHint { at, label: label(outcome), tooltip, insert })
}

fn listed(values: &[(String, String)]) -> String {
    let values: Vec<_> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    values.join(", ")
}

fn label(outcome: &CommentOutcome) -> String {
    let sign = match (outcome.checked, outcome.mismatches.is_empty()) {
        (false, true) => "→",
        (true, true) => "✓",
        (_, false) => "✗",
    };
    let inputs = listed(&outcome.observed);
    let separator = if inputs.is_empty() { "" } else { " " };
    format!("{inputs}{separator}{sign} {}", listed(&outcome.results))
}

/// The result of an atomic with inputs as the text of a comment, with or without its prefix.
fn outcome(
    subject: &EvaluatedAtomic,
    input: &str,
    known: &mut KnownState,
) -> Result<(CommentOutcome, EvaluationComment), CommentError> {
    let input = input.replace(['\n', '\r'], " ");
    let input = input.trim().trim_start_matches(comment::MARK).trim();
    let comment = comment::parse(&format!("{} {input}", comment::MARK), 0)?;
    Ok((evaluate::evaluate(subject, &comment, known)?, comment))
}

#[cfg(test)]
mod tests;

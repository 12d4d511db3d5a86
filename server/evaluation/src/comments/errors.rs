//! Errors about the names and values of evaluation comments.

use crate::comments::atomic::{EvaluatedAtomic, compact};
use crate::comments::comment::{CommentError, CommentItem, EvaluationComment};

/// Why an atomic is not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationFailure {
    /// A value is missing.
    Missing(CommentError),
    /// The comment is invalid.
    Invalid(CommentError),
}

impl From<CommentError> for EvaluationFailure {
    fn from(error: CommentError) -> Self {
        Self::Invalid(error)
    }
}

impl From<EvaluationFailure> for CommentError {
    fn from(failure: EvaluationFailure) -> Self {
        let (EvaluationFailure::Missing(error) | EvaluationFailure::Invalid(error)) = failure;
        error
    }
}

/// An operand or memory without a value.
pub(super) fn unknown(comment: &EvaluationComment, what: &str, name: &str) -> EvaluationFailure {
    EvaluationFailure::Missing(CommentError {
        range: comment.range.clone(),
        message: format!("missing value of {what}"),
        help: format!("add `{name}=…` to the comment"),
    })
}

/// A name before the arrow that is not an input.
pub(super) fn no_input(subject: &EvaluatedAtomic, item: &CommentItem) -> CommentError {
    let name = &item.name.text;
    let message = match subject.result(name) {
        Some(_) => format!("result `{name}` must be after the arrow"),
        None => format!("`{name}` is not an input of the instruction"),
    };
    let address = subject.address.iter().map(|operand| ("[a]", compact(operand)));
    let inputs = ["b", "c"].into_iter().zip(&subject.inputs);
    let names = address.chain(inputs.filter_map(|(role, operand)| Some((role, compact(operand.as_ref()?)))));
    let guard = subject.guard.iter().map(|guard| format!("`{}`", guard.name));
    let names: Vec<String> = names
        .map(|(role, written)| if role == written { format!("`{role}`") } else { format!("`{role}` or `{written}`") })
        .chain(guard)
        .collect();
    CommentError { range: item.name.range.clone(), message, help: format!("inputs are {}", names.join(", ")) }
}

/// A name after the arrow that is not a result.
pub(super) fn no_result(subject: &EvaluatedAtomic, item: &CommentItem) -> CommentError {
    let message = match subject.returns() {
        false if item.name.text == "d" => "instruction has no destination".to_owned(),
        _ => format!("`{}` is not a result of the instruction", item.name.text),
    };
    let help = if subject.returns() { "results are `[a]` and `d`" } else { "the result is `[a]`" };
    CommentError { range: item.name.range.clone(), message, help: help.to_owned() }
}

/// A destination that is not written, because the guard is false.
pub(super) fn not_received(subject: &EvaluatedAtomic, item: &CommentItem) -> CommentError {
    let guard = subject.guard.as_ref().map_or("", |guard| &guard.text);
    CommentError {
        range: item.name.range.clone(),
        message: format!("`{}` receives no value: guard {guard} is false", item.name.text),
        help: "expect only `[a]`".to_owned(),
    }
}

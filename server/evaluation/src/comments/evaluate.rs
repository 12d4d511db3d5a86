//! Evaluates one comment on one atomic, and compares the results with the expected values.

use crate::comments::atomic::{EvaluatedAtomic, InputName, ResultName, compact};
use crate::comments::comment::{CommentError, CommentItem, EvaluationComment};
use crate::comments::errors::{EvaluationFailure, no_input, no_result, not_received, unknown};
use crate::comments::guard::GuardValue;
use crate::comments::known_state::{KnownState, MemoryRegion, RegisterState, names};
use crate::request::Evaluation;
use crate::run::AtomicRun;
use isa::types::Space;
use std::ops::Range;
use syntax::{Operand, OperandKind};
use values::{AccessedSpace, Computation, Element, Shape, Value, literal};

/// The result of an evaluation comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentOutcome {
    /// The results by name, memory first.
    pub results: Vec<(String, String)>,
    /// The inputs by name, if a launch has given them.
    pub observed: Vec<(String, String)>,
    /// Notes about the computation.
    pub notes: Vec<String>,
    /// The expected values that are wrong.
    pub mismatches: Vec<Mismatch>,
    /// Whether the comment has expected values.
    pub checked: bool,
}

/// A wrong value in a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The range of the wrong value.
    pub range: Range<usize>,
    /// The message, without a full stop.
    pub message: String,
    /// The correct value, in the format of the wrong one.
    pub truth: String,
}

type Read<T> = Result<T, CommentError>;

/// Evaluates an atomic with the inputs of a comment and the known state, and updates the known state.
pub fn evaluate(
    subject: &EvaluatedAtomic,
    comment: &EvaluationComment,
    known: &mut KnownState,
) -> Result<CommentOutcome, EvaluationFailure> {
    let location = location(subject, comment)?;
    let computation = Computation::of(&subject.instruction, location).map_err(|error| CommentError {
        range: comment.location.as_ref().map_or(comment.range.clone(), |(_, range)| range.clone()),
        message: error.to_string(),
        help: "remove the comment, or use an instruction that can be evaluated".to_owned(),
    })?;
    let given = GivenValues::read(subject, comment, computation)?;
    let mut mismatches = Vec::new();
    let shape = computation.shape();
    let zero = Value::new(shape, 0);
    let [b, c] = [(0, computation.takes_b()), (1, computation.takes_c())].map(|(at, wanted)| {
        wanted.then(|| given.operand(subject, at, shape, comment, known, &mut mismatches)).transpose()
    });
    let place = subject.place(location);
    let carried = || place.as_ref().and_then(|(region, offset)| known.load(region, (*offset)?, shape));
    let memory = if given.memory.is_empty() {
        carried().ok_or_else(|| unknown(comment, "memory", "[a]"))?
    } else {
        given.memory.iter().map(|(value, _)| *value).collect()
    };
    let (b, c) = (b?, c?);
    if let Some(message) = subject.contradiction(b, c) {
        let help = "give both the same value".to_owned();
        return Err(CommentError { range: comment.range.clone(), message, help }.into());
    }
    let run = AtomicRun { computation, memory, b: b.unwrap_or(zero), c };
    let evaluation = given.run(subject, &run);
    let sample = given.memory.first().map(|(_, item)| &*item.value.text);
    mismatches.extend(given.mismatches(subject, comment, &evaluation)?);
    mismatches.sort_by_key(|mismatch| mismatch.range.start);
    let outcome = CommentOutcome {
        results: results(subject, comment, &given, &evaluation, sample, computation),
        observed: Vec::new(),
        notes: evaluation.notes.clone(),
        mismatches,
        checked: comment.expected.is_some(),
    };
    update(subject, &given, &run, &evaluation, place, known);
    Ok(outcome)
}

/// Updates the known state with the inputs and results of an evaluation.
fn update(
    subject: &EvaluatedAtomic,
    given: &GivenValues,
    run: &AtomicRun,
    evaluation: &Evaluation,
    place: Option<(MemoryRegion, Option<i64>)>,
    known: &mut KnownState,
) {
    let b = Some(run.b).filter(|_| run.computation.takes_b());
    for (operand, value) in subject.inputs.iter().zip([b, run.c]) {
        if let (Some(operand), Some(value)) = (operand, value) {
            assume(known, operand, value);
        }
    }
    if let Some(destination) = subject.destination.as_ref().filter(|_| !given.is_off(subject)) {
        forget(known, destination);
        if let Some(value) = evaluation.destination {
            assume(known, destination, value);
        }
    }
    // If the destination is the base of the address, the base no longer names the memory that was written.
    if let Some((region, offset)) = place
        && !subject.destination.as_ref().is_some_and(|destination| names(destination).contains(&region.base))
    {
        known.store(region, offset, &evaluation.memory);
    }
}

/// Forgets the registers of a destination operand.
pub fn forget(known: &mut KnownState, destination: &Operand) {
    for name in names(destination) {
        known.forget_name(&name);
    }
}

/// The space that a generic address refers to, as stated in the comment; by default global.
fn location(subject: &EvaluatedAtomic, comment: &EvaluationComment) -> Read<AccessedSpace> {
    let space = subject.instruction.space.value;
    match &comment.location {
        Some((location, range)) if space != Space::Generic && AccessedSpace::of(space, *location) != *location => {
            Err(CommentError {
                range: range.clone(),
                message: format!("state space conflicts with `.{}` of the instruction", space.word()),
                help: "remove it; `@global` and `@shared` are for generic addresses".to_owned(),
            })
        }
        Some((location, _)) => Ok(*location),
        None => Ok(AccessedSpace::Global),
    }
}

fn results(
    subject: &EvaluatedAtomic,
    comment: &EvaluationComment,
    given: &GivenValues,
    evaluation: &Evaluation,
    sample: Option<&str>,
    computation: Computation,
) -> Vec<(String, String)> {
    let memory = given.memory.first().map_or("[a]", |(_, item)| &item.name.text);
    let expected = comment.expected.iter().flatten();
    let destination =
        expected.map(|item| &*item.name.text).find(|name| subject.result(name) == Some(ResultName::Destination));
    let loads = matches!(computation, Computation::Load(_));
    let replicas = evaluation.memory.iter().filter(|_| !loads).map(|value| (memory, value));
    let all = replicas.chain(evaluation.destination.iter().map(|value| (destination.unwrap_or("d"), value)));
    all.map(|(name, value)| (name.to_owned(), written_like(sample, *value))).collect()
}

/// The parsed inputs of a comment.
struct GivenValues<'c> {
    memory: Vec<(Value, &'c CommentItem)>,
    parts: Vec<(InputName, Value, &'c CommentItem)>,
    /// The value of the guard predicate.
    guard: Option<bool>,
}

impl<'c> GivenValues<'c> {
    fn read(subject: &EvaluatedAtomic, comment: &'c EvaluationComment, computation: Computation) -> Read<Self> {
        let shape = computation.shape();
        let mut given = GivenValues { memory: Vec::new(), parts: Vec::new(), guard: None };
        for item in &comment.given {
            let meant = subject.inputs(&item.name.text);
            if meant.is_empty() {
                return Err(no_input(subject, item));
            }
            for input in meant {
                let again = input == InputName::Guard && given.guard.is_some()
                    || given.parts.iter().any(|(other, _, _)| *other == input);
                if again || (input == InputName::Memory && !given.memory.is_empty() && !computation.has_replicas()) {
                    return Err(CommentError {
                        range: item.name.range.clone(),
                        message: format!("duplicate value of `{}`", item.name.text),
                        help: "keep one of them, or write a second comment on its own line for another run".to_owned(),
                    });
                }
                match input {
                    InputName::Memory => given.memory.push((value(item, shape)?, item)),
                    InputName::Whole(_) => given.parts.push((input, value(item, shape)?, item)),
                    InputName::Guard => given.guard = Some(predicate(item)?),
                    InputName::Lane(..) => given.parts.push((input, value(item, shape.lane())?, item)),
                }
            }
        }
        Ok(given)
    }

    /// Whether the guard prevents execution.
    fn is_off(&self, subject: &EvaluatedAtomic) -> bool {
        self.guard.zip(subject.guard.as_ref()).is_some_and(|(predicate, guard)| !guard.allows(predicate))
    }

    /// Runs the instruction, unless its guard prevents it.
    fn run(&self, subject: &EvaluatedAtomic, run: &AtomicRun) -> Evaluation {
        let Some(guard) = &subject.guard else { return run.evaluate() };
        if self.is_off(subject) {
            return Evaluation {
                memory: run.memory.clone(),
                destination: None,
                notes: vec![guard.false_note()],
                fault: None,
            };
        }
        let mut evaluation = run.evaluate();
        if self.guard.is_none() {
            evaluation.notes.insert(0, guard.assumption_note());
        }
        evaluation
    }

    /// The expected values of a comment that are not the results.
    fn mismatches(
        &self,
        subject: &EvaluatedAtomic,
        comment: &EvaluationComment,
        evaluation: &Evaluation,
    ) -> Read<Vec<Mismatch>> {
        let mut mismatches = Vec::new();
        let mut replicas = evaluation.memory.iter();
        for item in comment.expected.iter().flatten() {
            let target = subject.result(&item.name.text).ok_or_else(|| no_result(subject, item))?;
            let truth = match (target, evaluation.destination) {
                (ResultName::Memory, _) => replicas.next().copied().ok_or_else(|| CommentError {
                    range: item.name.range.clone(),
                    message: "more expected memory values than inputs".to_owned(),
                    help: "expect `[a]` once, for multimem once per replica".to_owned(),
                })?,
                (ResultName::Destination, Some(value)) => value,
                (ResultName::Lane(lane), Some(value)) => part(value, lane),
                (_, None) if self.is_off(subject) => return Err(not_received(subject, item)),
                (_, None) => return Err(no_result(subject, item)),
            };
            let expected = value(item, truth.shape())?;
            if !meets(expected, truth, &item.value.text) {
                let what = match target {
                    ResultName::Memory => "memory holds".to_owned(),
                    _ => format!("`{}` receives", item.name.text),
                };
                let true_text = written_like(Some(&item.value.text), truth);
                let message = format!("{what} {true_text}, not {}", item.value.text);
                mismatches.push(Mismatch { range: item.value.range.clone(), message, truth: true_text });
            }
        }
        Ok(mismatches)
    }

    /// The value of operand b (0) or c (1): from constants in the code, else from the comment, else from the known state.
    fn operand(
        &self,
        subject: &EvaluatedAtomic,
        at: usize,
        shape: Shape,
        comment: &EvaluationComment,
        known: &KnownState,
        mismatches: &mut Vec<Mismatch>,
    ) -> Result<Value, EvaluationFailure> {
        let written = subject.inputs[at].as_ref();
        let lanes = written.map(Operand::lanes).filter(|lanes| lanes.len() == shape.vector() as usize);
        let operands: Vec<&Operand> = match &lanes {
            Some(lanes) => lanes.iter().collect(),
            None => written.into_iter().collect(),
        };
        let part_shape = if lanes.is_some() { shape.lane() } else { shape };
        let count = (shape.width() / part_shape.width()) as usize;
        let whole = self.parts.iter().find(|(input, _, _)| *input == InputName::Whole(at));
        let mut bits = 0;
        for lane in 0..count {
            let given = self.parts.iter().find(|(input, _, _)| *input == InputName::Lane(at, lane));
            let code = operands.get(lane).and_then(|operand| known.read(operand, part_shape));
            let stated = given
                .map(|(_, value, _)| value.bits())
                .or(whole.map(|(_, value, _)| part_of(*value, part_shape, lane)));
            let chosen = match (code, stated) {
                (Some(RegisterState { bits, assumed: false, .. }), _) => bits,
                (_, Some(bits)) => bits,
                (Some(register), None) => register.bits,
                (None, None) => {
                    let shown = written.map_or(subject.name(at), compact);
                    return Err(unknown(comment, &format!("`{shown}`"), &subject.name(at)));
                }
            };
            if let Some((_, value, item)) = given
                && value.bits() != chosen
            {
                mismatches.push(fixed(item, Value::new(part_shape, chosen)));
            }
            bits |= chosen << (lane as u32 * part_shape.width());
        }
        let value = Value::new(shape, bits);
        if let Some((_, stated, item)) = whole
            && *stated != value
        {
            mismatches.push(fixed(item, value));
        }
        Ok(value)
    }
}

fn fixed(item: &CommentItem, truth: Value) -> Mismatch {
    let text = written_like(Some(&item.value.text), truth);
    let message = format!("the code sets `{}` to {text}, not {}", item.name.text, item.value.text);
    Mismatch { range: item.value.range.clone(), message, truth: text }
}

fn predicate(item: &CommentItem) -> Read<bool> {
    GuardValue::read(&item.value.text).ok_or_else(|| CommentError {
        range: item.value.range.clone(),
        message: format!("invalid value of predicate `{}`", item.name.text),
        help: format!("write `{0}=0` or `{0}=1`", item.name.text),
    })
}

fn value(item: &CommentItem, shape: Shape) -> Read<Value> {
    literal::parse(&item.value.text, shape).map_err(|error| CommentError {
        range: item.value.range.clone(),
        message: format!("invalid value of `{}`: {error}", item.name.text),
        help: "write a number, bits as `0x…`, `0f…` or `0d…`, or lanes as `{…}`, lane 0 first".to_owned(),
    })
}

fn part_of(value: Value, lane: Shape, at: usize) -> u128 {
    Value::new(lane, value.bits() >> (at as u32 * lane.width())).bits()
}

fn part(value: Value, at: usize) -> Value {
    let lane = value.shape().lane();
    Value::new(lane, part_of(value, lane, at))
}

/// Records the value of the registers of an operand as an assumption.
fn assume(known: &mut KnownState, operand: &Operand, value: Value) {
    let mut note = |operand: &Operand, value: Value| {
        if matches!(operand.kind, OperandKind::Name | OperandKind::Element)
            && known.read(operand, value.shape()).is_none_or(|known| known.assumed)
        {
            known.assume(&operand.token.text, value.bits(), value.shape().width());
        }
    };
    match operand.lanes() {
        lanes if lanes.len() > 1 && lanes.len() == value.shape().vector() as usize => {
            lanes.iter().enumerate().for_each(|(at, lane)| note(lane, part(value, at)));
        }
        _ => note(operand, value),
    }
}

/// Whether a value is the expected one: equal bits, or any NaN if `nan` is expected.
pub(super) fn meets(expected: Value, truth: Value, text: &str) -> bool {
    let shape = truth.shape();
    let any_nan = text.to_ascii_lowercase().contains("nan");
    expected == truth
        || (any_nan
            && (0..shape.elements()).all(|at| {
                let (expected, truth) = (expected.element(at), truth.element(at));
                expected == truth || (shape.element().is_nan(expected) && shape.element().is_nan(truth))
            }))
}

/// A value in the format of a sample, so that it parses to the same bits.
pub fn written_like(sample: Option<&str>, value: Value) -> String {
    let shape = value.shape();
    let sample = sample.unwrap_or_default().to_ascii_lowercase();
    let default_format = value.to_string();
    let text = match shape.element() {
        _ if sample.starts_with("0x") => format!("{value:#x}"),
        Element::F32 | Element::Bits(32) if shape.elements() == 1 && sample.starts_with("0f") => {
            format!("0f{:08X}", value.bits())
        }
        Element::F64 | Element::Bits(64) if shape.elements() == 1 && sample.starts_with("0d") => {
            format!("0d{:016X}", value.bits())
        }
        Element::Bits(_)
            if shape.elements() == 1 && sample.bytes().all(|b| b.is_ascii_digit()) && !sample.is_empty() =>
        {
            value.bits().to_string()
        }
        _ => default_format,
    };
    match literal::parse(&text, shape) {
        Ok(back) if back == value => text,
        _ => format!("{value:#x}"),
    }
}

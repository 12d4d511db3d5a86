//! Parses a PTX instruction and its inputs.

use super::covered::not_evaluated;
use super::source_operands::{ConstantBits, GuardOutcome, SourceOperands, module, only, value};
use diagnostics::{Cause, ModuleSources, Settings};
use evaluation::AtomicRun;
use evaluation::{EvaluationError, Pixel, Request};
use isa::{Module, Resolution, ResolvedInstruction, Spelling};
use values::{AccessedSpace, Computation, Value};

pub(super) fn read(request: &Request) -> Result<(AtomicRun, GuardOutcome), EvaluationError> {
    for (option, given) in [("--window", !request.windows.is_empty()), ("--pixel", request.pixel != Pixel::Live)] {
        if given {
            return Err(EvaluationError::Invalid(format!("{option} applies only to SASS, such as RED, not to PTX")));
        }
    }
    if request.instruction.trim().is_empty() {
        return Err(EvaluationError::Invalid("missing instruction".to_owned()));
    }
    let file = module(request.instruction);
    let written = only(&file)?;
    let instruction = resolve(&written, &request.settings)?;
    let generic = location(&instruction, request.generic)?;
    let computation = Computation::of(&instruction, generic).map_err(unusable)?;
    let written = SourceOperands::read(&file, &written, &instruction)?;
    let shape = computation.shape();
    let memory = memory(&request.memory, computation)?;
    let operand = |at: usize, given: Option<&str>, wanted: bool| match (given, wanted) {
        (Some(_), false) => {
            let name = instruction.family.name;
            let name = instruction.op.map_or(name.to_owned(), |op| format!("{name} with .{}", op.word()));
            Err(EvaluationError::Invalid(format!("unexpected {}: {name} has no such operand", ["--b", "--c"][at])))
        }
        (None, false) => Ok(None),
        (given, true) => written.value(at, given, shape).map(Some),
    };
    let b = operand(0, request.b, computation.takes_b())?;
    let c = operand(1, request.c, computation.takes_c())?;
    written.agree(b, c)?;
    let run = AtomicRun { computation, memory, b: b.unwrap_or(Value::new(shape, 0)), c };
    Ok((run, written.guard_outcome(request)?))
}

fn memory(given: &[&str], computation: Computation) -> Result<Vec<Value>, EvaluationError> {
    let shape = computation.shape();
    let memory = given.iter().map(|text| value("--mem", Some(text), shape)).collect::<Result<Vec<_>, _>>()?;
    match (memory.len(), computation.has_replicas()) {
        (0, false) => Err(EvaluationError::Invalid("missing --mem: the value in memory".into())),
        (0, true) => Err(EvaluationError::Invalid("missing --mem: give it once for each replica".into())),
        (2.., false) => {
            let often = memory.len();
            Err(EvaluationError::Invalid(format!("--mem is given {often} times, but only multimem has replicas")))
        }
        _ => Ok(memory),
    }
}

/// The space that a generic address refers to. An error if it conflicts with the space of the instruction.
fn location(instruction: &ResolvedInstruction, given: Option<AccessedSpace>) -> Result<AccessedSpace, EvaluationError> {
    let named = instruction.space.value;
    match given {
        Some(given) if AccessedSpace::of(named, given) != given => Err(EvaluationError::Invalid(format!(
            "--space {} conflicts with .{} of the instruction; remove one of them",
            given.name(),
            named.word()
        ))),
        given => Ok(given.unwrap_or_default()),
    }
}

/// The instruction of a request, and the bits of b and c that its constants determine.
pub(crate) fn prepared(request: &Request) -> Result<(ResolvedInstruction, [ConstantBits; 2]), EvaluationError> {
    let file = module(request.instruction);
    let written = only(&file)?;
    let instruction = resolve(&written, &request.settings)?;
    let computation = Computation::of(&instruction, AccessedSpace::Global).map_err(unusable)?;
    let written = SourceOperands::read(&file, &written, &instruction)?;
    Ok((instruction, [0, 1].map(|at| written.fixed(at, computation.shape()))))
}

/// Resolves an instruction that must be legal for every target of the settings.
fn resolve(instruction: &syntax::Instruction, settings: &Settings) -> Result<ResolvedInstruction, EvaluationError> {
    let opcode = instruction.opcode();
    let words = opcode.words();
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let mut targets: Vec<_> =
        std::iter::once(settings.target).chain(settings.additional_targets.iter().copied().map(Some)).collect();
    // The result is that of the first target.
    targets.reverse();
    let mut legal = None;
    for target in targets {
        match isa::resolve(&spelling, &Module { version: settings.version, target }) {
            Resolution::Legal(instruction) => legal = Some(instruction),
            Resolution::Illegal(reasons) => {
                let refusal = |reason: &isa::Reason| {
                    let cause = Cause::of(reason, ModuleSources::SETTINGS).with_origins(&settings.origins);
                    let parts = [cause.message(), cause.help_text()].into_iter().filter(|part| !part.is_empty());
                    let message = parts.collect::<Vec<_>>().join("; ");
                    EvaluationError::Illegal { code: reason.code.as_str(), message }
                };
                let shown = instruction.opcode_token().text;
                let nothing = || EvaluationError::Invalid(format!("`{shown}` is illegal"));
                return Err(reasons.first().map_or_else(nothing, refusal));
            }
            Resolution::Unknown => break,
        }
    }
    legal
        .filter(|legal| Computation::covers(legal.family.name))
        .ok_or_else(|| not_evaluated(&instruction.opcode_token().text))
}

fn unusable(error: impl ToString) -> EvaluationError {
    EvaluationError::Invalid(error.to_string())
}

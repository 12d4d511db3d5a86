//! The operands and the guard of an instruction that is evaluated.

use diagnostics::Cause;
use diagnostics::registry::SYNTAX_ERROR;
use diagnostics::{Severity, Snapshot};
use evaluation::comments::{EvaluatedAtomic, GuardValue, KnownState};
use evaluation::{EvaluationError, Request};
use isa::ResolvedInstruction as Resolved;
use lints::Check;
use syntax::{Instruction, SourceFile, WalkEvent};
use values::{Shape, Value, literal};

/// The module that the instruction is parsed in. Undeclared names are allowed in it.
const HEAD: &str = ".version 9.5\n.target sm_100a\n.address_size 64\n.func $evaluated()\n{\n";

/// A module that holds the text of an instruction.
pub(crate) fn module(text: &str) -> SourceFile {
    let end = if text.contains(';') { "" } else { "\n;" };
    SourceFile::parse(&format!("{HEAD}{text}{end}\n}}\n"))
}

/// The one instruction of such a module.
pub(crate) fn only(file: &SourceFile) -> Result<Instruction<'_>, EvaluationError> {
    if let Some(error) = syntax::syntax_errors(file).into_iter().next() {
        return Err(illegal(SYNTAX_ERROR.code, &error.message, &error.help));
    }
    let mut all = Vec::new();
    syntax::walk(file, |event| {
        if let WalkEvent::Instruction(instruction) = event {
            all.push(instruction);
        }
    });
    match all[..] {
        [instruction] => Ok(instruction),
        [] => Err(EvaluationError::Invalid("missing instruction".to_owned())),
        _ => Err(EvaluationError::Invalid(format!("expected one instruction, found {}", all.len()))),
    }
}

fn illegal(code: &'static str, message: &str, help: &str) -> EvaluationError {
    let parts: Vec<&str> = [message, help].into_iter().filter(|part| !part.is_empty()).collect();
    EvaluationError::Illegal { code, message: parts.join("; ") }
}

/// The bits of an operand that constants in the instruction determine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConstantBits {
    pub mask: u128,
    pub bits: u128,
}

/// The operands of a legal instruction, if it has any in the text.
pub(crate) struct SourceOperands<'a> {
    subject: EvaluatedAtomic<'a>,
}

/// Whether the guard of an instruction is true.
pub(crate) enum GuardOutcome {
    /// It executes.
    Taken,
    /// It executes under the assumption in the note.
    Assumed(String),
    /// It does not execute, for this reason.
    Off(String),
}

impl<'a> SourceOperands<'a> {
    /// Parses the operands. An error of the linter is an error here.
    pub fn read(
        file: &'a SourceFile,
        instruction: &Instruction<'a>,
        resolved: &Resolved,
    ) -> Result<Self, EvaluationError> {
        let operands = instruction.operands();
        let range = instruction.range();
        if !operands.is_empty() {
            let found = Snapshot::fragment(file.clone(), diagnostics::Settings::default()).diagnostics().into_iter();
            let mut own =
                found.filter(|finding| range.contains(&finding.range.start) && finding.severity == Severity::Error);
            // Requirements are checked for the requested targets instead.
            if let Some(finding) = own.find(|finding| !matches!(*finding.cause, Cause::Requires { .. })) {
                return Err(illegal(finding.code(), &finding.message(), &finding.help_text()));
            }
        }
        Ok(SourceOperands {
            subject: EvaluatedAtomic::new(*resolved, operands).guarded(GuardValue::of(file, instruction)),
        })
    }

    /// The bits of operand b (0) or c (1) that constants determine.
    pub fn fixed(&self, at: usize, shape: Shape) -> ConstantBits {
        let (parts, part) = self.subject.parts(at, shape);
        let mut fixed = ConstantBits::default();
        for (operand, at) in parts.iter().zip(0..) {
            if let Some(register) = KnownState::default().read(operand, part) {
                fixed.mask |= ones(part) << (at * part.width());
                fixed.bits |= register.bits << (at * part.width());
            }
        }
        fixed
    }

    /// The value of operand b (0) or c (1): from the option, which must not conflict with constants, else from constants.
    pub fn value(&self, at: usize, given: Option<&str>, shape: Shape) -> Result<Value, EvaluationError> {
        let (option, fixed) = (["--b", "--c"][at], self.fixed(at, shape));
        if given.is_none() && fixed.mask == ones(shape) {
            return Ok(Value::new(shape, fixed.bits));
        }
        let given_value = value(option, given, shape)?;
        if given_value.bits() & fixed.mask != fixed.bits {
            let text = self.subject.inputs[at].as_ref().map_or("", |operand| operand.token.text.trim());
            return Err(EvaluationError::Invalid(format!(
                "{option} {} conflicts with {text} in the instruction; remove {option}, or write a register",
                given.unwrap_or_default()
            )));
        }
        Ok(given_value)
    }

    /// An error if one register has two values.
    pub fn agree(&self, b: Option<Value>, c: Option<Value>) -> Result<(), EvaluationError> {
        self.subject.contradiction(b, c).map_or(Ok(()), |why| Err(EvaluationError::Invalid(why)))
    }

    /// Evaluates the guard with the value from the request.
    pub fn guard_outcome(&self, request: &Request) -> Result<GuardOutcome, EvaluationError> {
        let Some(guard) = &self.subject.guard else {
            return match request.registers.first() {
                None => Ok(GuardOutcome::Taken),
                Some(_) => Err(EvaluationError::Invalid(
                    "--reg sets registers of SASS and the guard of PTX; use --mem and --b for the values of PTX".into(),
                )),
            };
        };
        let mut given = None;
        for text in &request.registers {
            let (name, value) = text.split_once('=').map_or((*text, ""), |(name, value)| (name.trim(), value.trim()));
            if name != guard.name {
                let message = format!(
                    "--reg {text}: only the guard of a PTX instruction can be set, as in --reg {}=1",
                    guard.name
                );
                return Err(EvaluationError::Invalid(message));
            }
            let value = GuardValue::read(value)
                .ok_or_else(|| EvaluationError::Invalid(format!("--reg {text}: write {name}=0 or {name}=1")))?;
            if given.replace(value).is_some_and(|before| before != value) {
                return Err(EvaluationError::Invalid(format!("conflicting --reg values of {name}")));
            }
        }
        Ok(match given {
            None => GuardOutcome::Assumed(guard.assumption_note()),
            Some(value) if guard.allows(value) => GuardOutcome::Taken,
            Some(_) => GuardOutcome::Off(guard.false_note()),
        })
    }
}

fn ones(shape: Shape) -> u128 {
    u128::MAX >> (128 - shape.width())
}

/// The value that an option or an operand gives.
pub(super) fn value(option: &str, text: Option<&str>, shape: Shape) -> Result<Value, EvaluationError> {
    let text = text.ok_or_else(|| EvaluationError::Invalid(format!("missing {option}")))?;
    literal::parse(text, shape).map_err(|error| EvaluationError::Invalid(format!("{option}: {error}")))
}

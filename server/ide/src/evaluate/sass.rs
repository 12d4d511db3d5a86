//! Evaluates one SASS instruction on given registers and memory.
//!
//! The rows resolve the instruction and the emulator computes the value; the address is computed here.

use super::computed::{computed, is_global};
use super::covered::not_evaluated;
use super::sass_values::{Cells, Registers, Window};
use diagnostics::registry::{MISALIGNED_ADDRESS, SYNTAX_ERROR, WRONG_SPACE};
use evaluation::{Evaluation, EvaluationError, Fault, Pixel, Request};
use isa::sass::{ExtendedAddress, ResolvedSass, SassDialect, SassResolution, SassRole};
use isa::types::Type;
use lints::sass::{is_known, operands, resolve};
use syntax::sass::{AddressTerm, Listing, ListingEvent, SassAddress, SassOperandKind, TermKind};
use values::AccessedSpace;
use values::{AccessError, Computation, Operation, Shape, Value, literal};

/// Whether a text is an instruction of the SASS tables.
pub(crate) fn is_sass(text: &str) -> bool {
    let text = text.trim();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    };
    is_known(text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default())
}

/// Evaluates an instruction.
pub(crate) fn evaluate(request: &Request) -> Result<Evaluation, EvaluationError> {
    let run = SassRun::read(request)?;
    let notes = run.address.iter().map(|address| format!("the address is {address:#x}"));
    let unchanged =
        |notes: Vec<String>, fault| Evaluation { memory: run.cells.values(), destination: None, notes, fault };
    match &run.outcome {
        SassOutcome::Off(why) => Ok(unchanged(vec![why.clone()], None)),
        SassOutcome::Fault(fault) => Ok(unchanged(notes.collect(), Some(fault.clone()))),
        SassOutcome::Cell(at) => {
            let mut memory = run.cells.values();
            let result = values::evaluate(run.operation, memory[*at], run.b, run.c);
            memory[*at] = result.memory;
            let notes = notes.chain(run.notes.iter().cloned());
            Ok(Evaluation {
                memory,
                destination: run.legal.returns().then_some(result.destination),
                notes: notes.chain(result.notes.iter().map(ToString::to_string)).collect(),
                fault: None,
            })
        }
    }
}

/// The steps of an evaluation, as messages without full stops.
pub(crate) fn explain(request: &Request) -> Result<Vec<String>, EvaluationError> {
    let run = SassRun::read(request)?;
    let mut steps = Vec::from_iter(run.sum.clone());
    steps.extend(run.notes.iter().cloned());
    match &run.outcome {
        SassOutcome::Off(why) => steps.push(format!("{why}: memory is unchanged")),
        SassOutcome::Fault(fault) => steps.push(format!("{}: memory is unchanged", fault.message)),
        SassOutcome::Cell(at) => {
            let memory = run.cells.values()[*at];
            steps.extend(values::steps(run.operation, memory, run.b, run.c));
            if run.legal.returns() {
                steps.push(format!("the destination receives {memory:#x}"));
            }
        }
    }
    Ok(steps)
}

/// The computation of an opcode, with or without operands.
pub(crate) fn computation(request: &Request, location: AccessedSpace) -> Result<Computation, EvaluationError> {
    let listing = listing(request.instruction);
    let (legal, instruction) = legal(&listing, request)?;
    if let Some(guard) = instruction.guard().filter(|guard| matches!(&*guard.text, "@!PT" | "@!UPT")) {
        return Err(EvaluationError::Invalid(format!("guard {} is always false", guard.text)));
    }
    if is_global(legal.family) && location == AccessedSpace::Shared {
        return Err(EvaluationError::Invalid(format!("{} accesses only global memory", legal.family.name)));
    }
    Ok(Computation::Update { operation: operation(&legal, location)?, returns: legal.returns() })
}

/// An instruction with its inputs.
struct SassRun {
    legal: ResolvedSass,
    operation: Operation,
    cells: Cells,
    b: Value,
    c: Option<Value>,
    /// The address, if it is known.
    address: Option<u64>,
    /// How the address is computed.
    sum: Option<String>,
    notes: Vec<String>,
    outcome: SassOutcome,
}

/// The outcome of an instruction.
enum SassOutcome {
    /// It is not executed, for this reason.
    Off(String),
    /// It is a fault; memory is unchanged.
    Fault(Fault),
    /// It accesses a cell.
    Cell(usize),
}

fn listing(text: &str) -> Listing {
    let text = text.trim();
    let end = if text.ends_with([';', '}']) { "" } else { ";" };
    Listing::parse(&format!("{text}{end}\n"))
}

/// The first instruction of a text, if it is legal.
fn legal<'a>(
    listing: &'a Listing,
    request: &Request,
) -> Result<(ResolvedSass, syntax::sass::SassInstruction<'a>), EvaluationError> {
    let mut first = None;
    listing.walk(|event| {
        if let (ListingEvent::Instruction(instruction), None) = (event, &first) {
            first = Some(instruction);
        }
    });
    let text = request.instruction.trim();
    if let Some(error) = syntax::sass::syntax_errors(listing).into_iter().next() {
        return Err(illegal(SYNTAX_ERROR.code, &error.message, &error.help));
    }
    let instruction = first.ok_or_else(|| EvaluationError::Invalid(format!("`{text}` is not an instruction")))?;
    match resolve(&instruction, None) {
        SassResolution::Legal(legal) => {
            let mut findings = Vec::new();
            if !instruction.operands().is_empty() {
                operands::check(&instruction, &legal, &mut findings);
            }
            match findings.into_iter().next() {
                Some(finding) => Err(illegal(finding.code(), &finding.message(), &finding.help_text())),
                None => Ok((legal, instruction)),
            }
        }
        SassResolution::Illegal(reason) => Err(illegal(reason.code.as_str(), &reason.message, &reason.help)),
        SassResolution::Unknown => Err(not_evaluated(text)),
    }
}

fn illegal(code: &'static str, message: &str, help: &str) -> EvaluationError {
    let parts: Vec<&str> = [message, help].into_iter().filter(|part| !part.is_empty()).collect();
    EvaluationError::Illegal { code, message: parts.join("; ") }
}

fn operation(legal: &ResolvedSass, generic: AccessedSpace) -> Result<Operation, EvaluationError> {
    computed(legal, generic).ok_or_else(|| not_evaluated(&format!("{}.{}", legal.family.name, legal.op)))
}

impl SassRun {
    fn read(request: &Request) -> Result<SassRun, EvaluationError> {
        let listing = listing(request.instruction);
        let (legal, instruction) = legal(&listing, request)?;
        only_sass(request, &legal)?;
        let registers = Registers::read(&request.registers).map_err(EvaluationError::Invalid)?;
        registers.all_in(request.instruction).map_err(EvaluationError::Invalid)?;
        let windows: Vec<Window> = request
            .windows
            .iter()
            .map(|text| Window::read(text))
            .collect::<Result<_, _>>()
            .map_err(EvaluationError::Invalid)?;
        let mut notes = Vec::new();
        let off = off(&instruction, &registers, request.pixel, &mut notes)?;

        let operands = SassOperands::read(&instruction, &legal, &registers, request, off.is_some())?;
        let (address, sum) = (operands.address, operands.sum);
        if address.is_none() && off.is_none() && !windows.is_empty() {
            return Err(EvaluationError::Invalid("--window requires a known address: add --reg".to_owned()));
        }
        let window = address.and_then(|address| windows.iter().find(|window| window.holds(address)));
        let generic = accessed_space(window, request.generic)?;
        let operation = operation(&legal, generic)?;
        let shape = operation.shape();
        let cells = Cells::read(&request.memory, shape).map_err(EvaluationError::Invalid)?;
        let value = |option: &str, given: Option<&str>, at: usize| match off {
            Some(_) => Ok(Value::new(shape, 0)),
            None => operand_value(option, given, operands.values.get(at).map(String::as_str), &registers, shape)
                .map_err(EvaluationError::Invalid),
        };
        let b = value("--b", request.b, 0)?;
        let takes_c = legal.operands().contains(&SassRole::New);
        let c = if takes_c { Some(value("--c", request.c, 1)?) } else { None };
        if !takes_c && request.c.is_some() {
            let name = format!("{}.{}", legal.family.name, legal.op);
            return Err(EvaluationError::Invalid(format!("unexpected --c: {name} has no such operand")));
        }
        let outcome = match (off, misplaced(&legal, address, window, generic)) {
            (Some(why), _) => SassOutcome::Off(why),
            (None, Some(fault)) => SassOutcome::Fault(fault),
            (None, None) => match cells.find(address, shape) {
                Ok(at) => SassOutcome::Cell(at),
                Err(error) => SassOutcome::Fault(access_fault(&error)),
            },
        };
        Ok(SassRun { legal, operation, cells, b, c, address, sum, notes, outcome })
    }
}

/// The operands of an instruction: the address, how it is computed, and the registers of b and c.
#[derive(Default)]
struct SassOperands {
    address: Option<u64>,
    sum: Option<String>,
    values: Vec<String>,
}

impl SassOperands {
    fn read(
        instruction: &syntax::sass::SassInstruction,
        legal: &ResolvedSass,
        registers: &Registers,
        request: &Request,
        is_off: bool,
    ) -> Result<Self, EvaluationError> {
        let mut found = SassOperands::default();
        let operands = instruction.operands();
        for (operand, role) in operands.iter().zip(legal.operands()) {
            match (&operand.kind, role) {
                (SassOperandKind::Address(one), SassRole::Address) if !is_off => {
                    match add_up(legal, one, registers) {
                        Ok((value, sum)) => (found.address, found.sum) = (Some(value), Some(sum)),
                        // Without --reg but with --b, operands are ignored, as for PTX.
                        Err(_) if registers.is_empty() && request.b.is_some() => {}
                        Err(reason) => return Err(EvaluationError::Invalid(reason)),
                    }
                }
                (SassOperandKind::Register(name), SassRole::Value | SassRole::New) => {
                    found.values.push(name.text.to_string());
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

/// The space that a generic address refers to, by its window.
fn accessed_space(window: Option<&Window>, given: Option<AccessedSpace>) -> Result<AccessedSpace, EvaluationError> {
    let generic = match window {
        Some(window) if window.name == "shared" => AccessedSpace::Shared,
        _ => given.unwrap_or_default(),
    };
    if window.is_some() && given.is_some_and(|given| given != generic) {
        return Err(EvaluationError::Invalid(
            "--space global conflicts with the address, which is in the shared window".to_owned(),
        ));
    }
    Ok(generic)
}

/// The value of an operand, from its option or from the register that the instruction names.
fn operand_value(
    option: &str,
    given: Option<&str>,
    register: Option<&str>,
    registers: &Registers,
    shape: Shape,
) -> Result<Value, String> {
    match (register, given) {
        (Some(name), Some(text)) if matches!(name, "RZ" | "URZ") => match literal::parse(text, shape) {
            Ok(value) if value.bits() == 0 => Ok(value),
            _ => Err(format!("{option} {text} conflicts with {name} in the instruction, which is 0")),
        },
        (Some(name), Some(_)) if registers.holds(name) => {
            Err(format!("{option} conflicts with --reg {name}: give one of them"))
        }
        (Some(name), None) => registers.value(name, shape),
        (_, Some(text)) => literal::parse(text, shape).map_err(|error| format!("{option}: {error}")),
        (None, None) => Err(format!("missing {option}")),
    }
}

fn access_fault(error: &AccessError) -> Fault {
    let code = match error {
        AccessError::Misaligned { .. } => Some(MISALIGNED_ADDRESS.code),
        AccessError::Outside { .. } => None,
    };
    Fault { code, message: error.to_string() }
}

/// Rejects options that do not apply to SASS, or that conflict with the instruction.
fn only_sass(request: &Request, legal: &ResolvedSass) -> Result<(), EvaluationError> {
    let settings = &request.settings;
    let ptx = [("--target", settings.target.is_some()), ("--ptx-version", settings.version.is_some())];
    if let Some((option, _)) = ptx.iter().find(|(_, given)| *given) {
        return Err(EvaluationError::Invalid(format!("{option} applies only to PTX, not to {}", legal.family.name)));
    }
    if legal.family.extended == ExtendedAddress::Never && request.generic == Some(AccessedSpace::Global) {
        let message = format!("--space global conflicts with {}, which accesses shared memory", legal.family.name);
        return Err(EvaluationError::Invalid(message));
    }
    Ok(())
}

/// Why an instruction is not executed, if it is not.
fn off(
    instruction: &syntax::sass::SassInstruction,
    registers: &Registers,
    pixel: Pixel,
    notes: &mut Vec<String>,
) -> Result<Option<String>, EvaluationError> {
    match pixel {
        Pixel::Live => {}
        Pixel::Helper => {
            return Ok(Some("a helper pixel does not execute the instruction".to_owned()));
        }
        Pixel::Killed => {
            return Ok(Some("a killed pixel does not execute the instruction".to_owned()));
        }
    }
    let Some(guard) = instruction.guard() else { return Ok(None) };
    let name = guard.text.trim_start_matches('@');
    let (negated, name) = name.strip_prefix('!').map_or((false, name), |name| (true, name));
    match registers.predicate(name).map_err(EvaluationError::Invalid)? {
        None => {
            notes.push(format!("guard is assumed to be true: {name} is not given"));
            Ok(None)
        }
        Some(value) if value == negated => Ok(Some(format!("guard {} is false", guard.text))),
        Some(_) => Ok(None),
    }
}

/// The fault of an address in a window of the wrong space.
fn misplaced(
    legal: &ResolvedSass,
    address: Option<u64>,
    window: Option<&Window>,
    generic: AccessedSpace,
) -> Option<Fault> {
    let fault = |space: &str| {
        let location = address.map_or("the address".to_owned(), |address| format!("address {address:#x}"));
        let must = if is_global(legal.family) { "only global memory" } else { "only global and shared memory" };
        let message = format!("{location} is in the {space} window, but {} accesses {must}", legal.family.name);
        Some(Fault { code: Some(WRONG_SPACE.code), message })
    };
    match window {
        _ if legal.family.extended == ExtendedAddress::Never => None,
        Some(window) if window.name == "local" => fault("local"),
        Some(window) if is_global(legal.family) => fault(window.name),
        None if is_global(legal.family) && generic == AccessedSpace::Shared => fault("shared"),
        _ => None,
    }
}

/// The address, and how it is computed.
fn add_up(legal: &ResolvedSass, address: &SassAddress, registers: &Registers) -> Result<(u64, String), String> {
    let mut sum = 0u64;
    let mut terms = Vec::new();
    for term in &address.terms {
        let value = term_value(legal, term, registers)?;
        sum = if term.negative { sum.wrapping_sub(value) } else { sum.wrapping_add(value) };
        let sign = match (terms.is_empty(), term.negative) {
            (true, false) => "",
            (_, true) => "- ",
            (false, false) => "+ ",
        };
        let shown = match &term.kind {
            TermKind::Register(name, _) => format!("{} ({value:#x})", name.text),
            TermKind::Number(_) => term.token.text.to_string(),
        };
        terms.push(format!("{sign}{shown}"));
    }
    let terms = terms.join(" ");
    Ok(if legal.extended {
        (sum, format!("the address is {terms} = {sum:#x} (64 bits)"))
    } else {
        let sum = sum & 0xffff_ffff;
        let wide = if legal.family.dialect == SassDialect::Maxwell { ", zero-extended to 40 bits" } else { "" };
        (sum, format!("the address is {terms} = {sum:#x} (32 bits{wide})"))
    })
}

fn term_value(legal: &ResolvedSass, term: &AddressTerm, registers: &Registers) -> Result<u64, String> {
    match &term.kind {
        TermKind::Number(value) => value.map(|value| value as u64).ok_or_else(|| "offset is too large".to_owned()),
        TermKind::Register(name, words) => {
            let narrow = !legal.extended || words.iter().any(|word| word == "U32");
            let shape = Shape::scalar(if narrow { Type::U32 } else { Type::U64 });
            let value = registers.value(&name.text, shape)?.bits() as u64;
            let scale = words.iter().find_map(|word| word.strip_prefix('X')?.parse::<u64>().ok());
            Ok(value.wrapping_mul(scale.unwrap_or(1)))
        }
    }
}

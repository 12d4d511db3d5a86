//! What one instruction computes on given values.
//!
//! Joins the tables, which say what the instruction is, with the emulator, which says what it does.

use crate::Settings;
use emulator::literal;
use emulator::multimem::{Accumulate, Reduction};
use emulator::{Location, Operation, Shape, Value};
use isa::types::Type;
use isa::{Instruction, Module, Resolution, Spelling};

/// The instruction and the values it meets, as a user writes them.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// An opcode such as `atom.global.add.u32`; a guard, operands and a `;` around it are passed over.
    pub instruction: &'a str,
    /// The value in memory; for multimem one per replica, in the order of the reduction.
    pub memory: Vec<&'a str>,
    /// Operand b; for cas the value to compare with.
    pub b: Option<&'a str>,
    /// Operand c; for cas the new value.
    pub c: Option<&'a str>,
    /// Where a generic address points to.
    pub generic: Location,
    /// The target and version to check for.
    pub settings: Settings,
}

/// What an instruction left behind.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Memory afterwards; for multimem one per replica.
    pub memory: Vec<Value>,
    /// The destination, where the instruction has one.
    pub destination: Option<Value>,
    /// What happened on the way, a sentence each.
    pub notes: Vec<String>,
}

/// Why there is nothing to evaluate, in sentences for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The instruction is illegal: the code and what the linter says of it.
    Illegal {
        /// The finding's code.
        code: &'static str,
        /// The finding's message and help.
        message: String,
    },
    /// The request makes no sense: an unknown instruction, a value that is missing or unreadable.
    Unusable(String),
}

/// Computes what an instruction does.
pub fn evaluate(request: &Request) -> Result<Evaluation, Refusal> {
    let instruction = resolve(request)?;
    let ty = instruction.ty.ok_or_else(|| Refusal::Unusable("this instruction has no type to compute in".into()))?;
    let shape = Shape::new(ty, instruction.lanes.into()).ok_or_else(|| {
        Refusal::Unusable(format!("no instruction accesses {} lanes of .{} at once", instruction.lanes, ty.word()))
    })?;
    let replicas =
        request.memory.iter().map(|text| value("--mem", Some(text), shape)).collect::<Result<Vec<_>, _>>()?;
    if instruction.family.name.starts_with("multimem.") {
        return multimem(&instruction, shape, replicas, request);
    }
    let [memory] = replicas.as_slice() else {
        return Err(Refusal::Unusable(match replicas.len() {
            0 => "--mem is missing: the value in memory".into(),
            n => format!("--mem is given {n} times; only multimem has several replicas"),
        }));
    };
    let op = instruction.op.ok_or_else(|| Refusal::Unusable("this instruction has no operation".into()))?;
    let location = Location::of(instruction.space.value, request.generic);
    let operation = Operation::new(op, shape, instruction.noftz, location).map_err(unusable)?;
    let wants_c = op == isa::types::Op::Cas;
    if !wants_c && request.c.is_some() {
        return Err(Refusal::Unusable(format!("--c is given, but .{} has no third value", op.word())));
    }
    let b = value("--b", request.b, shape)?;
    let c = wants_c.then(|| value("--c", request.c, shape)).transpose()?;
    let outcome = emulator::evaluate(operation, *memory, b, c);
    Ok(Evaluation {
        memory: vec![outcome.memory],
        destination: (instruction.family.name == "atom").then_some(outcome.destination),
        notes: outcome.notes.iter().map(ToString::to_string).collect(),
    })
}

fn multimem(
    instruction: &Instruction,
    shape: Shape,
    replicas: Vec<Value>,
    request: &Request,
) -> Result<Evaluation, Refusal> {
    if replicas.is_empty() {
        return Err(Refusal::Unusable("--mem is missing: give it once for each replica".into()));
    }
    if request.c.is_some() {
        return Err(Refusal::Unusable("--c is given, but multimem has no third value".into()));
    }
    let Some(op) = instruction.op else {
        let b = value("--b", request.b, shape)?;
        return Ok(Evaluation {
            memory: vec![b; replicas.len()],
            destination: None,
            notes: vec!["every replica holds b".into()],
        });
    };
    let accumulate = match instruction.acc {
        Some(Type::F16) => Accumulate::F16,
        Some(Type::F32) => Accumulate::F32,
        _ => Accumulate::Element,
    };
    let reduction = Reduction::new(op, shape, accumulate).map_err(unusable)?;
    if instruction.family.name == "multimem.red" {
        let b = value("--b", request.b, shape)?;
        let (memory, notes) = reduction.update(&replicas, b);
        return Ok(Evaluation { memory, destination: None, notes: notes.iter().map(ToString::to_string).collect() });
    }
    if request.b.is_some() {
        return Err(Refusal::Unusable("--b is given, but multimem.ld_reduce only loads".into()));
    }
    let reduced = reduction.load(&replicas).ok_or_else(|| Refusal::Unusable("there is no replica to load".into()))?;
    let order = format!("the {} replicas were reduced in the order given", replicas.len());
    Ok(Evaluation {
        memory: replicas,
        destination: Some(reduced.destination),
        notes: reduced.notes.iter().map(ToString::to_string).chain([order]).collect(),
    })
}

pub(crate) fn resolve(request: &Request) -> Result<Instruction, Refusal> {
    let opcode = opcode(request.instruction);
    let mut words = opcode.split('.');
    let mnemonic = words.next().unwrap_or_default();
    let modifiers: Vec<&str> = words.collect();
    let module = Module { version: request.settings.version, target: request.settings.target };
    match isa::resolve(&Spelling { mnemonic, modifiers: &modifiers }, &module) {
        Resolution::Legal(instruction) => Ok(instruction),
        Resolution::Illegal(reasons) => Err(reasons.first().map_or_else(
            || Refusal::Unusable(format!("`{opcode}` is illegal")),
            |reason| Refusal::Illegal {
                code: reason.code.as_str(),
                message: [&*reason.message, &*reason.help]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join("; "),
            },
        )),
        Resolution::Unknown => {
            let known: Vec<_> = isa::mnemonics().collect();
            Err(Refusal::Unusable(format!("`{opcode}` cannot be evaluated; these can: {}", known.join(", "))))
        }
    }
}

/// The opcode within an instruction as it stands in a file.
fn opcode(instruction: &str) -> &str {
    let text = instruction.trim();
    let text = text
        .strip_prefix('@')
        .map_or(text, |guarded| guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()));
    text.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default()
}

fn value(option: &str, text: Option<&str>, shape: Shape) -> Result<Value, Refusal> {
    let text = text.ok_or_else(|| Refusal::Unusable(format!("{option} is missing")))?;
    literal::parse(text, shape).map_err(|error| Refusal::Unusable(format!("{option}: {error}")))
}

fn unusable(error: impl ToString) -> Refusal {
    Refusal::Unusable(error.to_string())
}

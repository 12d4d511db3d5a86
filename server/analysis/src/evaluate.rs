//! What one instruction computes on given values.
//!
//! Joins the tables, which say what the instruction is, with the emulator, which says what it does.

use crate::{Settings, sass};
use emulator::literal;
use emulator::{Computation, Location, Shape, Value};
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
    /// Of SASS: what registers and predicates hold, as `R0=0x1000`.
    pub registers: Vec<&'a str>,
    /// Of SASS: where generic addresses reach other memory than global, as `shared=0x1000000..0x1ffffff`.
    pub windows: Vec<&'a str>,
    /// Of SASS: the pixel that the thread shades.
    pub pixel: Pixel,
    /// Where a generic address points to.
    pub generic: Location,
    /// The target and version to check for.
    pub settings: Settings,
}

/// What a thread of a pixel shader stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pixel {
    /// A pixel that is drawn, or no pixel at all.
    #[default]
    Live,
    /// A pixel that is computed for its neighbours' sake only.
    Helper,
    /// A pixel that was given up.
    Killed,
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
    /// Why memory was not reached, where it was not.
    pub fault: Option<Fault>,
}

/// An access that is an error when it runs. It leaves memory as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code of the page about it, where there is one.
    pub code: Option<&'static str>,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
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
    if sass::run::is_sass(request.instruction) {
        return sass::run::evaluate(request);
    }
    read(request).map(|run| run.evaluate())
}

/// Tells what an instruction does step by step, a sentence each without a full stop.
pub fn explain(request: &Request) -> Result<Vec<String>, Refusal> {
    if sass::run::is_sass(request.instruction) {
        return sass::run::explain(request);
    }
    read(request).map(|run| run.steps())
}

/// A computation with the values it works on: as many replicas as it may have, and the operands that it takes.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub computation: Computation,
    /// At least one value, for `atom` and `red` exactly one.
    pub memory: Vec<Value>,
    /// Zero where the computation takes none.
    pub b: Value,
    pub c: Option<Value>,
}

impl Run {
    pub fn evaluate(&self) -> Evaluation {
        let sentences = |notes: &[emulator::Note]| notes.iter().map(ToString::to_string).collect();
        match self.computation {
            Computation::Update { operation, returns } => {
                let outcome = emulator::evaluate(operation, self.memory[0], self.b, self.c);
                Evaluation {
                    memory: vec![outcome.memory],
                    destination: returns.then_some(outcome.destination),
                    notes: sentences(&outcome.notes),
                    fault: None,
                }
            }
            Computation::Load(reduction) => {
                let reduced = reduction.load(&self.memory);
                let mut notes: Vec<String> = reduced.iter().flat_map(|reduced| sentences(&reduced.notes)).collect();
                notes.push(format!("the {} replicas were reduced in the order given", self.memory.len()));
                let destination = reduced.map(|one| one.destination);
                Evaluation { memory: self.memory.clone(), destination, notes, fault: None }
            }
            Computation::UpdateAll(reduction) => {
                let (memory, notes) = reduction.update(&self.memory, self.b);
                Evaluation { memory, destination: None, notes: sentences(&notes), fault: None }
            }
            Computation::StoreAll(_) => Evaluation {
                memory: vec![self.b; self.memory.len()],
                destination: None,
                notes: vec!["every replica holds b".to_owned()],
                fault: None,
            },
        }
    }

    fn steps(&self) -> Vec<String> {
        let after = self.evaluate();
        let both = |value: &Value| match (format!("{value:#x}"), value.to_string()) {
            (bits, meaning) if bits == meaning => bits,
            (bits, meaning) => format!("{bits}, that is {meaning}"),
        };
        let mut steps = match self.computation {
            Computation::Update { operation, .. } => emulator::steps(operation, self.memory[0], self.b, self.c),
            Computation::Load(reduction) => {
                let sums = reduction.load(&self.memory).map(|reduced| reduced.steps).unwrap_or_default();
                let replicas = self.memory.iter().zip(&sums).enumerate();
                let told = replicas.map(|(at, (replica, sum))| match at {
                    0 => format!("the reduction begins with replica 0: {}", both(replica)),
                    _ => format!("with replica {at}, {replica}, it becomes {}", both(sum)),
                });
                told.chain(after.notes).collect()
            }
            Computation::UpdateAll(_) | Computation::StoreAll(_) => {
                let replicas = self.memory.iter().zip(&after.memory).enumerate();
                let told =
                    replicas.map(|(at, (old, new))| format!("replica {at} held {old} and now holds {}", both(new)));
                std::iter::once(format!("b is {}", both(&self.b))).chain(told).chain(after.notes).collect()
            }
        };
        steps.extend(after.destination.map(|value| format!("the destination receives {}", both(&value))));
        steps
    }
}

fn read(request: &Request) -> Result<Run, Refusal> {
    for (option, given) in [("--reg", &request.registers), ("--window", &request.windows)] {
        if !given.is_empty() {
            return Err(Refusal::Unusable(format!(
                "{option} is for SASS such as RED; PTX values are given with --mem and --b"
            )));
        }
    }
    let instruction = resolve(request)?;
    let computation = Computation::of(&instruction, request.generic).map_err(unusable)?;
    let shape = computation.shape();
    let memory = request.memory.iter().map(|text| value("--mem", Some(text), shape)).collect::<Result<Vec<_>, _>>()?;
    match (memory.len(), computation.has_replicas()) {
        (0, false) => return Err(Refusal::Unusable("--mem is missing: the value in memory".into())),
        (0, true) => return Err(Refusal::Unusable("--mem is missing: give it once for each replica".into())),
        (2.., false) => {
            let often = memory.len();
            return Err(Refusal::Unusable(format!("--mem is given {often} times; only multimem has several replicas")));
        }
        _ => {}
    }
    let operand = |option: &str, text: Option<&str>, wanted: bool| match (text, wanted) {
        (Some(_), false) => {
            let name = instruction.family.name;
            let name = instruction.op.map_or(name.to_owned(), |op| format!("{name} with .{}", op.word()));
            Err(Refusal::Unusable(format!("{option} is given, but {name} takes no such value")))
        }
        (None, false) => Ok(None),
        (text, true) => value(option, text, shape).map(Some),
    };
    let b = operand("--b", request.b, computation.takes_b())?;
    let c = operand("--c", request.c, computation.takes_c())?;
    Ok(Run { computation, memory, b: b.unwrap_or(Value::new(shape, 0)), c })
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

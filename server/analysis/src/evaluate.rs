//! What one instruction computes on given values.
//!
//! Joins the tables, which say what the instruction is, with the emulator, which says what it does.

use crate::{Settings, sass};
use emulator::literal;
use emulator::{Computation, Location, Shape, Value};
use isa::{Instruction, Module, Resolution, Spelling};
pub(crate) use written::{Fixed, Written};
use written::{Part, module, only};

mod written;

/// The instruction and the values it meets, as a user writes them.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// An opcode such as `atom.global.add.u32`, or an instruction with its guard and its operands.
    pub instruction: &'a str,
    /// The value in memory; for multimem one per replica, in the order of the reduction.
    pub memory: Vec<&'a str>,
    /// Operand b; for cas the value to compare with.
    pub b: Option<&'a str>,
    /// Operand c; for cas the new value.
    pub c: Option<&'a str>,
    /// What registers and predicates of SASS hold, as `R0=0x1000`; of PTX the guard, as `%p1=0`.
    pub registers: Vec<&'a str>,
    /// Of SASS: where generic addresses reach other memory than global, as `shared=0x1000000..0x1ffffff`.
    pub windows: Vec<&'a str>,
    /// Of SASS: the pixel that the thread shades.
    pub pixel: Pixel,
    /// Where a generic address points to; global if nothing is said.
    pub generic: Option<Location>,
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
    let (run, part) = read(request)?;
    Ok(match part {
        Part::Taken => run.evaluate(),
        Part::Assumed(note) => {
            let mut evaluation = run.evaluate();
            evaluation.notes.insert(0, note);
            evaluation
        }
        Part::Off(why) => Evaluation { memory: run.memory, destination: None, notes: vec![why], fault: None },
    })
}

/// Tells what an instruction does step by step, a sentence each without a full stop.
pub fn explain(request: &Request) -> Result<Vec<String>, Refusal> {
    if sass::run::is_sass(request.instruction) {
        return sass::run::explain(request);
    }
    let (run, part) = read(request)?;
    Ok(match part {
        Part::Taken => run.steps(),
        Part::Assumed(note) => std::iter::once(note).chain(run.steps()).collect(),
        Part::Off(why) => vec![format!("{why}: memory stays as it was")],
    })
}

/// The instructions that can be evaluated, PTX first: those that the emulator has a rule for.
pub fn evaluated() -> Vec<&'static str> {
    let ptx = isa::families().iter().map(|family| family.name).filter(|name| Computation::covers(name));
    ptx.chain(sass::run::evaluated()).collect()
}

fn not_evaluated(opcode: &str) -> Refusal {
    Refusal::Unusable(format!("`{opcode}` cannot be evaluated; these can: {}", evaluated().join(", ")))
}

impl Settings {
    /// Settings that an evaluation can hold to: the version that a toolkit knows, and targets that the version knows.
    ///
    /// # Errors
    /// A sentence for people where they contradict each other.
    pub fn for_evaluation(mut self) -> Result<Self, String> {
        let newest = self.toolkit.as_deref().and_then(isa::target::Version::of_toolkit);
        if let (Some(version), Some(newest)) = (self.version, newest)
            && newest < version
        {
            return Err(format!("--ptx-version is {version}, but --toolkit knows PTX up to {newest}"));
        }
        self.version = self.version.or(newest);
        let unknown = |version| self.target.iter().chain(&self.also).find(|target| !target.known_by(version));
        match self.version.and_then(|version| Some((version, unknown(version)?))) {
            Some((version, target)) => {
                Err(format!("{} needs PTX {}, but the version asked for is {version}", target.name(), target.since()))
            }
            None => Ok(self),
        }
    }
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

fn read(request: &Request) -> Result<(Run, Part), Refusal> {
    for (option, given) in [("--window", !request.windows.is_empty()), ("--pixel", request.pixel != Pixel::Live)] {
        if given {
            return Err(Refusal::Unusable(format!("{option} is for SASS such as RED, and has no effect on PTX")));
        }
    }
    if request.instruction.trim().is_empty() {
        return Err(Refusal::Unusable("there is no instruction to evaluate".to_owned()));
    }
    let file = module(request.instruction);
    let written = only(&file)?;
    let instruction = resolve(&written, &request.settings)?;
    let generic = location(&instruction, request.generic)?;
    let computation = Computation::of(&instruction, generic).map_err(unusable)?;
    let written = Written::read(&file, &written, &instruction)?;
    let shape = computation.shape();
    let memory = memory(&request.memory, computation)?;
    let operand = |at: usize, given: Option<&str>, wanted: bool| match (given, wanted) {
        (Some(_), false) => {
            let name = instruction.family.name;
            let name = instruction.op.map_or(name.to_owned(), |op| format!("{name} with .{}", op.word()));
            Err(Refusal::Unusable(format!("{} is given, but {name} takes no such value", ["--b", "--c"][at])))
        }
        (None, false) => Ok(None),
        (given, true) => written.value(at, given, shape).map(Some),
    };
    let b = operand(0, request.b, computation.takes_b())?;
    let c = operand(1, request.c, computation.takes_c())?;
    written.agree(b, c)?;
    let run = Run { computation, memory, b: b.unwrap_or(Value::new(shape, 0)), c };
    Ok((run, written.part(request)?))
}

fn memory(given: &[&str], computation: Computation) -> Result<Vec<Value>, Refusal> {
    let shape = computation.shape();
    let memory = given.iter().map(|text| value("--mem", Some(text), shape)).collect::<Result<Vec<_>, _>>()?;
    match (memory.len(), computation.has_replicas()) {
        (0, false) => Err(Refusal::Unusable("--mem is missing: the value in memory".into())),
        (0, true) => Err(Refusal::Unusable("--mem is missing: give it once for each replica".into())),
        (2.., false) => {
            let often = memory.len();
            Err(Refusal::Unusable(format!("--mem is given {often} times; only multimem has several replicas")))
        }
        _ => Ok(memory),
    }
}

/// Where a generic address points; an instruction that names its space is not given another.
fn location(instruction: &Instruction, given: Option<Location>) -> Result<Location, Refusal> {
    let named = instruction.space.value;
    match given {
        Some(given) if Location::of(named, given) != given => Err(Refusal::Unusable(format!(
            "--space is {}, but the instruction names .{}; leave one of them out",
            given.name(),
            named.word()
        ))),
        given => Ok(given.unwrap_or_default()),
    }
}

/// The instruction in a text, with what its constants fix of b and c.
pub(crate) fn prepared(request: &Request) -> Result<(Instruction, [Fixed; 2]), Refusal> {
    let file = module(request.instruction);
    let written = only(&file)?;
    let instruction = resolve(&written, &request.settings)?;
    let computation = Computation::of(&instruction, Location::Global).map_err(unusable)?;
    let written = Written::read(&file, &written, &instruction)?;
    Ok((instruction, [0, 1].map(|at| written.fixed(at, computation.shape()))))
}

/// A legal instruction, for each of the targets that are asked for.
fn resolve(instruction: &syntax::Instruction, settings: &Settings) -> Result<Instruction, Refusal> {
    let opcode = instruction.opcode();
    let words = opcode.words();
    let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &words };
    let mut targets: Vec<_> = std::iter::once(settings.target).chain(settings.also.iter().copied().map(Some)).collect();
    // The first answers.
    targets.reverse();
    let mut legal = None;
    for target in targets {
        match isa::resolve(&spelling, &Module { version: settings.version, target }) {
            Resolution::Legal(instruction) => legal = Some(instruction),
            Resolution::Illegal(reasons) => {
                let refusal = |reason: &isa::Reason| {
                    let parts = [&*reason.message, &*reason.help].into_iter().filter(|part| !part.is_empty());
                    let message = parts.collect::<Vec<_>>().join("; ");
                    Refusal::Illegal { code: reason.code.as_str(), message }
                };
                let shown = instruction.opcode_token().text;
                let nothing = || Refusal::Unusable(format!("`{shown}` is illegal"));
                return Err(reasons.first().map_or_else(nothing, refusal));
            }
            Resolution::Unknown => break,
        }
    }
    legal
        .filter(|legal| Computation::covers(legal.family.name))
        .ok_or_else(|| not_evaluated(&instruction.opcode_token().text))
}

fn value(option: &str, text: Option<&str>, shape: Shape) -> Result<Value, Refusal> {
    let text = text.ok_or_else(|| Refusal::Unusable(format!("{option} is missing")))?;
    literal::parse(text, shape).map_err(|error| Refusal::Unusable(format!("{option}: {error}")))
}

fn unusable(error: impl ToString) -> Refusal {
    Refusal::Unusable(error.to_string())
}

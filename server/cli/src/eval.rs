//! `eval`: what an atomic leaves in memory and in its destination.

use crate::batch;
use crate::exit::{Exit, complain};
use crate::options::Overrides;
use analysis::Location;
use analysis::evaluate::{Evaluation, Refusal, Request, evaluate, explain};
use clap::{Args, ValueEnum};
use std::io::{self, Write};

/// Where a generic address points to.
#[derive(Clone, Copy, ValueEnum)]
enum Space {
    Global,
    Shared,
}

/// Arguments of `eval`.
#[derive(Args)]
pub struct Arguments {
    /// The instruction, such as atom.global.add.u32
    #[arg(value_name = "INSTRUCTION", required_unless_present = "batch")]
    instruction: Option<String>,
    /// The value in memory: decimal, 0x…, 1.5, 0f3F800000, {lane, lane}; once per replica for multimem
    #[arg(long = "mem", value_name = "V", allow_hyphen_values = true)]
    memory: Vec<String>,
    /// Operand b; for cas the value to compare with
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    b: Option<String>,
    /// Operand c; for cas the new value
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    c: Option<String>,
    /// Where a generic address points to
    #[arg(long, value_enum, default_value_t = Space::Global)]
    space: Space,
    /// Tell step by step how it comes about
    #[arg(long)]
    explain: bool,
    /// Answer lines `instruction TAB space TAB mem TAB b TAB c` of standard input with `mem_after TAB d`: space is
    /// global, shared, generic:global or generic:shared; values are hex without 0x, `-` where there is none
    #[arg(long, conflicts_with_all = ["instruction", "memory", "b", "c", "space", "explain"])]
    batch: bool,
    #[command(flatten)]
    overrides: Overrides,
}

/// Evaluates and prints.
pub fn run(arguments: &Arguments) -> Exit {
    let settings = match arguments.overrides.settings() {
        Ok(settings) => settings,
        Err(reason) => return complain(reason),
    };
    if arguments.batch {
        return batch::run(settings);
    }
    let request = Request {
        instruction: arguments.instruction.as_deref().unwrap_or_default(),
        memory: arguments.memory.iter().map(String::as_str).collect(),
        b: arguments.b.as_deref(),
        c: arguments.c.as_deref(),
        generic: match arguments.space {
            Space::Global => Location::Global,
            Space::Shared => Location::Shared,
        },
        settings,
    };
    let printed = match arguments.explain {
        true => explain(&request).map(|steps| numbered(&steps)),
        false => evaluate(&request).map(|evaluation| print(&evaluation)),
    };
    match printed {
        Ok(text) => match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => complain(format!("cannot write: {error}")),
            _ => Exit::Clean,
        },
        Err(Refusal::Illegal { code, message }) => {
            eprintln!("error[{code}]: {message}");
            Exit::Errors
        }
        Err(Refusal::Unusable(reason)) => complain(reason),
    }
}

fn print(evaluation: &Evaluation) -> String {
    let replicas = evaluation.memory.len();
    let memory = evaluation.memory.iter().enumerate().map(|(at, value)| match replicas {
        1 => ("memory".to_owned(), value),
        _ => (format!("memory {at}"), value),
    });
    let destination = evaluation.destination.iter().map(|value| ("destination".to_owned(), value));
    let mut text = String::new();
    for (name, value) in memory.chain(destination) {
        text += &format!("{name:<12} {value:#x}  {value}\n");
    }
    for note in &evaluation.notes {
        text += &format!("note: {note}\n");
    }
    text
}

fn numbered(steps: &[String]) -> String {
    steps.iter().zip(1..).map(|(step, number)| format!("{number:2}. {step}\n")).collect()
}

//! `eval`: evaluates an atomic.

use crate::batch;
use crate::exit::{Exit, fail};
use crate::options::Overrides;
use crate::output::{self, EscapeStyle, SCHEMA};
use clap::{Args, ValueEnum};
use diagnostics::Settings;
use evaluation::{Evaluation, EvaluationError, Pixel, Request};
use ide::evaluate::{evaluate, evaluated_list, explain};
use serde_json::{Value as Json, json};
use values::AccessedSpace;
use values::Value;

/// The state space of a generic address.
#[derive(Clone, Copy, ValueEnum)]
enum GenericSpace {
    Global,
    Shared,
}

/// The kind of pixel that a thread shades.
#[derive(Clone, Copy, ValueEnum)]
enum Shaded {
    /// A visible pixel, or no graphics shader
    Live,
    /// A helper pixel; atomics have no effect
    Helper,
    /// A discarded pixel; atomics have no effect
    Killed,
}

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EvalOutput {
    /// A line per value
    Text,
    /// One JSON object
    Json,
}

/// The exit codes, for the help.
const EXIT_CODES: &str = "\
Examples:
  ptx-atomics eval red.global.add.f32 --mem 1.5 --b 2
  ptx-atomics eval atom.global.cas.b32 --mem 0 --b 0 --c 1

Exit codes: 0 evaluated, 1 illegal instruction or invalid access, 2 missing or conflicting values.";

/// Arguments of `eval`.
#[derive(Args)]
#[command(after_help = format!("{EXIT_CODES}\n\nInstructions that can be evaluated: {}.", evaluated_list()))]
pub struct EvalArguments {
    /// Instruction, such as atom.global.add.u32, or in SASS 'RED.E.MIN.U32 [R0-400], R5'
    #[arg(value_name = "INSTRUCTION", required_unless_present = "batch")]
    instruction: Option<String>,
    /// Value in memory: decimal, 0x…, 1.5, 0f3F800000 or {lane, lane}; once per replica for multimem; in SASS also ADDRESS=V, once per value
    #[arg(long = "mem", value_name = "V", allow_hyphen_values = true)]
    memory: Vec<String>,
    /// Operand b; for cas, the value to compare with
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    b: Option<String>,
    /// Operand c; for cas, the new value
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    c: Option<String>,
    /// Value of a SASS register or predicate: R0=0x1000, P0=1 (R0 also gives the pair R0, R1); in PTX, the guard: %p1=0
    #[arg(long = "reg", value_name = "R=V", allow_hyphen_values = true)]
    registers: Vec<String>,
    /// Range of SASS addresses in another space: shared=FIRST..LAST or local=FIRST..LAST
    #[arg(long = "window", value_name = "SPACE=FIRST..LAST")]
    windows: Vec<String>,
    /// Kind of pixel that the thread shades
    #[arg(long, value_enum, default_value_t = Shaded::Live)]
    pixel: Shaded,
    /// State space of a generic address [default: global]
    #[arg(long, value_enum)]
    space: Option<GenericSpace>,
    /// Output format
    #[arg(long, value_enum, default_value_t = EvalOutput::Text)]
    format: EvalOutput,
    /// Explain the result step by step
    #[arg(long, conflicts_with = "format")]
    explain: bool,
    /// Read lines `instruction TAB space TAB mem TAB b TAB c` from standard input and write `mem_after TAB d`; space is
    /// global, shared, generic:global or generic:shared; values are hexadecimal without 0x, or `-`
    #[arg(long, conflicts_with_all = ["instruction", "memory", "b", "c", "space", "format", "explain", "registers", "windows", "pixel"])]
    batch: bool,
    #[command(flatten)]
    overrides: Overrides,
}

/// Runs `eval`.
pub fn run(arguments: &EvalArguments) -> Exit {
    let settings = match arguments.overrides.settings().and_then(Settings::for_evaluation) {
        Ok(settings) => settings,
        Err(reason) => return fail(reason),
    };
    if arguments.batch {
        return batch::run(settings);
    }
    let request = Request {
        instruction: arguments.instruction.as_deref().unwrap_or_default(),
        memory: arguments.memory.iter().map(String::as_str).collect(),
        b: arguments.b.as_deref(),
        c: arguments.c.as_deref(),
        registers: arguments.registers.iter().map(String::as_str).collect(),
        windows: arguments.windows.iter().map(String::as_str).collect(),
        pixel: match arguments.pixel {
            Shaded::Live => Pixel::Live,
            Shaded::Helper => Pixel::Helper,
            Shaded::Killed => Pixel::Killed,
        },
        generic: arguments.space.map(|space| match space {
            GenericSpace::Global => AccessedSpace::Global,
            GenericSpace::Shared => AccessedSpace::Shared,
        }),
        settings,
    };
    if arguments.format == EvalOutput::Json {
        return json_result(&request).unwrap_or_else(fail);
    }
    let printed = if arguments.explain {
        explain(&request).and_then(|steps| Ok((numbered(&steps), evaluate(&request)?.fault)))
    } else {
        evaluate(&request).map(|evaluation| (shown(&evaluation), evaluation.fault))
    };
    match printed {
        Ok((text, fault)) => match (output::print(&text), fault) {
            (Err(reason), _) => fail(reason),
            (Ok(()), None) => Exit::Clean,
            (Ok(()), Some(fault)) => {
                let code = fault.code.map(|code| format!("[{code}]")).unwrap_or_default();
                output::say(&format!("error{code}: {}", fault.message));
                Exit::Errors
            }
        },
        Err(EvaluationError::Illegal { code, message }) => {
            output::say(&format!("error[{code}]: {message}"));
            Exit::Errors
        }
        Err(EvaluationError::Invalid(reason)) => fail(reason),
    }
}

/// Prints the result as one JSON object; the error is a message for the user.
fn json_result(request: &Request) -> Result<Exit, String> {
    let error = |code: Option<&str>, message: &str| json!({ "code": code, "message": message });
    let (object, exit) = match evaluate(request) {
        Ok(Evaluation { memory, destination, notes, fault }) => {
            let exit = if fault.is_none() { Exit::Clean } else { Exit::Errors };
            let object = json!({
                "schema": SCHEMA,
                "memory": memory.iter().map(value_json).collect::<Vec<_>>(),
                "destination": destination.as_ref().map(value_json),
                "notes": notes,
                "error": fault.map(|fault| error(fault.code, &fault.message)),
            });
            (object, exit)
        }
        Err(EvaluationError::Illegal { code, message }) => {
            let error = error(Some(code), &message);
            let object = json!({ "schema": SCHEMA, "memory": [], "destination": null, "notes": [], "error": error });
            (object, Exit::Errors)
        }
        Err(EvaluationError::Invalid(reason)) => return Err(reason),
    };
    output::print_as(EscapeStyle::Json, &format!("{object}\n"))?;
    Ok(exit)
}

fn value_json(value: &Value) -> Json {
    json!({ "bits": format!("{value:#x}"), "value": value.to_string() })
}

fn shown(evaluation: &Evaluation) -> String {
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

//! `diff`: the differences between two modules that matter for atomics and resources.

use crate::exit::{Exit, fail};
use crate::output::{EscapeStyle, SCHEMA, inline, print_as};
use crate::render::counted;
use clap::{Args, ValueEnum};
use hosts::Language;
use ide::module_diff::{
    ComparedInstruction, FunctionChange, FunctionDiff, InstructionChange, ModuleDiff, PropertyChange,
};
use project::read;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use syntax::{SourceFile, demangle, readable, syntax_errors};

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffOutput {
    /// Function by function
    Text,
    /// One JSON object
    Json,
}

/// Arguments of `diff`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ptx-atomics diff old.ptx new.ptx

Exit codes: 0 no differences, 1 with differences, 2 they could not be compared.")]
pub struct DiffArguments {
    /// The first module (*.ptx), or - for standard input
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The second module
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = DiffOutput::Text)]
    format: DiffOutput,
}

/// Compares the modules. As `diff`, it exits with 1 if they differ.
pub fn run(arguments: &DiffArguments) -> Exit {
    compare(arguments).unwrap_or_else(fail)
}

fn compare(arguments: &DiffArguments) -> Result<Exit, String> {
    let DiffArguments { before, after, format } = arguments;
    if read::is_stdin(before) && read::is_stdin(after) {
        return Err("only one module can be standard input".to_owned());
    }
    let difference = ModuleDiff::of(&module(before)?, &module(after)?);
    let printed = match format {
        DiffOutput::Text => {
            text(&difference, [before, after].map(|path| inline(&path.display().to_string()).into_owned()))
        }
        DiffOutput::Json => json(&difference, [before, after].map(|path| path.display().to_string())),
    };
    print_as(if *format == DiffOutput::Json { EscapeStyle::Json } else { EscapeStyle::Text }, &printed)?;
    Ok(if difference.is_empty() { Exit::Clean } else { Exit::Errors })
}

/// The text of a module. Parts of a module with syntax errors would look removed.
fn module(path: &Path) -> Result<String, String> {
    let name = path.display();
    let (language, text) = read::in_language(path, read::text(path)?)
        .map_err(|other| format!("cannot compare {name}: {other} is not supported"))?;
    if language != Language::Ptx {
        return Err(format!("cannot compare {name}: expected PTX"));
    }
    let file = SourceFile::parse(&text);
    match syntax_errors(&file).first() {
        None => Ok(text),
        Some(error) => {
            let line = file.position(error.range.start).line + 1;
            Err(format!("cannot compare {name}: line {line}: {}", error.message))
        }
    }
}

fn text(difference: &ModuleDiff, [before, after]: [String; 2]) -> String {
    if difference.is_empty() {
        return "no differences in atomics, memory ordering, targets and resources\n".to_owned();
    }
    let mut text = format!("--- {before}\n+++ {after}\n");
    for (title, changes) in [("module", &difference.module), ("shared memory", &difference.shared_variables)] {
        if !changes.is_empty() {
            let _ = writeln!(text, "\n{title}");
            changes.iter().for_each(|change| text += &property(change, "  "));
        }
    }
    for function in &difference.functions {
        text.push('\n');
        text += &function_text(function);
    }
    let of = |change| difference.functions.iter().filter(|function| function.change == change).count();
    let counts =
        [(FunctionChange::Changed, "changed"), (FunctionChange::Added, "added"), (FunctionChange::Removed, "removed")];
    let counts: Vec<_> = counts.map(|(change, word)| format!("{} {word}", counted(of(change), "function"))).into();
    text + "\n" + &counts.join(", ") + "\n"
}

fn function_text(function: &FunctionDiff) -> String {
    let FunctionDiff { name, kind, change, properties, instructions } = function;
    let sign = match change {
        FunctionChange::Added => "+ ",
        FunctionChange::Removed => "- ",
        FunctionChange::Changed => "",
    };
    let mut text = format!("{sign}{kind} {}\n", inline(&readable(name)));
    properties.iter().for_each(|change| text += &property(change, "  "));
    for InstructionChange { before, after, properties } in instructions {
        for (sign, one) in [("-", before), ("+", after)] {
            if let Some(ComparedInstruction { line, text: opcode }) = one {
                let _ = writeln!(text, "  {sign} line {line}: {}", inline(opcode));
            }
        }
        properties.iter().for_each(|change| text += &property(change, "      "));
    }
    text
}

fn property(PropertyChange { property, before, after }: &PropertyChange, indent: &str) -> String {
    let value = |value: &Option<String>| match value.as_deref() {
        None => "none".to_owned(),
        // A directive without operands.
        Some("") => "present".to_owned(),
        Some(value) => inline(value).into_owned(),
    };
    format!("{indent}{}: {} -> {}\n", inline(property), value(before), value(after))
}

fn json(difference: &ModuleDiff, [before, after]: [String; 2]) -> String {
    let ModuleDiff { module, shared_variables, functions } = difference;
    let functions: Vec<Value> = functions.iter().map(function_json).collect();
    let record = json!({
        "after": after,
        "before": before,
        "functions": functions,
        "module": properties_json(module),
        "schema": SCHEMA,
        "sharedVariables": properties_json(shared_variables),
    });
    format!("{record}\n")
}

fn function_json(function: &FunctionDiff) -> Value {
    let FunctionDiff { name, kind, change, properties, instructions } = function;
    let instruction = |one: &Option<ComparedInstruction>| match one {
        Some(ComparedInstruction { line, text }) => json!({ "line": line, "text": text }),
        None => Value::Null,
    };
    let changed = |one: &InstructionChange| {
        json!({
            "after": instruction(&one.after),
            "before": instruction(&one.before),
            "properties": properties_json(&one.properties),
        })
    };
    json!({
        "change": match change {
            FunctionChange::Added => "added",
            FunctionChange::Removed => "removed",
            FunctionChange::Changed => "changed",
        },
        "demangled": demangle(name).map(|demangled| demangled.full),
        "instructions": instructions.iter().map(changed).collect::<Vec<_>>(),
        "kind": kind,
        "name": name,
        "properties": properties_json(properties),
    })
}

fn properties_json(changes: &[PropertyChange]) -> Vec<Value> {
    let json = |PropertyChange { property, before, after }: &PropertyChange| json!({ "after": after, "before": before, "property": property });
    changes.iter().map(json).collect()
}

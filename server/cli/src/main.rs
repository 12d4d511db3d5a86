//! The command line: what a user types, and which room answers.
//!
//! Knows arguments and exit codes. Must not know PTX.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod baseline;
mod batch;
mod completions;
mod eval;
mod exit;
mod explain;
mod fingerprint;
mod fmt;
mod language_server;
mod lint;
mod litmus;
mod options;
mod output;
mod render;
mod write;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Language server, linter and emulator for PTX atomics.
#[derive(Parser)]
#[command(name = "ptx-atomics", bin_name = "ptx-atomics", version, about, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check PTX, disassembly, and the PTX inside C++
    Lint(lint::LintArguments),
    /// Lay PTX out: indentation, blanks, empty lines
    Fmt(fmt::FormatArguments),
    /// Compute what an atomic leaves in memory and in its destination
    Eval(eval::EvalArguments),
    /// Say which outcomes of litmus tests the memory model allows
    Litmus(litmus::LitmusArguments),
    /// Print the page of a finding's code, an instruction of PTX or SASS, or a full spelling
    Explain(explain::ExplainArguments),
    /// Run the language server on standard input and output
    Lsp(language_server::ServerArguments),
    /// Print a shell's completions, or the manual page
    Completions(completions::CompletionsArguments),
}

fn main() -> ExitCode {
    output::report_panics();
    // clap ends the process with 2 on a bad option, which is what the contract asks for.
    let arguments = Arguments::try_parse().unwrap_or_else(|error| output::usage::<Arguments>(error));
    match arguments.command {
        Command::Lint(arguments) => lint::run(&arguments).into(),
        Command::Fmt(arguments) => fmt::run(&arguments).into(),
        Command::Eval(arguments) => eval::run(&arguments).into(),
        Command::Litmus(arguments) => litmus::run(&arguments).into(),
        Command::Explain(arguments) => explain::run(&arguments).into(),
        Command::Lsp(arguments) => language_server::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()).into(),
    }
}

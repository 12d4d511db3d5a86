//! The command line: its options and commands. A library, so that tests see the options of builds without the feature `dist`.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod baseline;
mod batch;
mod completions;
mod debug_adapter;
mod deferred;
mod diff;
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
mod run;
mod write;

use clap::{CommandFactory, Parser, Subcommand};
use deferred::Deferred;
use diagnostics::Settings;
use isa::target::{Target, Version};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::LazyLock;

/// What `--version` prints: the version of the program, and what it knows of PTX.
static KNOWN: LazyLock<String> = LazyLock::new(|| {
    let oldest = Version::all().next().unwrap_or(Version::NEWEST);
    format!(
        "{}\nPTX {oldest} to {}, {} to {}\nptxas {}",
        env!("CARGO_PKG_VERSION"),
        Version::NEWEST,
        Target::OLDEST,
        Target::NEWEST,
        Version::NEWEST.toolkit().unwrap_or_default(),
    )
});

/// Linter, language server, emulator, debugger and verifier for PTX, the assembly language of NVIDIA GPUs.
#[derive(Parser)]
#[command(name = "ptx-atomics", bin_name = "ptx-atomics", version, long_version = KNOWN.as_str(), about, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check PTX, SASS disassembly and litmus tests, and PTX inside C++, Python and other languages
    Lint(Deferred<lint::LintArguments>),
    /// Format PTX
    Fmt(Deferred<fmt::FormatArguments>),
    /// Evaluate an atomic: the memory and the destination after it
    Eval(Deferred<eval::EvalArguments>),
    /// Run a kernel in the emulator: memory afterwards, and the problems that it has
    Run(Deferred<run::RunCommand>),
    /// Run the debugger for kernels over standard input and output (Debug Adapter Protocol)
    Dap(Deferred<debug_adapter::AdapterArguments>),
    /// Verify a kernel: every execution of a small launch that the memory model allows
    Check(Deferred<run::CheckArguments>),
    /// List the outcomes of litmus tests that the memory model allows
    Litmus(Deferred<litmus::LitmusArguments>),
    /// Compare two PTX modules: atomics, memory ordering, targets and resources, by function
    Diff(Deferred<diff::DiffArguments>),
    /// Print the page of a rule, an instruction, a modifier, a directive, a special register, a word or a function of CUDA C++
    Explain(Deferred<explain::ExplainArguments>),
    /// Run the language server over standard input and output
    Lsp(Deferred<language_server::ServerArguments>),
    /// Print shell completions, or the manual as a page of roff or Markdown
    Completions(Deferred<completions::CompletionsArguments>),
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    output::report_panics();
    // Each key runs `main`, and describing all options to clap takes a tenth of an answer.
    if language_server::is_asked_by_page() {
        return language_server::answer_single_text(Settings::default());
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // clap exits with 2 on an invalid option, which is also our exit code for that.
        Err(error) if error.use_stderr() => output::usage::<Arguments>(error),
        Err(help) => return print_help(&help),
    };
    match arguments.command {
        Command::Run(Deferred(arguments)) => run::run(&arguments).into(),
        Command::Check(Deferred(arguments)) => run::check(&arguments).into(),
        Command::Explain(Deferred(arguments)) => explain::run(&arguments).into(),
        Command::Lsp(Deferred(arguments)) => language_server::run(&arguments),
        // A page has no use for the others, and everybody who opens it loads the module.
        _ if cfg!(target_family = "wasm") => exit::fail("this command is not in the module for browsers").into(),
        Command::Lint(Deferred(arguments)) => {
            let exit = lint::run(&arguments);
            // A build is not ours, so its files are no errors.
            for ignored in project::compile_commands::unused() {
                output::say(&format!("ptx-atomics: {ignored}"));
            }
            exit.into()
        }
        Command::Fmt(Deferred(arguments)) => fmt::run(&arguments).into(),
        Command::Eval(Deferred(arguments)) => eval::run(&arguments).into(),
        Command::Dap(Deferred(arguments)) => debug_adapter::run(&arguments).into(),
        Command::Litmus(Deferred(arguments)) => litmus::run(&arguments).into(),
        Command::Diff(Deferred(arguments)) => diff::run(&arguments).into(),
        Command::Completions(Deferred(arguments)) => completions::run(&arguments).into(),
    }
}

/// The options of all commands, as clap has them.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Prints what `--help` or `--version` asks for. `clap::Error::exit` ignores that it cannot be written.
fn print_help(help: &clap::Error) -> ExitCode {
    match help.print().and_then(|()| output::escaped_stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            exit::fail(format!("cannot write: {}", project::read::reason(&error))).into()
        }
        _ => ExitCode::SUCCESS,
    }
}

//! `lsp`: the language server on standard input and output.

use crate::exit::fail;
use crate::options::Overrides;
use clap::Args;
use std::process::ExitCode;

/// Arguments of `lsp`.
#[derive(Args)]
pub struct ServerArguments {
    #[command(flatten)]
    overrides: Overrides,
    /// Use standard input and output, the only transport; accepted because editors pass it
    #[arg(long)]
    stdio: bool,
}

/// Serves until the client exits or disconnects.
pub fn run(arguments: &ServerArguments) -> ExitCode {
    let settings = match arguments.overrides.settings() {
        Ok(settings) => settings,
        Err(reason) => return fail(reason).into(),
    };
    lsp::run_stdio(settings).unwrap_or_else(|error| fail(format!("cannot start the language server: {error}")).into())
}

//! `lsp`: the language server on standard input and output.

use crate::exit::{Exit, complain};
use crate::options::Overrides;
use clap::Args;

/// Arguments of `lsp`.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    overrides: Overrides,
    /// Accepted because editors pass it; standard input and output are the only transport
    #[arg(long)]
    stdio: bool,
}

/// Serves until the client says exit or goes away.
pub fn run(arguments: &Arguments) -> Exit {
    let settings = match arguments.overrides.settings() {
        Ok(settings) => settings,
        Err(reason) => return complain(reason),
    };
    match lsp::serve(settings) {
        Ok(true) => Exit::Clean,
        Ok(false) => Exit::Errors,
        Err(error) => complain(format!("cannot start: {error}")),
    }
}

//! `lsp`: the language server on standard input and output.

use crate::exit::{Exit, fail};
use crate::options::Overrides;
use crate::output::{EscapeStyle, print_as};
use clap::Args;
use diagnostics::Settings;
use project::read;
use std::env;
use std::path::Path;
use std::process::ExitCode;

/// Arguments of `lsp`.
#[derive(Args)]
pub struct ServerArguments {
    #[command(flatten)]
    overrides: Overrides,
    /// Use standard input and output, the only transport; accepted because editors pass it
    #[arg(long)]
    stdio: bool,
    /// Answer the requests about one text that are on standard input, without a session: {uri, text, requests: [{method, params}]}
    #[arg(long)]
    single_text: bool,
}

/// Serves until the client exits or disconnects.
pub fn run(arguments: &ServerArguments) -> ExitCode {
    let settings = match arguments.overrides.settings() {
        Ok(settings) => settings,
        Err(reason) => return fail(reason).into(),
    };
    if arguments.single_text {
        return answer_single_text(settings);
    }
    // A session needs threads, which WebAssembly does not have.
    if cfg!(target_family = "wasm") {
        return fail("requires --single-text in a browser").into();
    }
    lsp::run_stdio(settings).unwrap_or_else(|error| fail(format!("cannot start the language server: {error}")).into())
}

/// Answers the requests on standard input.
pub fn answer_single_text(settings: Settings) -> ExitCode {
    single_text(settings).unwrap_or_else(fail).into()
}

/// Whether the arguments of the process are those by which a page asks about its text.
pub fn is_asked_by_page() -> bool {
    cfg!(target_family = "wasm") && env::args().skip(1).eq(["lsp", "--single-text"])
}

fn single_text(settings: Settings) -> Result<Exit, String> {
    let answers = lsp::answer(settings, &read::text(Path::new(read::STDIN))?)?;
    print_as(EscapeStyle::Json, &format!("{answers}\n"))?;
    Ok(Exit::Clean)
}

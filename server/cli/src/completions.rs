//! `completions`: shell completions and the manual page.

use crate::exit::{Exit, fail};
use crate::output::payload;
use clap::{Args, ValueEnum};

/// A shell, or the manual page.
#[derive(Clone, Copy, ValueEnum)]
enum CompletionTarget {
    Bash,
    Elvish,
    Fish,
    PowerShell,
    Zsh,
    /// The manual page, in roff
    Man,
    /// All commands and options, as Markdown
    Markdown,
}

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArguments {
    /// Shell, man for the manual page, or markdown
    #[arg(value_enum, value_name = "SHELL")]
    shell: CompletionTarget,
}

/// Prints completions or the manual page.
pub fn run(arguments: &CompletionsArguments) -> Exit {
    text(arguments.shell).and_then(|text| payload(&text)).map_or_else(fail, |()| Exit::Clean)
}

#[cfg(feature = "dist")]
fn text(shell: CompletionTarget) -> Result<Vec<u8>, String> {
    let format = match shell {
        CompletionTarget::Bash => completions::CompletionFormat::Bash,
        CompletionTarget::Elvish => completions::CompletionFormat::Elvish,
        CompletionTarget::Fish => completions::CompletionFormat::Fish,
        CompletionTarget::PowerShell => completions::CompletionFormat::PowerShell,
        CompletionTarget::Zsh => completions::CompletionFormat::Zsh,
        CompletionTarget::Man => completions::CompletionFormat::Manual,
        CompletionTarget::Markdown => completions::CompletionFormat::Markdown,
    };
    completions::text(format, crate::command()).map_err(|error| error.to_string())
}

#[cfg(not(feature = "dist"))]
fn text(shell: CompletionTarget) -> Result<Vec<u8>, String> {
    let shell = shell.to_possible_value();
    let shell = shell.as_ref().map_or("", |value| value.get_name());
    Err(crate::exit::missing_in_this_build(&format!("completions {shell}")))
}

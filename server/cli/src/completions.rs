//! `completions`: shell completions and the manual page.

use crate::exit::{Exit, fail};
use crate::output::payload;
use clap::{Args, Command, ValueEnum};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::io::{self, Write};

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
}

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArguments {
    /// Shell, or man for the manual page
    #[arg(value_enum, value_name = "SHELL")]
    shell: CompletionTarget,
}

/// Prints completions or the manual page.
pub fn run(arguments: &CompletionsArguments, mut command: Command) -> Exit {
    let mut text = Vec::new();
    let shell = match arguments.shell {
        CompletionTarget::Bash => Some(Shell::Bash),
        CompletionTarget::Elvish => Some(Shell::Elvish),
        CompletionTarget::Fish => Some(Shell::Fish),
        CompletionTarget::PowerShell => Some(Shell::PowerShell),
        CompletionTarget::Zsh => Some(Shell::Zsh),
        CompletionTarget::Man => None,
    };
    let made = match shell {
        Some(shell) => {
            generate(shell, &mut command, "ptx-atomics", &mut text);
            Ok(())
        }
        None => manual(command, &mut text),
    };
    let printed = made.map_err(|error| error.to_string()).and_then(|()| payload(&text));
    printed.map_or_else(fail, |()| Exit::Clean)
}

/// A manual page with the options of every command.
fn manual(mut command: Command, text: &mut Vec<u8>) -> io::Result<()> {
    command.build();
    let man = Man::new(command.clone());
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_subcommands_section(text)?;
    for command in command.get_subcommands() {
        writeln!(text, ".SH {}", command.get_name().to_uppercase())?;
        let mut options = Vec::new();
        Man::new(command.clone()).render_options_section(&mut options)?;
        text.extend(options.strip_prefix(b".SH OPTIONS\n").unwrap_or(&options));
    }
    Ok(())
}

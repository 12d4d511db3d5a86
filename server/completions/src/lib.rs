//! Shell completions and the manual page, from the options as clap has them.
//!
//! Packages need both and a checkout neither, so they are in builds with the feature `dist` only.

mod markdown;

use clap::Command;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::io::{self, Write};

/// What is generated.
#[derive(Clone, Copy)]
pub enum CompletionFormat {
    /// Completions of `bash`.
    Bash,
    /// Completions of `elvish`.
    Elvish,
    /// Completions of `fish`.
    Fish,
    /// Completions of PowerShell.
    PowerShell,
    /// Completions of `zsh`.
    Zsh,
    /// The manual page, in roff.
    Manual,
    /// All commands and options, as Markdown.
    Markdown,
}

/// Generates completions, or the manual page, of a program.
///
/// # Errors
///
/// None but those of the manual page's writer, which writes to memory.
pub fn text(format: CompletionFormat, mut command: Command) -> io::Result<Vec<u8>> {
    let shell = match format {
        CompletionFormat::Bash => Shell::Bash,
        CompletionFormat::Elvish => Shell::Elvish,
        CompletionFormat::Fish => Shell::Fish,
        CompletionFormat::PowerShell => Shell::PowerShell,
        CompletionFormat::Zsh => Shell::Zsh,
        CompletionFormat::Manual => return manual(command),
        CompletionFormat::Markdown => return markdown::manual(command),
    };
    let mut text = Vec::new();
    let name = command.get_name().to_owned();
    generate(shell, &mut command, name, &mut text);
    Ok(text)
}

/// A manual page with the options of every command.
fn manual(mut command: Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    command.build();
    let man = Man::new(command.clone());
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_subcommands_section(&mut text)?;
    for command in command.get_subcommands() {
        writeln!(text, ".SH {}", command.get_name().to_uppercase())?;
        let mut options = Vec::new();
        Man::new(command.clone()).render_options_section(&mut options)?;
        text.extend(options.strip_prefix(b".SH OPTIONS\n").unwrap_or(&options));
    }
    Ok(text)
}

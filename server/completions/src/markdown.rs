//! All commands and options as Markdown, which the manual's reference is written from.

use clap::{Arg, Command};
use std::io::{self, Write};

/// A section for every command: its usage, a table of its arguments and options, and what its help ends with.
pub(crate) fn manual(mut command: Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    command.build();
    let name = command.get_name().to_owned();
    for command in command.get_subcommands_mut().filter(|command| command.get_name() != "help") {
        let usage = command.render_usage().to_string();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let end = command.get_after_help().map(ToString::to_string);
        writeln!(text, "## {name} {}\n\n{about}.\n", command.get_name())?;
        writeln!(text, "```text\n{}\n```\n", usage.trim_start_matches("Usage: "))?;
        writeln!(text, "| argument or option | meaning |\n|---|---|")?;
        for argument in
            command.get_arguments().filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        {
            writeln!(text, "| {} | {} |", spelled(argument), cell(&described(argument)))?;
        }
        if let Some(end) = end {
            writeln!(text, "\n```text\n{end}\n```")?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

/// An argument as it is written, in backticks.
fn spelled(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let values: String = values.iter().map(|value| format!("<{value}>")).collect::<Vec<_>>().join(" ");
    let takes_value = argument.get_action().takes_values();
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    let names = [short, long].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let spelling = match (names.is_empty(), takes_value) {
        (true, _) => values,
        (false, true) => format!("{names} {values}"),
        (false, false) => names,
    };
    format!("`{}`", spelling.replace('|', "\\|"))
}

/// What an argument means, which values it takes, and the one without it.
fn described(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values = argument.get_possible_values();
    let values = values.iter().filter(|_| argument.get_action().takes_values());
    let values = values.map(|value| match value.get_help() {
        Some(help) => format!("`{}` ({help})", value.get_name()),
        None => format!("`{}`", value.get_name()),
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let default = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>();
    let mut text = help;
    if !values.is_empty() {
        text = format!("{text}: {values}");
    }
    if !default.is_empty() && argument.get_action().takes_values() {
        text = format!("{text} [default: `{}`]", default.join(" "));
    }
    text
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

//! Several launches of one module, each run or checked by itself: those of `--sweep`, or those in the comments of a source.

mod comments;
mod sweep;

use super::source::ModuleSource;
use super::{RunArguments, RunOutput};
use crate::exit::{Exit, fail};
use crate::lint::FileProgress;
use crate::output::{EscapeStyle, SCHEMA, print_as};
pub use comments::{comment, write_comments};
use evaluation::launches::LaunchPurpose;
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;
use std::path::Path;
use sweep::Setting;
pub use sweep::Sweep;

/// One of several launches.
pub struct LaunchRow {
    /// What tells it from the others.
    settings: Vec<Setting>,
    /// Its arguments.
    pub arguments: RunArguments,
    /// Whether it is in a comment.
    pub is_comment: bool,
}

/// What was found about a launch.
pub struct LaunchResult {
    /// The exit code of the command for this launch alone.
    pub exit: Exit,
    /// In a word or two.
    pub verdict: &'static str,
    /// Why it is so, in a few words.
    pub reason: String,
    /// What the command says about this launch alone.
    pub text: String,
    /// The same as JSON.
    pub json: Json,
    /// The comment to write into the source.
    pub comment: Option<String>,
}

/// What is the same for all launches.
#[derive(Clone, Copy)]
pub struct SeveralOptions<'o> {
    /// The file.
    pub path: &'o Path,
    /// The format.
    pub format: RunOutput,
}

/// The launches that a command is about; none if it is about one.
///
/// # Errors
/// A message for users.
pub fn rows(arguments: &RunArguments, module: &ModuleSource, purpose: LaunchPurpose) -> Result<Vec<LaunchRow>, String> {
    let with = |settings: Vec<Setting>| {
        let mut row = arguments.clone();
        settings.iter().try_for_each(|setting| sweep::set(&mut row.launch, setting))?;
        Ok(LaunchRow { settings, arguments: row, is_comment: false })
    };
    if !arguments.swept.is_empty() {
        return sweep::combinations(&arguments.swept)?.into_iter().map(with).collect();
    }
    if arguments.names_a_launch() {
        return Ok(Vec::new());
    }
    let written = comments::in_comments(arguments, module, purpose)?;
    let row = |(line, arguments): (usize, RunArguments)| {
        let kernel = arguments.launch.kernel.clone().unwrap_or_default();
        let settings = vec![("line".to_owned(), line.to_string()), ("kernel".to_owned(), kernel)];
        LaunchRow { settings, arguments, is_comment: true }
    };
    Ok(written.into_iter().map(row).collect())
}

/// Runs or checks each launch, on all cores, and prints one table.
///
/// # Errors
/// A message for users if nothing can be printed or written.
pub fn evaluate(
    SeveralOptions { path, format }: SeveralOptions,
    rows: &[LaunchRow],
    evaluate: &(dyn Fn(&LaunchRow) -> Result<LaunchResult, String> + Sync),
) -> Result<Exit, String> {
    let progress = FileProgress::of(rows.len());
    let one = |row: &LaunchRow| {
        let result = evaluate(row);
        progress.step();
        result
    };
    let results: Vec<Result<LaunchResult, String>> = rows.par_iter().with_max_len(1).map(one).collect();
    progress.finish();
    match format {
        RunOutput::Text => print_as(EscapeStyle::Text, &text(rows, &results))?,
        RunOutput::Json => print_as(EscapeStyle::Json, &(json(path, rows, &results).to_string() + "\n"))?,
    }
    let comments: Vec<String> = results.iter().flatten().filter_map(|one| one.comment.clone()).collect();
    if !comments.is_empty() {
        write_comments(path, &comments)?;
    }
    let exit = |result: &Result<LaunchResult, String>| result.as_ref().map_or(Exit::Failed, |one| one.exit);
    let failed = results.iter().filter_map(|one| one.as_ref().err()).next();
    failed.into_iter().for_each(|message| _ = fail(message));
    Ok(results.iter().map(exit).max().unwrap_or(Exit::Clean))
}

/// The word and the reason of a row.
fn verdict(result: &Result<LaunchResult, String>) -> (&str, &str) {
    result.as_ref().map_or_else(|message| ("not run", &**message), |one| (one.verdict, &*one.reason))
}

/// The table, what is told about the first launch with a problem, and the sum.
fn text(rows: &[LaunchRow], results: &[Result<LaunchResult, String>]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut table: Vec<Vec<&str>> =
        vec![first.settings.iter().map(|(name, _)| &**name).chain(["result", ""]).collect()];
    for (row, result) in rows.iter().zip(results) {
        let (word, reason) = verdict(result);
        table.push(row.settings.iter().map(|(_, value)| &**value).chain([word, reason]).collect());
    }
    let columns = table[0].len();
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &table {
        let cells: String = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}  ")).collect();
        let _ = writeln!(text, "{}", cells.trim_end());
    }
    let is_wrong = |result: &&Result<LaunchResult, String>| result.as_ref().is_ok_and(|one| one.exit == Exit::Errors);
    if let Some(Ok(wrong)) = results.iter().find(is_wrong) {
        let _ = write!(text, "\n{}\n", wrong.text);
    }
    let launches = if rows.len() == 1 { "1 launch".to_owned() } else { format!("{} launches", rows.len()) };
    let _ = writeln!(text, "{launches}: {}", sums(results).join(", "));
    text
}

/// How many launches have each result: `3 proved`.
fn sums(results: &[Result<LaunchResult, String>]) -> Vec<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (word, _) in results.iter().map(verdict) {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.iter().map(|(word, count)| format!("{count} {word}")).collect()
}

fn json(path: &Path, rows: &[LaunchRow], results: &[Result<LaunchResult, String>]) -> Json {
    let row = |(row, result): (&LaunchRow, &Result<LaunchResult, String>)| {
        let settings: Map<String, Json> =
            row.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        match result {
            Ok(one) => json!({ "settings": settings, "result": one.verdict, "output": one.json }),
            Err(message) => json!({ "settings": settings, "result": "not run", "message": message }),
        }
    };
    let launches: Vec<Json> = rows.iter().zip(results).map(row).collect();
    json!({ "schema": SCHEMA, "path": path.display().to_string(), "launches": launches })
}

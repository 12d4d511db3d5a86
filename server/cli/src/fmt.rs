//! `fmt`: formats PTX.

use crate::exit::{Exit, fail, fail_all};
use crate::output::{inline, payload, print};
use crate::write::{apply, replace};
use clap::Args;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use ide::features::FormatOptions;
use project::{ConfigCache, Discovery, NamedFiles, VendoredFiles, discover, read};
use std::path::{Path, PathBuf};
use syntax::{LintFile, syntax_errors};

/// Arguments of `fmt`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ptx-atomics fmt kernels
  ptx-atomics fmt --check .

Exit codes: 0 done, or with --check nothing would change, 1 with --check a file would change, 2 a file could not be read, written or, for a syntax error, wholly formatted.")]
pub struct FormatArguments {
    /// Files, folders (*.ptx with a .version or .target), or - to format standard input to standard output
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Do not write; list the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Formats all files.
pub fn run(arguments: &FormatArguments) -> Exit {
    let projects = match ConfigCache::new(None) {
        Ok(projects) => projects,
        Err(reasons) => return fail_all(reasons),
    };
    let mut found = discover(&arguments.paths, &projects, NamedFiles::AlwaysIncluded, VendoredFiles::LeftOut);
    // A symbolic link in a searched folder may lead anywhere, so it is not followed.
    let Discovery { files, links, .. } = &mut found;
    files.retain(|path| !links.contains(path));
    found.each_once();
    let mut exit = Exit::Clean;
    for failure in found.failures.iter().chain(&found.refused) {
        exit = exit.max(fail(failure));
    }
    if found.files.is_empty() && found.failures.is_empty() {
        return fail("nothing to format: no PTX file found");
    }
    for path in &found.files {
        exit = exit.max(format_file(path, arguments.check).unwrap_or_else(fail));
    }
    exit
}

fn format_file(path: &Path, check: bool) -> Result<Exit, String> {
    let bytes = read::bytes(path)?;
    let name = path.display();
    // Lossy decoding would change invalid UTF-8, and writing it back would lose data.
    let text = String::from_utf8(bytes).map_err(|_| format!("cannot format {name}: invalid UTF-8"))?;
    let language = Language::detect(&path.to_string_lossy(), &text)
        .map_err(|other| format!("cannot format {name}: {other} is not supported"))?;
    let edits = Text::parse(language, &text).under(Settings::default()).format(&FormatOptions::default());
    let stdin = read::is_stdin(path);
    let shown = if stdin { "<stdin>".to_owned() } else { name.to_string() };
    // What the formatter leaves as it is may look wrong, so it is said.
    let exit = if language == Language::Ptx { unformatted(&shown, &text) } else { Exit::Clean };
    if check {
        if edits.is_empty() {
            return Ok(exit);
        }
        print(&format!("{}\n", inline(&shown)))?;
        return Ok(exit.max(Exit::Errors));
    }
    let formatted = apply(&text, &edits);
    if stdin {
        payload(formatted.as_bytes())?;
    } else if !edits.is_empty() {
        replace(path, text.as_bytes(), &formatted).map_err(|e| format!("cannot write {name}: {}", read::reason(&e)))?;
    }
    Ok(exit)
}

/// Reports the first syntax error of a module: the function that has it, or the whole module if it is in none, is not formatted.
fn unformatted(name: &str, text: &str) -> Exit {
    let file = LintFile::parse(text);
    // The assembler rejects a byte order mark, but what follows it is formatted.
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let Some(error) = syntax_errors(&file).into_iter().find(|error| error.range.start >= mark) else {
        return Exit::Clean;
    };
    let place = file.position(error.range.start);
    let (line, column) = (place.line + 1, place.column + 1);
    fail(format!("cannot format all of {name}: syntax error at {line}:{column}: {}", error.message))
}

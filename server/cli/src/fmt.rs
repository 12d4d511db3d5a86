//! `fmt`: lays PTX out, words untouched.

use crate::exit::{Exit, fail};
use crate::output::{inline, payload, print};
use crate::write::{apply, replace};
use clap::Args;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use ide::features::FormatOptions;
use project::read;
use project::{ConfigCache, Discovery, discover};
use std::path::{Path, PathBuf};

/// Arguments of `fmt`.
#[derive(Args)]
pub struct FormatArguments {
    /// Files, folders (their *.ptx that hold a .version or .target), or - for standard input, which goes to standard output
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Change nothing; name the files that would change, and exit with 1 if there is one
    #[arg(long)]
    check: bool,
}

/// Formats, and says how it ended.
pub fn run(arguments: &FormatArguments) -> Exit {
    let projects = match ConfigCache::new(None) {
        Ok(projects) => projects,
        Err(reason) => return fail(reason),
    };
    let mut found = discover(&arguments.paths, &projects, false);
    // What a link leads to may lie anywhere, and who names a folder does not mean that.
    let Discovery { files, links, .. } = &mut found;
    files.retain(|path| !links.contains(path));
    found.each_once();
    let mut exit = Exit::Clean;
    for failure in &found.failures {
        exit = exit.max(fail(failure));
    }
    if found.files.is_empty() && found.failures.is_empty() {
        return fail("nothing to format: no PTX file there");
    }
    for path in &found.files {
        exit = exit.max(format_file(path, arguments.check).unwrap_or_else(fail));
    }
    exit
}

fn format_file(path: &Path, check: bool) -> Result<Exit, String> {
    let bytes = read::bytes(path)?;
    let name = path.display();
    // Decoding would turn what is no UTF-8 into something else, and writing it back would lose it.
    let text =
        String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 throughout, so it is left as it is"))?;
    let language = Language::detect(&path.to_string_lossy(), &text)
        .map_err(|other| format!("{name} is not formatted: {other} is not supported"))?;
    let edits = Text::parse(language, &text).under(Settings::default()).format(&FormatOptions::default());
    let stdin = read::is_stdin(path);
    if check {
        if edits.is_empty() {
            return Ok(Exit::Clean);
        }
        let shown = if stdin { "<stdin>".to_owned() } else { name.to_string() };
        print(&format!("{}\n", inline(&shown)))?;
        return Ok(Exit::Errors);
    }
    let formatted = apply(&text, &edits);
    if stdin {
        payload(formatted.as_bytes())?;
    } else if !edits.is_empty() {
        replace(path, text.as_bytes(), &formatted).map_err(|e| format!("cannot write {name}: {}", read::reason(&e)))?;
    }
    Ok(Exit::Clean)
}

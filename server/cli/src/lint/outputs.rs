//! Outputs of a run: standard output in one format, and files in others.

use super::check::CheckedFile;
use crate::output::{self, EscapeStyle, EscapingWriter, LineStream, OnBrokenPipe, Stream};
use crate::render::{OutputFormat, PageUrl, Renderer, Report, RunSummary, TextStyle, renderer};
use crate::write::write_file;
use clap::ValueEnum;
use diagnostics::suggest;
use project::read;
use std::io::{self, Write};
use std::path::PathBuf;

/// An output file and its format (`--output`).
#[derive(Clone, Debug)]
pub struct OutputFile {
    format: OutputFormat,
    path: PathBuf,
}

impl OutputFile {
    /// Reads `FORMAT=FILE`; the error is a message for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (format, path) = text.split_once('=').ok_or("expected FORMAT=FILE, such as sarif=findings.sarif")?;
        let format = OutputFormat::from_str(format, false).map_err(|_| {
            let all = OutputFormat::value_variants().iter().filter_map(|format| format.to_possible_value());
            let names: Vec<_> = all.map(|value| value.get_name().to_owned()).collect();
            suggest(format!("unknown format `{format}`"), format, names.iter().map(String::as_str))
        })?;
        match path {
            "" => Err("missing file name".to_owned()),
            path => Ok(OutputFile { format, path: PathBuf::from(path) }),
        }
    }
}

struct PendingOutput {
    renderer: Box<dyn Renderer>,
    text: EscapingWriter<Vec<u8>>,
    path: PathBuf,
}

/// All outputs of a run. Diffs and settings are printed without a renderer.
pub struct Outputs {
    terminal: Box<dyn Renderer>,
    out: LineStream,
    files: Vec<PendingOutput>,
    has_other_output: bool,
}

impl Outputs {
    /// Outputs of one run; `format` goes to `stream`.
    pub fn new(
        stream: Stream,
        format: OutputFormat,
        style: TextStyle,
        files: &[OutputFile],
        pages: Option<&PageUrl>,
    ) -> Self {
        let pending = |file: &OutputFile| PendingOutput {
            renderer: renderer(file.format, TextStyle::default(), pages),
            text: EscapingWriter::new(file.format.escape_style(TextStyle::default()), Vec::new()),
            path: file.path.clone(),
        };
        let files: Vec<_> = files.iter().map(pending).collect();
        let rest = if files.is_empty() { OnBrokenPipe::Ends } else { OnBrokenPipe::IsDropped };
        Outputs {
            terminal: renderer(format, style, pages),
            out: stream.lines(format.escape_style(style), rest),
            files,
            has_other_output: false,
        }
    }

    /// Renders the diagnostics of a file.
    pub fn file(&mut self, checked: &CheckedFile) -> io::Result<()> {
        let report = Report { path: &checked.name, text: &checked.text, diagnostics: &checked.diagnostics };
        for pending in &mut self.files {
            pending.renderer.file(&report, &mut pending.text)?;
        }
        self.terminal.file(&report, &mut self.out)
    }

    /// Prints text instead of rendered diagnostics.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.has_other_output = true;
        self.out.write_as(EscapeStyle::Text, text)
    }

    /// Prints a diff instead of rendered diagnostics, byte for byte, because `git apply` reads it.
    pub fn diff(&mut self, text: &str) -> io::Result<()> {
        self.has_other_output = true;
        self.out.flush()?;
        output::payload(text.as_bytes()).map_err(io::Error::other)
    }

    /// Flushes standard output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Finishes all outputs; returns errors of files that could not be written.
    pub fn finish(&mut self, totals: &RunSummary) -> io::Result<Vec<String>> {
        let mut failures = Vec::new();
        for mut pending in self.files.drain(..) {
            pending.renderer.finish(totals, &mut pending.text)?;
            if let Err(error) = write_file(&pending.path, &pending.text.into_inner()?) {
                failures.push(format!("cannot write {}: {}", pending.path.display(), read::reason(&error)));
            }
        }
        if !self.has_other_output {
            self.terminal.finish(totals, &mut self.out)?;
        }
        self.out.flush()?;
        Ok(failures)
    }
}

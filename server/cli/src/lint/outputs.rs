//! Where findings go: standard output in one format, and files in others.

use super::check::CheckedFile;
use crate::output::{EscapeStyle, EscapingWriter, LineStream, OnBrokenPipe, Stream};
use crate::render::{OutputFormat, Renderer, Report, RunSummary, TextStyle, renderer};
use crate::write::write_file;
use clap::ValueEnum;
use diagnostics::suggest;
use project::read;
use std::io::{self, Write};
use std::path::PathBuf;

/// A file to be written in a format.
#[derive(Clone, Debug)]
pub struct OutputFile {
    format: OutputFormat,
    path: PathBuf,
}

impl OutputFile {
    /// Reads `FORMAT=FILE`; the error is a sentence for people.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (format, path) = text.split_once('=').ok_or("write FORMAT=FILE, such as sarif=findings.sarif")?;
        let format = OutputFormat::from_str(format, false).map_err(|_| {
            let all = OutputFormat::value_variants().iter().filter_map(|format| format.to_possible_value());
            let names: Vec<_> = all.map(|value| value.get_name().to_owned()).collect();
            suggest(format!("`{format}` is no format"), format, names.iter().map(String::as_str))
        })?;
        match path {
            "" => Err("the file's name is missing".to_owned()),
            path => Ok(OutputFile { format, path: PathBuf::from(path) }),
        }
    }
}

struct PendingOutput {
    renderer: Box<dyn Renderer>,
    text: EscapingWriter<Vec<u8>>,
    path: PathBuf,
}

/// All of them. A dry run, and settings, are printed without any renderer.
pub struct Outputs {
    terminal: Box<dyn Renderer>,
    out: LineStream,
    files: Vec<PendingOutput>,
    said: bool,
}

impl Outputs {
    /// Outputs for one run; the terminal's format goes to a stream.
    pub fn new(stream: Stream, format: OutputFormat, style: TextStyle, files: &[OutputFile]) -> Self {
        let pending = |file: &OutputFile| PendingOutput {
            renderer: renderer(file.format, TextStyle::default()),
            text: EscapingWriter::new(file.format.escape_style(TextStyle::default()), Vec::new()),
            path: file.path.clone(),
        };
        let files: Vec<_> = files.iter().map(pending).collect();
        let rest = if files.is_empty() { OnBrokenPipe::Ends } else { OnBrokenPipe::IsDropped };
        Outputs {
            terminal: renderer(format, style),
            out: stream.lines(format.escape_style(style), rest),
            files,
            said: false,
        }
    }

    /// Takes up what was found in a file.
    pub fn file(&mut self, checked: &CheckedFile) -> io::Result<()> {
        let report = Report { path: &checked.name, text: &checked.text, findings: &checked.findings };
        for pending in &mut self.files {
            pending.renderer.file(&report, &mut pending.text)?;
        }
        self.terminal.file(&report, &mut self.out)
    }

    /// Prints something else in the terminal's place.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.said = true;
        self.out.write_as(EscapeStyle::Text, text)
    }

    /// Brings what was printed to the reader.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends all of them; says which files could not be written.
    pub fn finish(&mut self, totals: &RunSummary) -> io::Result<Vec<String>> {
        let mut failures = Vec::new();
        for mut pending in self.files.drain(..) {
            pending.renderer.finish(totals, &mut pending.text)?;
            if let Err(error) = write_file(&pending.path, &pending.text.into_inner()?) {
                failures.push(format!("cannot write {}: {}", pending.path.display(), read::reason(&error)));
            }
        }
        if !self.said {
            self.terminal.finish(totals, &mut self.out)?;
        }
        self.out.flush()?;
        Ok(failures)
    }
}

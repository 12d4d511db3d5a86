//! How findings are printed: one file per format.

mod deduplicate;
mod github;
mod gitlab;
mod jsonl;
mod junit;
mod sarif;
mod statistics;
mod text;
mod totals;

pub use totals::RunSummary;

use crate::fingerprint::FingerprintedDiagnostic;
use crate::output::{EscapeStyle, inline};
use clap::ValueEnum;
use std::borrow::Cow;
use std::io::{self, Write};
use syntax::Position;
use syntax::Rope;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people: the line, with the token underlined
    Text,
    /// For programs: one JSON object a finding
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A code quality report of GitLab
    Gitlab,
    /// JUnit XML, a test case a file
    Junit,
}

impl OutputFormat {
    /// How what it prints is read.
    pub fn escape_style(self, style: TextStyle) -> EscapeStyle {
        match self {
            OutputFormat::Text if style.colours => EscapeStyle::Coloured,
            OutputFormat::Text | OutputFormat::Junit => EscapeStyle::Text,
            OutputFormat::Jsonl | OutputFormat::Sarif | OutputFormat::Gitlab => EscapeStyle::Json,
            OutputFormat::Github => EscapeStyle::Commands,
        }
    }
}

/// How much the terminal's format says beside the findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextStyle {
    /// Nothing beside the findings.
    pub quiet: bool,
    /// How often each rule was broken instead of the findings.
    pub statistics: bool,
    /// For a terminal that shows colours.
    pub colours: bool,
    /// How many findings are printed at most; the rest is counted.
    pub most: Option<usize>,
}

/// The findings of one file.
pub struct Report<'a> {
    /// The path as it was given.
    pub path: &'a str,
    /// What was checked.
    pub text: &'a Rope,
    /// What was found, in order; what is accepted too.
    pub findings: &'a [FingerprintedDiagnostic],
}

impl<'a> Report<'a> {
    /// The path where it is no string of a format with escapes of its own.
    fn shown_path(&self) -> Cow<'a, str> {
        inline(self.path)
    }

    /// The line and column of a byte offset.
    fn position(&self, byte: usize) -> Position {
        Position::of(self.text, byte)
    }

    /// The findings that nobody has accepted.
    fn open(&self) -> impl Iterator<Item = &FingerprintedDiagnostic> {
        self.findings.iter().filter(|found| found.accepted.is_none())
    }
}

/// Prints reports in one format.
pub trait Renderer {
    /// Prints one file's findings.
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what comes after the last file.
    fn finish(&mut self, totals: &RunSummary, out: &mut dyn Write) -> io::Result<()>;
}

/// The renderer of a format.
pub fn renderer(format: OutputFormat, style: TextStyle) -> Box<dyn Renderer> {
    match format {
        OutputFormat::Text if style.statistics => Box::<statistics::Statistics>::default(),
        OutputFormat::Text => Box::new(text::TextRenderer::new(style)),
        OutputFormat::Jsonl => Box::new(jsonl::Jsonl::new(style.most)),
        OutputFormat::Sarif => Box::<sarif::Sarif>::default(),
        OutputFormat::Github => Box::new(github::Github),
        OutputFormat::Gitlab => Box::<gitlab::Gitlab>::default(),
        OutputFormat::Junit => Box::<junit::Junit>::default(),
    }
}

/// The message of a finding, with what to write instead.
fn message_with_help(finding: &diagnostics::Diagnostic) -> String {
    match &*finding.help_text() {
        "" => finding.message().into_owned(),
        help => format!("{}; {help}", finding.message()),
    }
}

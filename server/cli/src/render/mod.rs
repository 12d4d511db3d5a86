//! How findings are printed: one file per format.

mod fold;
mod github;
mod gitlab;
mod jsonl;
mod junit;
mod sarif;
mod statistics;
mod text;
mod totals;

pub use totals::Totals;

use crate::fingerprint::Found;
use crate::output::{Notation, inline};
use clap::ValueEnum;
use std::borrow::Cow;
use std::io::{self, Write};
use syntax::Position;
use syntax::Rope;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
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

impl Format {
    /// How what it prints is read.
    pub fn notation(self, style: Style) -> Notation {
        match self {
            Format::Text if style.colours => Notation::Coloured,
            Format::Text | Format::Junit => Notation::Text,
            Format::Jsonl | Format::Sarif | Format::Gitlab => Notation::Json,
            Format::Github => Notation::Commands,
        }
    }
}

/// How much the terminal's format says beside the findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
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
    pub findings: &'a [Found],
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
    fn open(&self) -> impl Iterator<Item = &Found> {
        self.findings.iter().filter(|found| found.accepted.is_none())
    }
}

/// Prints reports in one format.
pub trait Renderer {
    /// Prints one file's findings.
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what comes after the last file.
    fn finish(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()>;
}

/// The renderer of a format.
pub fn renderer(format: Format, style: Style) -> Box<dyn Renderer> {
    match format {
        Format::Text if style.statistics => Box::<statistics::Statistics>::default(),
        Format::Text => Box::new(text::Text::new(style)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(style.most)),
        Format::Sarif => Box::<sarif::Sarif>::default(),
        Format::Github => Box::new(github::Github),
        Format::Gitlab => Box::<gitlab::Gitlab>::default(),
        Format::Junit => Box::<junit::Junit>::default(),
    }
}

/// The message of a finding, with what to write instead.
fn message_with_help(finding: &diagnostics::Diagnostic) -> String {
    match &*finding.remedy() {
        "" => finding.message().into_owned(),
        help => format!("{}; {help}", finding.message()),
    }
}

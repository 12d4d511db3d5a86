//! Output formats, one file each.

mod agent;
mod deduplicate;
mod github;
mod gitlab;
mod jsonl;
mod junit;
mod sarif;
mod source_lines;
mod statistics;
mod text;
mod totals;

pub use source_lines::SourceLines;
pub use totals::{RunSummary, counted};

use crate::fingerprint::FingerprintedDiagnostic;
use crate::output::{EscapeStyle, inline};
use clap::ValueEnum;
use std::borrow::Cow;
use std::io::{self, Write};
use syntax::{Position, Rope};

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Human-readable, with the token underlined
    Text,
    /// One JSON object per finding and line
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations
    Github,
    /// GitLab code quality report
    Gitlab,
    /// JUnit XML, one suite per file
    Junit,
    /// For programs that edit the code: one line per finding, its edit as a diff for `git apply`, at most 8 KB
    Agent,
}

impl OutputFormat {
    /// How its output is escaped.
    pub fn escape_style(self, style: TextStyle) -> EscapeStyle {
        match self {
            OutputFormat::Text if style.colours => EscapeStyle::Coloured,
            OutputFormat::Text | OutputFormat::Junit => EscapeStyle::Text,
            OutputFormat::Jsonl | OutputFormat::Sarif | OutputFormat::Gitlab => EscapeStyle::Json,
            // The lines of a diff have a mark before them, and keep what is behind it.
            OutputFormat::Github | OutputFormat::Agent => EscapeStyle::Commands,
        }
    }
}

/// Options of text output.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextStyle {
    /// Print diagnostics only.
    pub quiet: bool,
    /// Print the number of diagnostics per rule instead.
    pub statistics: bool,
    /// Use colours.
    pub colours: bool,
    /// Maximum number of diagnostics to print; all are counted.
    pub most: Option<usize>,
}

/// The diagnostics of one file.
pub struct Report<'a> {
    /// The path as given.
    pub path: &'a str,
    /// The text.
    pub text: &'a Rope,
    /// Diagnostics in order, including suppressed ones.
    pub diagnostics: &'a [FingerprintedDiagnostic],
}

impl<'a> Report<'a> {
    /// The path, escaped for formats without escapes of their own.
    fn shown_path(&self) -> Cow<'a, str> {
        inline(self.path)
    }

    /// The line and column of a byte offset.
    fn position(&self, byte: usize) -> Position {
        Position::of(self.text, byte)
    }

    /// The unsuppressed diagnostics.
    fn open(&self) -> impl Iterator<Item = &FingerprintedDiagnostic> {
        self.diagnostics.iter().filter(|found| found.accepted.is_none())
    }
}

/// A path without a leading `./`, and with `/` between folders, as git and the services that show reports have them on every system.
pub fn portable(path: &str) -> String {
    with_slashes(path, std::path::MAIN_SEPARATOR)
}

fn with_slashes(path: &str, separator: char) -> String {
    let path = path.replace(separator, "/");
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}

/// Prints reports in one format.
pub trait Renderer {
    /// Prints one file's diagnostics.
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()>;
    /// Prints the end of the output.
    fn finish(&mut self, totals: &RunSummary, out: &mut dyn Write) -> io::Result<()>;
}

/// The URL of the rules' pages, with `{code}` where a rule's code belongs.
#[derive(Clone, Debug)]
pub struct PageUrl(String);

impl PageUrl {
    /// Reads the URL; the error is a message for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_url = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
        let is_plain = text.chars().all(|character| character.is_ascii_graphic());
        if !is_url || !is_plain || !text.contains("{code}") {
            return Err("expected a URL with {code}, such as https://example.org/docs/{code}.html".to_owned());
        }
        Ok(PageUrl(text.to_owned()))
    }

    /// The page of a rule.
    pub fn page(&self, code: &str) -> String {
        self.0.replace("{code}", code)
    }
}

/// The renderer of a format.
pub fn renderer(format: OutputFormat, style: TextStyle, pages: Option<&PageUrl>) -> Box<dyn Renderer> {
    match format {
        OutputFormat::Text if style.statistics => Box::<statistics::Statistics>::default(),
        OutputFormat::Text => Box::new(text::TextRenderer::new(style)),
        OutputFormat::Jsonl => Box::new(jsonl::Jsonl::new(style.most)),
        OutputFormat::Sarif => Box::new(sarif::Sarif::new(pages.cloned())),
        OutputFormat::Github => Box::new(github::Github),
        OutputFormat::Gitlab => Box::<gitlab::Gitlab>::default(),
        OutputFormat::Junit => Box::<junit::Junit>::default(),
        OutputFormat::Agent => Box::<agent::AgentOutput>::default(),
    }
}

/// The message of a diagnostic with its help.
fn message_with_help(diagnostic: &diagnostics::Diagnostic) -> String {
    let mut text = diagnostic.message().into_owned();
    if !diagnostic.help_text().is_empty() {
        text += &format!("; {}", diagnostic.help_text());
    }
    if diagnostic.source.is_some() {
        text += &format!("; generated from {}", diagnostic.source_text());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::with_slashes;

    #[test]
    fn paths_of_windows_have_slashes_and_a_backslash_stays_in_the_names_of_other_systems() {
        assert_eq!(with_slashes(r".\sub\a.ptx", '\\'), "sub/a.ptx");
        assert_eq!(with_slashes("./sub/a.ptx", '/'), "sub/a.ptx");
        assert_eq!(with_slashes(r"a\b.ptx", '/'), r"a\b.ptx");
    }
}

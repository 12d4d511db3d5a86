//! How findings are printed: one file per format.

mod jsonl;
mod text;

use analysis::{Finding, Source};
use clap::ValueEnum;
use std::io::{self, Write};

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: the line, with the token underlined
    Text,
    /// For programs: one JSON object a finding
    Jsonl,
}

/// The findings of one file.
pub struct Report<'a> {
    /// The path as it was given.
    pub path: &'a str,
    /// What was checked.
    pub source: &'a dyn Source,
    /// What was found, in order.
    pub findings: &'a [Finding],
}

/// Prints reports in one format.
pub trait Renderer {
    /// Prints one file's findings.
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what comes after the last file.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// The renderer of a format.
pub fn renderer(format: Format) -> Box<dyn Renderer> {
    match format {
        Format::Text => Box::<text::Text>::default(),
        Format::Jsonl => Box::new(jsonl::Jsonl),
    }
}

//! GitHub Actions annotations: one workflow command per diagnostic.

use super::{Renderer, Report, RunSummary, message_with_help, portable};
use diagnostics::Severity;
use std::io::{self, Write};

/// The renderer.
pub struct Github;

impl Renderer for Github {
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for found in report.open() {
            let diagnostic = &found.diagnostic;
            let start = report.position(diagnostic.range.start);
            let end = report.position(diagnostic.range.end);
            let command = match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info | Severity::Hint => "notice",
            };
            let (file, title) =
                (property(&portable(report.path)), property(&format!("ptx-atomics: {}", diagnostic.code())));
            write!(out, "::{command} file={file},line={},endLine={}", start.line + 1, end.line + 1)?;
            // GitHub shows columns only within one line; the end is inclusive.
            if start.line == end.line {
                write!(out, ",col={},endColumn={}", start.column + 1, end.column.max(start.column + 1))?;
            }
            writeln!(out, ",title={title}::{}", data(&message_with_help(diagnostic)))?;
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

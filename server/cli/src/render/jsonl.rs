//! JSON Lines: one object per diagnostic.

use super::{Renderer, Report, RunSummary};
use crate::output::SCHEMA;
use serde::Serialize;
use std::io::{self, Write};
use syntax::SourceLocation;

/// The renderer.
pub struct Jsonl {
    left: usize,
}

impl Jsonl {
    /// A renderer with a maximum number of diagnostics.
    pub fn new(most: Option<usize>) -> Self {
        Jsonl { left: most.unwrap_or(usize::MAX) }
    }
}

/// Keys may be added, but not renamed. Lines and columns start at 1, columns count Unicode scalar values, ends are exclusive.
#[derive(Serialize)]
struct JsonLine<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    help: &'a str,
    /// The place that a compiler generated the code from, then those that it was inlined at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source: Vec<JsonPlace<'a>>,
    schema: u32,
}

/// A place in another file. The column is 0 if the compiler does not know it.
#[derive(Serialize)]
struct JsonPlace<'a> {
    path: &'a str,
    line: u64,
    column: u64,
}

impl<'a> JsonPlace<'a> {
    fn of(place: &'a SourceLocation) -> Self {
        JsonPlace { path: &place.path, line: place.line, column: place.column }
    }
}

impl Renderer for Jsonl {
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        for found in report.open().take(self.left) {
            let diagnostic = &found.diagnostic;
            let start = report.position(diagnostic.range.start);
            let end = report.position(diagnostic.range.end);
            let line = JsonLine {
                path: report.path,
                line: start.line + 1,
                column: start.column + 1,
                end_line: end.line + 1,
                end_column: end.column + 1,
                severity: diagnostic.severity.name(),
                code: diagnostic.code(),
                message: &diagnostic.message(),
                help: &diagnostic.help_text(),
                source: diagnostic.source_places().map(JsonPlace::of).collect(),
                schema: SCHEMA,
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        self.left = self.left.saturating_sub(report.open().count());
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

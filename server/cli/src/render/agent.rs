//! Findings for a program that edits the code: one line each, and below it the edit as a unified diff that `git apply` takes.

use crate::output::inline;
use crate::render::{Renderer, Report, RunSummary, counted, portable};
use crate::write;
use diagnostics::{Applicability, Diagnostic, Edit, Fix, Severity};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

/// The most bytes of an output: a reader pays for each, and what comes last is read least.
const MOST_BYTES: usize = 8 << 10;
/// Bytes that are kept for what is said at the end.
const KEPT_FOR_END: usize = 1 << 10;
/// The unchanged lines around an edit.
const CONTEXT: usize = 3;

/// All findings, until the end of the run decides which are most important.
#[derive(Default)]
pub struct AgentOutput(Vec<AgentFinding>);

struct AgentFinding {
    severity: Severity,
    text: String,
}

impl Renderer for AgentOutput {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        let source = IndexedText::of(report.text.to_string());
        for found in report.open() {
            let diagnostic = &found.diagnostic;
            self.0.push(AgentFinding { severity: diagnostic.severity, text: finding(report, &source, diagnostic) });
        }
        Ok(())
    }

    fn finish(&mut self, totals: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        self.0.sort_by_key(|found| found.severity as usize);
        let (mut written, mut left_out) = (0, [0; 4]);
        for AgentFinding { severity, text } in &self.0 {
            if written + text.len() > MOST_BYTES - KEPT_FOR_END {
                left_out[*severity as usize] += 1;
            } else {
                written += text.len();
                out.write_all(text.as_bytes())?;
            }
        }
        let severities = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint].into_iter();
        let some = severities.filter(|severity| left_out[*severity as usize] > 0);
        let left_out: Vec<_> = some.map(|one| counted(left_out[one as usize], one.name())).collect();
        let all = counted(self.0.len(), "finding");
        match left_out.as_slice() {
            [] => writeln!(out, "{all} in {}", counted(totals.files, "file"))?,
            left_out => {
                let rest = left_out.join(", ");
                writeln!(
                    out,
                    "{all} in {}; left out: {rest}: apply these edits and ask again",
                    counted(totals.files, "file")
                )?;
            }
        }
        out.write_all(totals.lines().as_bytes())
    }
}

/// A text with the begins of its lines, which end at line feeds only, as git has them.
struct IndexedText {
    text: String,
    starts: Vec<usize>,
}

impl IndexedText {
    fn of(text: String) -> Self {
        let starts = [0].into_iter().chain(text.match_indices('\n').map(|(end, _)| end + 1)).collect();
        Self { text, starts }
    }

    /// The number of the line of an offset, from 0.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The text of lines; those behind the end are left out.
    fn lines(&self, lines: Range<usize>) -> &str {
        let at = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        &self.text[at(lines.start)..at(lines.end)]
    }
}

/// A finding with its help, and the edit of its first fix.
fn finding(report: &Report, source: &IndexedText, diagnostic: &Diagnostic) -> String {
    let start = report.position(diagnostic.range.start);
    let (path, code) = (portable(report.path), diagnostic.code());
    let place = format!("{}:{}:{}", inline(&path), start.line + 1, start.column + 1);
    let (severity, message) = (diagnostic.severity.name(), diagnostic.message());
    let mut text = format!("{place}: {severity}[{code}]: {}", inline(&message));
    let help = diagnostic.help_text();
    if !help.is_empty() {
        let _ = write!(text, "; help: {}", inline(&help));
    }
    text.push('\n');
    if let Some((fix, applicability)) = diagnostic.applicable().next() {
        if applicability != Applicability::Safe {
            let _ = writeln!(text, "edit to be read first: {}", inline(&fix.title));
        }
        text += &edit(&path, source, fix);
    }
    text
}

/// The edits of a fix as one hunk of a unified diff; empty if they change nothing.
fn edit(path: &str, source: &IndexedText, fix: &Fix) -> String {
    let (Some(first), Some(last)) = (fix.edits.first(), fix.edits.last()) else { return String::new() };
    let (first, end) = (source.line(first.range.start), source.line(last.range.end.saturating_sub(1)) + 1);
    let (start, old) = (source.starts[first], source.lines(first..end));
    let shifted =
        |edit: &Edit| Edit { range: edit.range.start - start..edit.range.end - start, text: edit.text.clone() };
    let new = write::apply(old, &fix.edits.iter().map(shifted).collect::<Vec<_>>());
    if new == old {
        return String::new();
    }
    let line = first.saturating_sub(CONTEXT);
    let (before, after) = (lines(source.lines(line..first)), lines(source.lines(end..end + CONTEXT)));
    let (removed, added) = (lines(old), lines(&new));
    let context = before.len() + after.len();
    let (old, now) = (removed.len() + context, added.len() + context);
    let mut text = format!("--- a/{path}\n+++ b/{path}\n@@ -{},{old} +{},{now} @@\n", line + 1, line + 1);
    for (mark, lines) in [(' ', before), ('-', removed), ('+', added), (' ', after)] {
        for line in lines {
            let _ = write!(text, "{mark}{line}");
            if !line.ends_with('\n') {
                text += "\n\\ No newline at end of file\n";
            }
        }
    }
    text
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

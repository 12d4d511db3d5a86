//! For people: the line with the token underlined, what is wrong, and what to write instead.

use super::{Renderer, Report};
use analysis::{Finding, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer as Printer, Snippet};
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

/// Longer lines are not shown, in bytes: nobody reads them, and minified PTX has lines of megabytes.
const LONGEST_LINE: usize = 2_000;

/// The renderer.
pub struct Text {
    printer: Printer,
    files: usize,
    counts: [usize; 4],
}

impl Default for Text {
    fn default() -> Self {
        let colours = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let printer = if colours { Printer::styled() } else { Printer::plain() };
        Text { printer, files: 0, counts: [0; 4] }
    }
}

impl Renderer for Text {
    fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        self.files += 1;
        for finding in report.findings {
            self.counts[finding.severity as usize] += 1;
            writeln!(out, "{}\n", self.printer.render(&groups(report, finding)))?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let files = counted(self.files, "file");
        let found: Vec<_> = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint]
            .into_iter()
            .filter(|severity| self.counts[*severity as usize] > 0)
            .map(|severity| counted(self.counts[severity as usize], severity.name()))
            .collect();
        match found.as_slice() {
            [] => writeln!(out, "{files} checked, nothing found"),
            _ => writeln!(out, "{files} checked: {}", found.join(", ")),
        }
    }
}

fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn groups<'a>(report: &Report<'a>, finding: &'a Finding) -> Vec<Group<'a>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let title = level.primary_title(&finding.message).id(finding.code);
    let mut main = place(title.elements::<Origin>([]), report, &finding.range, AnnotationKind::Primary, None);
    if !finding.help.is_empty() {
        main = main.element(Level::HELP.message(&finding.help));
    }
    let related = finding.related.iter().map(|related| {
        let group = Group::with_level(Level::NOTE);
        place(group, report, &related.range, AnnotationKind::Context, Some(&related.message))
    });
    std::iter::once(main).chain(related).collect()
}

fn place<'a>(
    group: Group<'a>,
    report: &Report<'a>,
    range: &Range<usize>,
    kind: AnnotationKind,
    label: Option<&'a str>,
) -> Group<'a> {
    let file = &report.snapshot.file;
    let text = file.text();
    let start = file.position(range.start);
    let first = text.line_to_byte(start.line);
    let last = text.line_to_byte((file.position(range.end).line + 1).min(text.len_lines()));
    if last - first > LONGEST_LINE {
        let origin = Origin::path(report.path).line(start.line + 1).char_column(start.column + 1);
        return group.element(origin);
    }
    let excerpt = text.byte_slice(first..last).to_string();
    let span = range.start - first..range.end - first;
    let annotation = kind.span(span).label(label);
    group.element(Snippet::source(excerpt).line_start(start.line + 1).path(report.path).annotation(annotation))
}

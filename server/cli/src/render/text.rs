//! Text output: the source line with the token underlined, the message and the help.

use super::deduplicate::DeduplicatedDiagnostics;
use super::source_lines::SourceLines;
use super::totals::{RunSummary, counted};
use super::{Renderer, Report, TextStyle};
use crate::fingerprint::SuppressedBy;
use crate::output::{excerpt, inline};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer as Printer, Snippet};
use diagnostics::{Diagnostic, OriginPlace, Related, Severity};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use syntax::SourceLocation;

/// Maximum length of a source line that is shown, in bytes: minified PTX has lines of megabytes.
const LONGEST_LINE: usize = 2_000;

/// The renderer.
pub struct TextRenderer {
    printer: Printer,
    quiet: bool,
    diagnostics: DeduplicatedDiagnostics,
    files: usize,
    counts: [usize; 4],
    accepted: usize,
    /// Diagnostics on unchanged lines.
    unchanged: usize,
    /// Diagnostics in files that were not compared.
    uncompared: usize,
    sources: SourceLines,
}

impl TextRenderer {
    /// A renderer in a style.
    pub fn new(style: TextStyle) -> Self {
        let printer = if style.colours { Printer::styled() } else { Printer::plain() };
        let diagnostics = DeduplicatedDiagnostics::new(style.most.unwrap_or(usize::MAX));
        TextRenderer {
            printer,
            quiet: style.quiet,
            diagnostics,
            files: 0,
            counts: [0; 4],
            accepted: 0,
            unchanged: 0,
            uncompared: 0,
            sources: SourceLines::default(),
        }
    }
}

impl Renderer for TextRenderer {
    fn file(&mut self, report: &Report, _: &mut dyn Write) -> io::Result<()> {
        self.files += 1;
        let by = |reason: SuppressedBy| {
            report.diagnostics.iter().filter(|found| found.accepted.as_ref() == Some(&reason)).count()
        };
        let (unchanged, uncompared) = (by(SuppressedBy::UnchangedLine), by(SuppressedBy::NotCompared));
        self.unchanged += unchanged;
        self.uncompared += uncompared;
        self.accepted += report.diagnostics.len() - unchanged - uncompared;
        self.diagnostics.file(report.open().any(|found| found.diagnostic.severity == Severity::Error));
        for found in report.open() {
            self.accepted -= 1;
            self.counts[found.diagnostic.severity as usize] += 1;
            let render = || self.printer.render(&groups(report, &found.diagnostic, &self.sources));
            self.diagnostics.add(&report.shown_path(), &found.fingerprint, &found.diagnostic.message(), render);
        }
        Ok(())
    }

    fn finish(&mut self, totals: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        for text in self.diagnostics.texts() {
            writeln!(out, "{text}\n")?;
        }
        if self.quiet {
            return Ok(());
        }
        let files = counted(self.files, "file");
        let found: Vec<_> = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint]
            .into_iter()
            .filter(|severity| self.counts[*severity as usize] > 0)
            .map(|severity| counted(self.counts[severity as usize], severity.name()))
            .collect();
        match found.as_slice() {
            [] => write!(out, "{files} checked, no findings")?,
            _ => write!(out, "{files} checked: {}", found.join(", "))?,
        }
        let hidden = [
            (self.accepted, "suppressed by comments or the baseline"),
            (self.unchanged, "on unchanged lines"),
            (self.uncompared, "in files that were not compared"),
        ];
        let hidden = hidden.iter().filter(|(count, _)| *count > 0).map(|(count, reason)| format!("{count} {reason}"));
        match &*hidden.collect::<Vec<_>>() {
            [] => writeln!(out)?,
            hidden => writeln!(out, " ({})", hidden.join(", "))?,
        }
        out.write_all(totals.lines().as_bytes())
    }
}

fn groups<'a>(report: &Report<'a>, diagnostic: &'a Diagnostic, sources: &SourceLines) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let line = |range: &Range<usize>| report.position(range.start).line;
    let (beside, elsewhere): (Vec<_>, Vec<_>) =
        diagnostic.related.iter().partition(|related| line(&related.range) == line(&diagnostic.range));
    let mut marks = vec![TextMark { kind: AnnotationKind::Primary, range: &diagnostic.range, label: None }];
    marks.extend(beside.iter().map(|related| context(related)));
    let title = level.primary_title(inline(&diagnostic.message()).into_owned()).id(diagnostic.code());
    let mut main = place(Group::with_title(title), report, &diagnostic.range, marks);
    let remedy = diagnostic.help_text();
    if !remedy.is_empty() {
        main = main.element(Level::HELP.message(inline(&remedy).into_owned()));
    }
    let (shown, listed) = generated_from(diagnostic, sources);
    if let Some(listed) = listed {
        main = main.element(Level::NOTE.message(listed));
    }
    let others = elsewhere
        .into_iter()
        .map(|related| place(Group::with_level(Level::NOTE), report, &related.range, vec![context(related)]));
    let settings = diagnostic.cause.settings_to_change();
    std::iter::once(main).chain(others).chain(shown).chain(settings.iter().map(settings_line)).collect()
}

/// The lines that the code was generated from: all of them as source lines, or, where one cannot be read, as a list.
fn generated_from<'a>(diagnostic: &Diagnostic, sources: &SourceLines) -> (Vec<Group<'a>>, Option<String>) {
    let lines: Option<Vec<_>> = diagnostic.source_places().map(|place| sources.line(place)).collect();
    match lines.filter(|lines| lines.iter().all(|line| line.len() <= LONGEST_LINE)) {
        Some(lines) => {
            let labels = std::iter::once("generated from this line").chain(std::iter::repeat("inlined here"));
            let places = diagnostic.source_places().zip(lines).zip(labels);
            (places.map(|((place, line), label)| source_line(place, &line, label)).collect(), None)
        }
        None => (Vec::new(), Some(format!("generated from {}", inline(&diagnostic.source_text())))),
    }
}

/// A line of another file with its column marked.
fn source_line<'a>(place: &SourceLocation, line: &str, label: &'a str) -> Group<'a> {
    let column = usize::try_from(place.column).unwrap_or(0).saturating_sub(1);
    let start = line.char_indices().nth(column).map_or(0, |(at, _)| at);
    let offset = |byte: usize| excerpt(&line[..byte]).len();
    let length = line[start..].chars().next().map_or(0, char::len_utf8);
    let mark = AnnotationKind::Context.span(offset(start)..offset(start + length)).label(label);
    let number = usize::try_from(place.line).unwrap_or(usize::MAX);
    let snippet = Snippet::source(excerpt(line)).line_start(number).path(shown_relative(Path::new(&place.path)));
    Group::with_level(Level::NOTE).element(snippet.annotation(mark))
}

/// The line of a settings file with a value that is too old.
fn settings_line<'a>(place: &OriginPlace<'a>) -> Group<'a> {
    let text = &place.file.text;
    let (start, end) = (place.range.start, place.range.end);
    let first = text[..start].rfind('\n').map_or(0, |line_end| line_end + 1);
    let last = text[end..].find('\n').map_or(text.len(), |length| end + length);
    let source = &text[first..last];
    let offset = |byte: usize| excerpt(&source[..byte - first]).len();
    let mark = AnnotationKind::Context.span(offset(start)..offset(end)).label(place.message());
    let line = text[..first].matches('\n').count() + 1;
    let snippet = Snippet::source(excerpt(source)).line_start(line).path(shown_relative(&place.file.path));
    Group::with_level(Level::NOTE).element(snippet.annotation(mark))
}

/// A path, relative to the working directory if it is in it.
fn shown_relative(path: &Path) -> String {
    let folder = std::env::current_dir().ok();
    let relative = folder.and_then(|folder| path.strip_prefix(folder).ok());
    inline(&relative.unwrap_or(path).to_string_lossy()).into_owned()
}

/// A marked range of the text.
struct TextMark<'a> {
    kind: AnnotationKind,
    range: &'a Range<usize>,
    label: Option<&'a str>,
}

fn context(related: &Related) -> TextMark<'_> {
    TextMark { kind: AnnotationKind::Context, range: &related.range, label: Some(&related.message) }
}

/// Adds the source lines of a range with their marks.
fn place<'a>(group: Group<'a>, report: &Report<'a>, range: &Range<usize>, marks: Vec<TextMark<'a>>) -> Group<'a> {
    let text = report.text;
    let start = report.position(range.start);
    let first = text.line_to_byte(start.line);
    let last = text.line_to_byte((report.position(range.end).line + 1).min(text.len_lines()));
    if last - first > LONGEST_LINE {
        return group.element(Origin::path(report.shown_path()).line(start.line + 1).char_column(start.column + 1));
    }
    let source = text.byte_slice(first..last).to_string();
    let offset = |byte: usize| excerpt(&source[..byte - first]).len();
    let annotation = |mark: TextMark<'a>| {
        mark.kind.span(offset(mark.range.start)..offset(mark.range.end)).label(mark.label.map(inline))
    };
    let snippet = Snippet::source(excerpt(&source)).line_start(start.line + 1).path(report.shown_path());
    group.element(snippet.annotations(marks.into_iter().map(annotation)))
}

//! A problem where its author looks: at the lines of the source, with its threads by `threadIdx` and `blockIdx`, and with its cause.

mod labels;
mod places;
mod remedy;
mod sentences;
mod words;

use crate::output::{excerpt, inline};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use explorer::FoundProblem;
use kernel::execution::KernelExecution;
use kernel::reports::step_access::problem_memory;
use kernel::stream::StreamKernel;
use labels::{PlaceLabel, ThreadNames};
pub use places::CompiledSource;
use places::{AuthorPlace, AuthorPlaces, TextPlace};
use program::{Problem, ProblemKind};
pub use remedy::{ModuleLines, Remedy, insertions, remedy};
use sentences::CauseSentences;
use std::collections::BTreeMap;
use syntax::LintFile;
use words::SourceWords;

/// The most characters of a line that are underlined.
const MOST_UNDERLINED: usize = 48;

/// The most places that a problem without an execution names.
const MOST_PLACES: usize = 6;

/// Shows problems of a module at its source.
pub struct SourceView<'v> {
    places: AuthorPlaces<'v>,
}

/// A place with what happens there.
struct Mark {
    kind: AnnotationKind,
    place: TextPlace,
    label: String,
}

/// How serious a problem is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ProblemLevel {
    /// It is a mistake.
    Error,
    /// It is worth to know.
    Note,
}

impl<'v> SourceView<'v> {
    /// The view of a module that was compiled.
    pub fn new(file: &'v LintFile, source: &'v CompiledSource) -> Self {
        Self { places: AuthorPlaces::new(file, source) }
    }

    /// The lines of the source of the code at some offsets of the module: of calls that were inlined those of the kernel.
    pub fn lines(&self, offsets: &[usize]) -> Vec<Option<usize>> {
        let path = self.path();
        let line = |found: AuthorPlace| {
            let outermost = found.callers.into_iter().last().unwrap_or(found.place);
            (outermost.path == path).then_some(outermost.line)
        };
        self.places.of(offsets).into_iter().map(|found| line(found?)).collect()
    }

    /// The path of the source.
    pub fn path(&self) -> String {
        self.places.path()
    }

    /// The words of its language.
    fn words(&self) -> SourceWords {
        SourceWords::of(&self.path())
    }

    /// The text of a line of the source.
    fn line_text(&self, line: usize) -> &str {
        self.places.line_text(line)
    }

    /// Whether a statement can stand before a line of the source.
    pub fn is_statement(&self, line: usize) -> bool {
        self.places.is_statement(line)
    }

    /// The problem of an execution for people; `None` if it is at no line of a source.
    pub fn found(
        &self,
        found: &FoundProblem,
        (kernel, level): (StreamKernel, ProblemLevel),
        execution: &KernelExecution,
        help: Option<&str>,
    ) -> Option<String> {
        let Some(problem) = &found.problem else {
            let claim = found.claim.as_deref().unwrap_or_default();
            return self.claim(claim, kernel, execution, help);
        };
        let Some(cause) = &execution.cause else { return self.problem(problem, (kernel, level), help) };
        let names = ThreadNames::of(kernel.launch);
        let mut events: Vec<usize> = cause.accesses.iter().chain(&cause.events).copied().collect();
        events.sort_unstable();
        events.dedup();
        let offsets: Vec<usize> = events.iter().map(|at| execution.events[*at].range.start).collect();
        let found: Option<BTreeMap<usize, AuthorPlace>> =
            events.iter().zip(self.places.of(&offsets)).map(|(at, place)| Some((*at, place?))).collect();
        let places = found?;
        let mut marks = Vec::new();
        for (number, at) in events.iter().enumerate() {
            let is_primary = *at == cause.accesses[1];
            let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = format!("{}: {}", number + 1, names.event(execution, *at));
            add(&mut marks, (kind, &places[at]), label);
        }
        let named = cause.accesses.iter().rev().flat_map(|at| {
            let event = &execution.events[*at];
            event.accesses.iter().filter(|one| one.read.len() + one.written.len() > 0 || !execution.is_copy(*at))
        });
        let memory = named.map(|one| one.memory.as_str()).next();
        let title = memory.map_or_else(|| kernel.kernel.problem_message(problem), |one| problem.kind.message_on(one));
        let sentences = CauseSentences { execution, places: &places, names: &names, words: self.words() };
        Some(render((level, problem.kind.code(), &title), &marks, &sentences.all(), help))
    }

    /// The problem of a run.
    pub fn problem(
        &self,
        problem: &Problem,
        (kernel, level): (StreamKernel, ProblemLevel),
        help: Option<&str>,
    ) -> Option<String> {
        let names = ThreadNames::of(kernel.launch);
        let labels = labels::of_problem(problem, &names);
        let range = |label: &PlaceLabel| kernel.kernel.range(label.at).start;
        let offsets: Vec<usize> = labels.iter().map(range).collect();
        let places = self.places.of(&offsets);
        places.first()?.as_ref()?;
        let mut marks = Vec::new();
        for (PlaceLabel { text, .. }, place) in labels.into_iter().zip(places).take(MOST_PLACES) {
            let kind = if marks.is_empty() { AnnotationKind::Primary } else { AnnotationKind::Context };
            place.iter().for_each(|place| add(&mut marks, (kind, place), text.clone()));
        }
        let memory = problem_memory(problem, kernel.kernel, kernel.memory);
        let title = match (&problem.kind, memory) {
            (ProblemKind::Deadlock { .. }, _) => "deadlock".to_owned(),
            (ProblemKind::Livelock { .. }, _) => "threads wait in a loop that cannot end".to_owned(),
            (kind, Some(memory)) => kind.message_on(&memory),
            (_, None) => kernel.kernel.problem_message(problem),
        };
        let times = (problem.count > 1).then(|| ("note", format!("{} times in all", problem.count)));
        let notes: Vec<_> = times.into_iter().collect();
        Some(render((level, problem.kind.code(), &title), &marks, &notes, help))
    }

    /// A claim about memory that does not hold: with the last accesses of the execution.
    fn claim(
        &self,
        claim: &str,
        kernel: StreamKernel,
        execution: &KernelExecution,
        help: Option<&str>,
    ) -> Option<String> {
        let names = ThreadNames::of(kernel.launch);
        let accesses = |at: &usize| !execution.events[*at].accesses.is_empty();
        let mut last: Vec<usize> = (0..execution.events.len()).rev().filter(accesses).take(MOST_PLACES).collect();
        last.reverse();
        let offsets: Vec<usize> = last.iter().map(|at| execution.events[*at].range.start).collect();
        let mut marks = Vec::new();
        for (number, (at, place)) in last.iter().zip(self.places.of(&offsets)).enumerate() {
            let label = format!("{}: {}", number + 1, names.event(execution, *at));
            place.iter().for_each(|place| add(&mut marks, (AnnotationKind::Context, place), label.clone()));
        }
        (!marks.is_empty()).then(|| render((ProblemLevel::Error, "claim", claim), &marks, &[], help))
    }
}

/// Adds a mark, and where its code was inlined.
fn add(marks: &mut Vec<Mark>, (kind, place): (AnnotationKind, &AuthorPlace), label: String) {
    if marks.iter().any(|one| one.place == place.place && one.label == label) {
        return;
    }
    marks.push(Mark { kind, place: place.place.clone(), label });
    for caller in &place.callers {
        let is_known = |one: &Mark| one.place == *caller;
        if !marks.iter().any(is_known) {
            let label = "called here".to_owned();
            marks.push(Mark { kind: AnnotationKind::Context, place: caller.clone(), label });
        }
    }
}

fn render(
    (level, code, title): (ProblemLevel, &str, &str),
    marks: &[Mark],
    notes: &[(&'static str, String)],
    help: Option<&str>,
) -> String {
    let level = if level == ProblemLevel::Error { Level::ERROR } else { Level::INFO };
    let mut group = Group::with_title(level.primary_title(inline(title).into_owned()).id(code.to_owned()));
    let is_primary = |one: &&Mark| matches!(one.kind, AnnotationKind::Primary);
    let first = marks.iter().find(is_primary).or(marks.first()).map(|one| one.place.path.as_str());
    let mut paths: Vec<&str> = first.into_iter().collect();
    for mark in marks {
        if !paths.contains(&mark.place.path.as_str()) {
            paths.push(&mark.place.path);
        }
    }
    for path in paths {
        let here: Vec<&Mark> = marks.iter().filter(|one| one.place.path == path).collect();
        group = with_file(group, path, &here);
    }
    for (name, note) in notes {
        group = group.element(Level::NOTE.with_name(*name).message(inline(note).into_owned()));
    }
    if let Some(help) = help {
        group = group.element(Level::HELP.message(inline(help).into_owned()));
    }
    Renderer::plain().render(&[group]) + "\n"
}

/// Adds the marked lines of a file.
fn with_file<'a>(group: Group<'a>, path: &'a str, marks: &[&Mark]) -> Group<'a> {
    let path = inline(path);
    let Some(text) = marks.iter().find_map(|one| one.place.text.as_ref()) else {
        let origin = |mark: &&Mark| Origin::path(path.clone().into_owned()).line(mark.place.line);
        return marks.iter().fold(group, |group, mark| group.element(origin(mark)));
    };
    let text = excerpt(text);
    let annotation =
        |mark: &&Mark| mark.kind.span(statement(&text, &mark.place)).label(inline(&mark.label).into_owned());
    let annotations: Vec<_> = marks.iter().map(annotation).collect();
    group.element(Snippet::source(text).path(path.into_owned()).annotations(annotations))
}

/// The range of a place in a text: from its column to the end of the code of its line.
fn statement(text: &str, TextPlace { line, column, .. }: &TextPlace) -> std::ops::Range<usize> {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let line = text[start..].lines().next().unwrap_or_default();
    let code = line.split("//").next().unwrap_or(line).trim_end();
    let indent = code.len() - code.trim_start().len();
    let from = line.char_indices().nth(column.saturating_sub(1)).map_or(indent, |(at, _)| at.max(indent));
    let from = if from < code.len() { from } else { indent.min(code.len()) };
    let length = code[from..].char_indices().nth(MOST_UNDERLINED).map_or(code.len() - from, |(length, _)| length);
    start + from..start + from + length
}

//! `litmus`: lists the outcomes of litmus tests that the memory model allows.

use crate::exit::{Exit, fail};
use crate::output::{EscapeStyle, SCHEMA, print_as};
use clap::{Args, ValueEnum};
use hosts::Language;
use litmus::{
    Bits, Budget, ClaimVerdict, FAIRNESS, LitmusResult, PictureFormat, Test, TestTermination, WaitingInstruction,
    WantedExecutions,
};
use project::read;
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};
use syntax::SourceFile;

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LitmusOutput {
    /// The verdict, the outcomes, and the deciding execution
    Text,
    /// One JSON object per test and line
    Jsonl,
    /// The deciding execution, for Graphviz
    Dot,
    /// The deciding execution, as SVG
    Svg,
}

/// Arguments of `litmus`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ptx-atomics litmus --all message_passing.litmus

Exit codes: 0 every claim holds, 1 one fails, 3 the search limit was reached first, 2 a test could not be read.")]
pub struct LitmusArguments {
    /// Litmus tests (*.litmus), PTX with litmus tests in comments, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = LitmusOutput::Text)]
    format: LitmusOutput,
    /// Show an execution for each outcome
    #[arg(long)]
    all: bool,
    /// Also fail if a fair execution does not end, as with a loop that can wait forever
    #[arg(long)]
    require_termination: bool,
}

/// Runs all tests.
pub fn run(arguments: &LitmusArguments) -> Exit {
    if arguments.all && arguments.format == LitmusOutput::Jsonl {
        return fail("--all has no effect with --format jsonl");
    }
    let mut exit = Exit::Clean;
    for path in &arguments.files {
        exit = exit.max(one(path, arguments).unwrap_or_else(fail));
    }
    exit
}

fn one(path: &Path, arguments: &LitmusArguments) -> Result<Exit, String> {
    let text = read::text(path)?;
    let name = path.display().to_string();
    let tests = tests(path, &text)?;
    let mistakes: Vec<_> = tests.iter().flat_map(|test| &test.errors).collect();
    for mistake in &mistakes {
        let (line, column) = place(&text, mistake.range.start);
        fail(format!("{name}:{line}:{column}: {}; {}", mistake.message, mistake.help));
    }
    if !mistakes.is_empty() {
        return Ok(Exit::Failed);
    }
    let mut exit = Exit::Clean;
    for test in &tests {
        exit = exit.max(report(&name, &text, test, arguments)?);
    }
    Ok(exit)
}

/// The tests of a file: the file itself, or those in comments of PTX.
fn tests(path: &Path, text: &str) -> Result<Vec<Test>, String> {
    let name = path.display();
    let language = Language::of_path(&path.to_string_lossy()).or_else(|| Language::of_text(text));
    let tests = match language {
        Some(Language::Ptx) => litmus::tests(&SourceFile::parse(text)),
        _ => vec![litmus::parse(text)],
    };
    if tests.is_empty() {
        return Err(format!("{name}: no litmus test in the comments; see `ptx-atomics explain outcome-allowed`"));
    }
    Ok(tests)
}

fn report(name: &str, text: &str, test: &Test, arguments: &LitmusArguments) -> Result<Exit, String> {
    let wanted = match (arguments.all, arguments.format) {
        (true, _) => WantedExecutions::All,
        (false, LitmusOutput::Jsonl) => WantedExecutions::Nothing,
        (false, _) => WantedExecutions::Decisive,
    };
    let answer = litmus::answer(test, wanted, Budget::default());
    let printed = match arguments.format {
        LitmusOutput::Text => litmus::text(text, test, &answer, wanted),
        LitmusOutput::Jsonl => json(name, text, test, &answer),
        LitmusOutput::Dot => litmus::pictures(text, test, &answer, PictureFormat::Dot),
        LitmusOutput::Svg => litmus::pictures(text, test, &answer, PictureFormat::Svg),
    };
    print_as(if arguments.format == LitmusOutput::Jsonl { EscapeStyle::Json } else { EscapeStyle::Text }, &printed)?;
    let claim = match answer.verdict {
        ClaimVerdict::Pass => Exit::Clean,
        ClaimVerdict::Fail => Exit::Errors,
        ClaimVerdict::Unknown => Exit::Undecided,
    };
    let termination = match &answer.termination {
        Some(TestTermination::Endless(_) | TestTermination::NotGuaranteed(_)) => Exit::Errors,
        Some(TestTermination::Unknown | TestTermination::NotModelled(_)) => Exit::Undecided,
        Some(TestTermination::Ends) | None => Exit::Clean,
    };
    Ok(if arguments.require_termination { claim.max(termination) } else { claim })
}

/// Line and column of an offset, starting at 1; columns count characters.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// The result as one line of JSON.
fn json(path: &str, text: &str, test: &Test, answer: &LitmusResult) -> String {
    let mut order: Vec<usize> = test.named().collect();
    order.sort_by_key(|at| &test.observed[*at].0);
    let record = LitmusRecord {
        complete: answer.complete,
        early_load: answer.early_load.as_deref(),
        kind: test.claim.as_ref().map_or("exists", |claim| claim.quantifier.word()),
        not_modelled: &answer.not_modelled,
        outcomes: OutcomeRecords { test, answer, order },
        path,
        schema: SCHEMA,
        termination: answer.termination.as_ref().map(|termination| TerminationRecord {
            fairness: &FAIRNESS,
            verdict: termination.word(),
            waits: termination.waits(text, test).into_iter().map(|wait| WaitRecord::new(text, wait)).collect(),
        }),
        verdict: answer.verdict.word(),
    };
    serde_json::to_string(&record).expect("strings, numbers and booleans") + "\n"
}

/// A line of `litmus --format jsonl`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LitmusRecord<'a> {
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    early_load: Option<&'a str>,
    kind: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_modelled: &'a [String],
    outcomes: OutcomeRecords<'a>,
    path: &'a str,
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    termination: Option<TerminationRecord<'a>>,
    verdict: &'a str,
}

/// Whether every execution ends.
#[derive(Serialize)]
struct TerminationRecord<'a> {
    fairness: &'a [&'a str],
    verdict: &'a str,
    waits: Vec<WaitRecord>,
}

/// An instruction at which a thread waits without end.
#[derive(Serialize)]
struct WaitRecord {
    instruction: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    thread: String,
}

impl WaitRecord {
    fn new(text: &str, wait: WaitingInstruction) -> Self {
        let line = wait.range.map(|range| place(text, range.start).0);
        WaitRecord { instruction: wait.text, line, thread: wait.thread }
    }
}

/// The outcomes, as objects with a value for each observable. They are serialized without a copy, because there may be tens of thousands.
struct OutcomeRecords<'a> {
    test: &'a Test,
    answer: &'a LitmusResult,
    /// The observables, sorted by name.
    order: Vec<usize>,
}

impl Serialize for OutcomeRecords<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OutcomeRecords { test, answer, order } = self;
        serializer.collect_seq(answer.outcomes().map(|(values, _)| OutcomeRecord { test, order, values }))
    }
}

struct OutcomeRecord<'a> {
    test: &'a Test,
    order: &'a [usize],
    values: &'a [Bits],
}

impl Serialize for OutcomeRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = &self.test.observed;
        serializer.collect_map(self.order.iter().map(|at| (&names[*at].0, Test::signed(self.values[*at]))))
    }
}

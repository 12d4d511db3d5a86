//! Litmus tests in PTX modules: `//!` comments declare threads by function, initial values, and outcomes to forbid or allow.

use crate::comments::lines;
use crate::keyword::launch_lines;
use crate::lower::{InitialValues, LitmusModule, ModuleFunctions, ThreadPlacement, lower};
use crate::parse::condition;
use crate::statement::{Keyword, Statement, read};
use crate::test::{Claim, Expected, LitmusError, LoadedAddress, Test};
use memory_model::{Condition, Quantifier};
use std::collections::btree_map::Entry;
use std::ops::Range;
use syntax::LintFile;

/// What stands in a claim in place of a condition, for an execution that does not end.
const ENDLESS: &str = "endless";

/// A test in a module.
#[derive(Debug)]
pub struct Block {
    /// The range from its first line to its last.
    pub range: Range<usize>,
    /// The threads and the errors.
    pub test: Test,
    /// The claims: range, expectation, condition.
    pub expected: Vec<(Range<usize>, Expected, Condition)>,
    /// The claims about executions that do not end: range, expectation.
    pub endless: Vec<(Range<usize>, Expected)>,
}

/// The tests of a module, in source order.
pub fn blocks(file: &LintFile) -> Vec<Block> {
    if !crate::is_marked(file, 0..file.text().len_bytes()) {
        return Vec::new();
    }
    let text = file.text().to_string();
    let functions = ModuleFunctions::of(file);
    grouped(&text).iter().map(|lines| block(&functions, &text, lines)).collect()
}

/// A test for each claim in the comments of a module, named after the test and the claim. A test with errors is returned once. A module with
/// syntax errors is one test with errors.
pub fn tests(file: &LintFile) -> Vec<Test> {
    let errors = syntax::syntax_errors(file).into_iter();
    let errors: Vec<LitmusError> =
        errors.map(|error| LitmusError { range: error.range, message: error.message, help: error.help }).collect();
    if !errors.is_empty() {
        return vec![Test { errors, ..Test::default() }];
    }
    let text = file.text();
    let mut all = Vec::new();
    for Block { test, expected, endless, .. } in blocks(file) {
        if !test.errors.is_empty() {
            all.push(test);
            continue;
        }
        for (range, expected, condition) in expected {
            let quantifier = match expected {
                Expected::Forbidden => Quantifier::NotExists,
                Expected::Allowed => Quantifier::Exists,
            };
            let name = format!("{}, {}", test.name, text.byte_slice(range.clone()));
            let observed = condition.observables().into_iter().map(|one| (test.name(&one), one)).collect();
            let claim = Some(Claim { quantifier, condition, range });
            all.push(Test { name, observed, claim, ..test.clone() });
        }
        for (range, expected) in endless {
            let name = format!("{}, {}", test.name, text.byte_slice(range));
            all.push(Test { name, endless: Some(expected), ..test.clone() });
        }
    }
    all
}

/// The lines of each test. A `litmus` line begins a test, as does a thread or an initial value after the claims of the previous test.
fn grouped(text: &str) -> Vec<Vec<Range<usize>>> {
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    let (mut threads, mut claims) = (false, false);
    let launches = launch_lines(text);
    let is_launch =
        |line: &Range<usize>| launches.binary_search_by_key(&line.start, |(launch, _)| launch.start).is_ok();
    for line in lines(text).into_iter().filter(|line| !is_launch(line)) {
        let meant = Keyword::closest(&text[line.clone()]);
        let begins = match meant {
            Some(Keyword::Litmus) => true,
            Some(Keyword::Thread | Keyword::Init) => threads && claims,
            _ => false,
        };
        if begins || groups.is_empty() {
            (threads, claims) = (false, false);
            groups.push(Vec::new());
        }
        threads |= meant == Some(Keyword::Thread);
        claims |= matches!(meant, Some(Keyword::Forbid | Keyword::Allow));
        groups.last_mut().expect("a group was begun").push(line);
    }
    groups
}

/// The statements of a test, by their kind.
#[derive(Default)]
struct Statements {
    name: String,
    threads: Vec<ThreadPlacement>,
    inits: InitialValues,
    claims: Vec<(Range<usize>, Expected, Range<usize>)>,
    errors: Vec<LitmusError>,
}

impl Statements {
    fn of(text: &str, lines: &[Range<usize>]) -> Self {
        let mut all = Statements::default();
        for line in lines {
            match read(text, line.clone()) {
                Ok(Statement::Begin(name)) => all.name = name,
                Ok(Statement::Thread(thread)) => all.threads.push(thread),
                Ok(Statement::Init(name, value, range)) => all.init(name, value, range),
                Ok(Statement::Claim(expected, condition)) => all.claims.push((line.clone(), expected, condition)),
                Err(error) => all.errors.push(error),
            }
        }
        if all.name.is_empty() {
            all.name = all.threads.iter().map(|thread| &*thread.function).collect::<Vec<_>>().join(" + ");
        }
        all
    }

    fn init(&mut self, name: String, value: String, range: Range<usize>) {
        match self.inits.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert((value, range));
            }
            Entry::Occupied(entry) => {
                let message = format!("duplicate initial value of `{}`", entry.key());
                self.errors.push(LitmusError { range, message, help: "keep one of them".to_owned() });
            }
        }
    }

    /// The error of a test without threads or claims. None if a line has an error, because it may be the missing one.
    fn incomplete(&self, first: &Range<usize>) -> Option<LitmusError> {
        let error = |message: &str, help: &str| {
            Some(LitmusError { range: first.clone(), message: message.to_owned(), help: help.to_owned() })
        };
        if !self.errors.is_empty() {
            None
        } else if self.threads.is_empty() {
            error("litmus test without threads", "write `//! thread f @ cta 0` for each function that runs")
        } else if self.claims.is_empty() {
            error("litmus test without a claim", "write `//! forbid f:%r1 == 1`, `//! allow …` or `//! forbid endless`")
        } else {
            None
        }
    }
}

/// What a claim forbids, and that the address of an allocation is loaded before it is there: what then follows may be anything.
fn with_early_loads(kind: Expected, condition: Condition, test: &Test) -> Condition {
    if kind == Expected::Allowed || test.loaded_addresses.is_empty() {
        return condition;
    }
    let early = test.loaded_addresses.iter().map(LoadedAddress::is_too_early);
    Condition::Or(std::iter::once(condition).chain(early).collect())
}

fn block(functions: &ModuleFunctions, text: &str, lines: &[Range<usize>]) -> Block {
    let range = lines.first().map_or(0, |line| line.start)..lines.last().map_or(0, |line| line.end);
    let mut statements = Statements::of(text, lines);
    statements.errors.extend(lines.first().and_then(|first| statements.incomplete(first)));
    let mut test = Test { name: statements.name, errors: statements.errors, ..Test::default() };
    if statements.threads.is_empty() {
        return Block { range, test, expected: Vec::new(), endless: Vec::new() };
    }
    let widths = lower(functions, &LitmusModule { threads: statements.threads, inits: statements.inits }, &mut test);
    let (mut expected, mut endless) = (Vec::new(), Vec::new());
    // If a thread line has an error, claims about that thread are not checked.
    let is_thread = |line: &&Range<usize>| Keyword::closest(&text[(*line).clone()]) == Some(Keyword::Thread);
    let threads = test.program.threads.iter().filter(|thread| thread.issuer.is_none()).count();
    let claims = if threads == lines.iter().filter(is_thread).count() { statements.claims } else { Vec::new() };
    for (line, kind, part) in claims {
        if text[part.clone()].trim() == ENDLESS {
            endless.push((line, kind));
        } else if let Some(condition) = condition(text, part, &mut test, &widths) {
            expected.push((line, kind, with_early_loads(kind, condition, &test)));
        }
    }
    Block { range, test, expected, endless }
}

//! A syntax error in one statement causes no new error or warning elsewhere, and most warnings remain.
//!
//! A token is deleted or inserted, a statement is incomplete, or an incomplete one precedes it. A missing
//! corpus is a failure.

use diagnostics::{Preset, Settings, Severity, Snapshot};
use lints::Check;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, thread};
use support::{Rng, pick};
use syntax::SourceFile;

/// Tokens that are inserted before another.
const STRAY: [&str; 16] = [";", "\"", "(", ")", "]", "[", ",", "@", "foo ", "%r1 ", ".reg ", "5 ", ":", "<", "}", "{"];

/// The number of edits per module.
const TRIALS: usize = 48;

/// A diagnostic: severity, code and range.
type Found = (Severity, &'static str, Range<usize>);

#[derive(Default)]
struct Tally {
    trials: usize,
    /// The number of warnings outside the broken statement, and how many of them remain.
    warnings: usize,
    remaining: usize,
    /// New diagnostics outside the broken statement.
    errors: Vec<String>,
    false_warnings: Vec<String>,
}

#[test]
fn a_broken_statement_causes_no_other_diagnostics() {
    let seed = std::env::var("PTX_ATOMICS_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    let modules = sample(seed);
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let parts = modules.chunks(modules.len().div_ceil(4));
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(|path| break_statements(path, seed)).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let sum = |count: fn(&Tally) -> usize| tallies.iter().map(count).sum::<usize>();
    let (trials, warnings, remaining) =
        (sum(|tally| tally.trials), sum(|tally| tally.warnings), sum(|tally| tally.remaining));
    let all = |list: fn(&Tally) -> &[String]| tallies.iter().flat_map(list).map(String::as_str).collect::<Vec<_>>();
    let (errors, warned) = (all(|tally| &tally.errors), all(|tally| &tally.false_warnings));
    println!(
        "{trials} trials, {remaining} of {warnings} warnings remaining, {} errors, {} false warnings",
        errors.len(),
        warned.len()
    );
    assert!(trials >= 1000, "only {trials} trials");
    let shown = errors
        .iter()
        .map(|error| format!("error: {error}\n"))
        .chain(warned.iter().map(|warning| format!("warning: {warning}\n")));
    assert!(errors.is_empty() && warned.is_empty(), "beyond the broken statement:\n{}", shown.collect::<String>());
    assert!(remaining * 10 >= warnings * 7, "only {remaining} of {warnings} warnings stay");
}

/// Fixtures, and a sample of compiled modules of limited size.
fn sample(seed: u64) -> Vec<PathBuf> {
    let folder = support::root().join("tests/.tools/corpus");
    let small = |path: &PathBuf| path.metadata().is_ok_and(|data| data.len() < 60_000);
    let corpus = modules(&folder);
    let step = corpus.len().div_ceil(40).max(1);
    let corpus = corpus.into_iter().skip(seed as usize % step).step_by(step);
    let fixtures = ["rules", "realistic", "reference"].map(|name| support::root().join("tests/fixtures").join(name));
    fixtures.iter().flat_map(|folder| modules(folder)).filter(small).chain(corpus).collect()
}

fn modules(folder: &Path) -> Vec<PathBuf> {
    let mut modules: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}: run tests/install and tests/corpus/generate.py", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    modules.sort();
    modules
}

fn diagnostics(file: SourceFile) -> HashSet<Found> {
    let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
    let found = Snapshot::new(file, settings).diagnostics();
    found.into_iter().map(|diagnostic| (diagnostic.severity, diagnostic.code(), diagnostic.range)).collect()
}

/// An edit that breaks a statement.
struct Edit {
    /// The removed range.
    removed: Range<usize>,
    /// The new text.
    text: String,
    /// The range that may be parsed differently because of it.
    broken: Range<usize>,
    /// Whether the whole statement is removed, with the names that it declares.
    is_all: bool,
}

impl Edit {
    fn random(rng: &mut Rng, text: &str, tokens: &[Range<usize>]) -> Self {
        let token = pick(rng, tokens).clone();
        let statement = statement(text, &token);
        let first = tokens.iter().find(|first| first.start >= statement.start).map_or(token.start, |first| first.start);
        let edit = |removed: Range<usize>, text: &str| Edit {
            removed,
            text: text.to_owned(),
            broken: statement.clone(),
            is_all: false,
        };
        match rng.usize(..8) {
            0..2 => edit(token, ""),
            2..6 => {
                let stray = *pick(rng, &STRAY);
                let mut edit = edit(token.start..token.start, stray);
                if stray == "\"" {
                    // The rest of the line becomes a string, with its `;`.
                    let line = text[token.start..].find('\n').map_or(text.len(), |end| token.start + end);
                    edit.broken.end = next_end(text, line).max(edit.broken.end);
                }
                edit
            }
            6 => Edit { is_all: token.start <= first, ..edit(token.start..statement.end.max(token.start), "") },
            _ => edit(first..first, &format!("{}\n", &text[first.min(token.start)..token.start])),
        }
    }

    /// Whether it adds an unmatched brace, which is one error anywhere.
    fn is_brace(&self) -> bool {
        matches!(&*self.text, "{" | "}")
    }

    fn apply(&self, text: &str) -> String {
        let mut edited = text.to_owned();
        edited.replace_range(self.removed.clone(), &self.text);
        edited
    }

    /// The original offset of an offset in the edited text.
    fn before(&self, at: usize) -> usize {
        if at < self.removed.start + self.text.len() {
            at.min(self.removed.start)
        } else {
            at + self.removed.len() - self.text.len()
        }
    }

    /// Whether the edit removes a name, so that it is indeed undeclared.
    fn removes(&self, text: &str, name: &str) -> bool {
        let is_separator = |c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c));
        text[self.removed.clone()].split(is_separator).any(|word| word == name)
    }

    fn is_outside(&self, found: &Found) -> bool {
        !(found.2.start <= self.broken.end && self.broken.start <= found.2.end)
    }

    fn describe(&self, path: &Path, text: &str, found: &Found) -> String {
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let (at, removed) = (line(self.removed.start), &text[self.removed.clone()]);
        let column = self.removed.start - text[..self.removed.start].rfind('\n').map_or(0, |end| end + 1) + 1;
        let place = &text[found.2.start.min(text.len())..found.2.end.min(text.len())];
        format!(
            "{}:{at}:{column}: {:?} for {removed:?}: {} {place:?} in line {}",
            path.display(),
            self.text,
            found.1,
            line(found.2.start)
        )
    }
}

fn break_statements(path: &Path, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let text = fs::read_to_string(path).expect("the corpus is readable");
    let file = SourceFile::parse(&text);
    if file.has_syntax_error() {
        return tally;
    }
    let whole = diagnostics(file);
    let tokens = tokens(&text);
    if tokens.is_empty() {
        return tally;
    }
    let name = path.file_name().expect("a file").as_encoded_bytes();
    let name = name.iter().fold(seed, |sum, byte| sum.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(*byte));
    let mut rng = Rng::with_seed(name);
    for _ in 0..TRIALS {
        let edit = Edit::random(&mut rng, &text, &tokens);
        let file = SourceFile::parse(&edit.apply(&text));
        if !file.has_syntax_error() || edit.is_all {
            continue;
        }
        tally.trials += 1;
        let place = |range: Range<usize>| edit.before(range.start)..edit.before(range.end);
        let found: HashSet<Found> =
            diagnostics(file).into_iter().map(|(severity, code, range)| (severity, code, place(range))).collect();
        let outside = |found: &&Found| edit.is_outside(found);
        let mut allowed = usize::from(edit.is_brace());
        for extra in found.difference(&whole).filter(outside) {
            if extra.1 == "syntax-error" && allowed > 0 {
                allowed -= 1;
                continue;
            }
            if extra.1 == "unknown-name" && edit.removes(&text, &text[extra.2.clone()]) {
                continue;
            }
            let list = if extra.0 == Severity::Error { &mut tally.errors } else { &mut tally.false_warnings };
            list.push(edit.describe(path, &text, extra));
        }
        let warnings = whole.iter().filter(|found| found.0 != Severity::Error).filter(outside);
        let remaining = warnings.clone().filter(|warning| found.contains(*warning)).count();
        (tally.warnings, tally.remaining) = (tally.warnings + warnings.count(), tally.remaining + remaining);
    }
    tally
}

/// The words and signs of functions, without comments.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%.".contains(c);
    let begin = text.find('{').unwrap_or(0);
    // Debug information has the folders of the machine in it.
    let text = &text[..text.find("\n\t.file").or(text.find("\n\t.section")).unwrap_or(text.len())];
    let (mut found, mut at) = (Vec::new(), begin);
    while let Some(next) = text[at..].chars().next() {
        let end = match next {
            '/' if text[at..].starts_with("//") => at + text[at..].find('\n').unwrap_or(text.len() - at),
            '/' if text[at..].starts_with("/*") => at + text[at..].find("*/").map_or(text.len() - at, |end| end + 2),
            '"' => at + 1 + text[at + 1..].find('"').map_or(text.len() - at - 1, |end| end + 1),
            _ if is_word(next) => at + text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at),
            _ => at + next.len_utf8(),
        };
        if !next.is_whitespace() && !text[at..end].starts_with(['/', '#']) && !matches!(next, '{' | '}') {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// The statement around a token, and the next one if the token is its `;`.
fn statement(text: &str, token: &Range<usize>) -> Range<usize> {
    let ends = |at: usize| is_end(text, at);
    let start = text[..token.start].char_indices().rev().map(|(at, _)| at).find(|at| ends(*at)).map_or(0, |at| at + 1);
    start..next_end(text, if &text[token.clone()] == ";" { token.end } else { token.start })
}

/// The end of the statement that contains an offset.
fn next_end(text: &str, from: usize) -> usize {
    text[from..].char_indices().map(|(at, _)| from + at).find(|at| is_end(text, *at)).unwrap_or(text.len())
}

/// Whether a `;` or the brace of a block is at an offset, outside of a line comment; braces of vectors and lists follow a word or comma.
fn is_end(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    if text[line..at].contains("//") {
        return false;
    }
    let before = text[..at].trim_end_matches([' ', '\t']);
    match text.as_bytes()[at] {
        b';' => true,
        b'{' => before.ends_with(['\n', ';', '{', '}', ')', ':']),
        b'}' => before.ends_with(['\n', ';', '{', '}']),
        _ => false,
    }
}

//! What one broken token says of the rest: beyond its statement no warning that the whole module lacks, and most warnings stay.
//!
//! Must not know what is in a module. A missing corpus is a failure, not a pass.

use diagnostics::{Preset, Settings, Severity, Snapshot};
use lints::Check;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, thread};
use syntax::SourceFile;

/// What is put before a token; nothing means that the token goes.
const STRAY: [&str; 14] = ["", "", "", ";", "\"", ")", "]", "[", ",", "@", "foo ", "%r1 ", ".reg ", "5 "];

/// How many tokens of a module are broken.
const TRIALS: usize = 42;

/// A finding: severity, code and place.
type Found = (Severity, &'static str, Range<usize>);

#[derive(Default)]
struct Tally {
    trials: usize,
    /// Warnings of whole modules that do not lie in the broken statement, and how many of them stay.
    warnings: usize,
    kept: usize,
    /// Warnings that the whole module does not have, beyond the broken statement.
    false_warnings: Vec<String>,
}

#[test]
fn one_broken_token_says_nothing_false_of_other_statements() {
    let modules = sample();
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let parts = modules.chunks(modules.len().div_ceil(4));
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().map(|path| spoil(path)).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let sum = |count: fn(&Tally) -> usize| tallies.iter().map(count).sum::<usize>();
    let (trials, warnings, kept) = (sum(|tally| tally.trials), sum(|tally| tally.warnings), sum(|tally| tally.kept));
    let warned: Vec<&str> = tallies.iter().flat_map(|tally| &tally.false_warnings).map(String::as_str).collect();
    println!("{trials} trials, {kept} of {warnings} warnings kept, {} false", warned.len());
    assert!(trials >= 500, "only {trials} trials");
    assert!(warned.is_empty(), "{} false warnings:\n{}", warned.len(), warned[..warned.len().min(30)].join("\n"));
    assert!(kept * 10 >= warnings * 7, "only {kept} of {warnings} warnings stay");
}

/// Fixtures, and some modules of every generator, neither tiny nor huge.
fn sample() -> Vec<PathBuf> {
    let folder = support::root().join("tests/.tools/corpus");
    let small = |path: &PathBuf| path.metadata().is_ok_and(|data| data.len() < 60_000);
    let mut corpus = modules(&folder);
    corpus.retain(small);
    let step = corpus.len().div_ceil(30).max(1);
    let fixtures = ["rules", "users", "seeds"].map(|name| support::root().join("tests/fixtures").join(name));
    fixtures.iter().flat_map(|folder| modules(folder)).filter(small).chain(corpus.into_iter().step_by(step)).collect()
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

fn warnings(file: SourceFile) -> Vec<Found> {
    let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
    let found = Snapshot::new(file, settings).findings();
    let found = found.into_iter().filter(|finding| finding.severity != Severity::Error);
    found.map(|finding| (finding.severity, finding.code(), finding.range)).collect()
}

fn spoil(path: &Path) -> Tally {
    let mut tally = Tally::default();
    let text = fs::read_to_string(path).expect("the corpus is readable");
    let file = SourceFile::parse(&text);
    if file.has_syntax_error() {
        return tally;
    }
    let whole: HashSet<Found> = warnings(file).into_iter().collect();
    let tokens = tokens(&text);
    let mut state = text.len() as u64;
    for trial in 0..TRIALS {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let token = tokens[(state >> 33) as usize % tokens.len()].clone();
        let stray = STRAY[trial % STRAY.len()];
        let gone = if stray.is_empty() { token.clone() } else { token.start..token.start };
        let mut spoiled = text.clone();
        spoiled.replace_range(gone.clone(), stray);
        let file = SourceFile::parse(&spoiled);
        if !file.has_syntax_error() {
            continue;
        }
        tally.trials += 1;
        let statement = statement(&text, &token);
        let back = |at: usize| if at >= gone.start + stray.len() { at + gone.len() - stray.len() } else { at };
        let found: HashSet<Found> = warnings(file)
            .into_iter()
            .map(|(severity, code, range)| (severity, code, back(range.start)..back(range.end)))
            .collect();
        let outside = |found: &&Found| !(found.2.start <= statement.end && statement.start <= found.2.end);
        for extra in found.difference(&whole).filter(outside) {
            let line = text[..extra.2.start.min(text.len())].matches('\n').count() + 1;
            let at = text[..token.start].matches('\n').count() + 1;
            let shown = &text[token.clone()];
            let what = format!("{}:{at}: {stray:?} for {shown:?}: {} in line {line}", path.display(), extra.1);
            tally.false_warnings.push(what);
        }
        let warnings = whole.iter().filter(outside);
        let kept = warnings.clone().filter(|warning| found.contains(*warning)).count();
        (tally.warnings, tally.kept) = (tally.warnings + warnings.count(), tally.kept + kept);
    }
    tally
}

/// The words and signs of functions, comments left out.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_$%.".contains(c);
    let begin = text.find('{').unwrap_or(0);
    let (mut found, mut at) = (Vec::new(), begin);
    while let Some(next) = text[at..].chars().next() {
        let end = match next {
            '/' if text[at..].starts_with("//") => at + text[at..].find('\n').unwrap_or(text.len() - at),
            _ if is_word(next) => at + text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at),
            _ => at + next.len_utf8(),
        };
        if !next.is_whitespace() && !text[at..end].starts_with("//") && !matches!(next, '{' | '}') {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// The statement around a token, and those beside it that it runs into without its `;`.
fn statement(text: &str, token: &Range<usize>) -> Range<usize> {
    let ends = |c: char| matches!(c, ';' | '}') || c == '{';
    let start = text[..token.start].rfind(ends).map_or(0, |at| at + 1);
    let mut end = text[token.start..].find(ends).map_or(text.len(), |at| token.start + at);
    if &text[token.clone()] == ";" {
        end = text[token.end..].find(ends).map_or(text.len(), |at| token.end + at);
    }
    start..end
}

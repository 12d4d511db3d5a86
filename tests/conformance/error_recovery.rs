//! Error recovery: after one mutated token in compiler output, at least 99 of 100 other statements keep their nodes.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::{fs, thread};
use support::{Rng, pick};
use tree_sitter::{Parser, Tree};

/// What is put before a token; nothing means that the token goes.
const STRAY: [&str; 17] =
    ["", "}", "{", ";", "\"", ")", "]", "[", ",", "@", "/*", "? ", "foo ", "%r1 ", ".reg ", "5 ", ":"];
const TRIALS: usize = 3 * STRAY.len();

#[test]
fn a_mutated_token_affects_at_most_1_percent_of_other_statements() {
    let modules = sample();
    let runs: Vec<Vec<Trial>> = thread::scope(|scope| {
        let threads: Vec<_> =
            modules.iter().enumerate().map(|(seed, path)| scope.spawn(move || mutate(path, seed as u64 + 1))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let trials = runs.concat();
    assert!(trials.len() >= 1000, "only {} trials", trials.len());
    let share = |trial: &Trial| trial.lost as f64 / trial.others as f64;
    let mean = trials.iter().map(share).sum::<f64>() / trials.len() as f64;
    let dear: Vec<_> = trials.iter().filter(|trial| share(trial) > 0.01).collect();
    let shown: Vec<_> = dear.iter().take(10).map(|trial| trial.what.as_str()).collect();
    assert!(mean < 0.002, "{mean:.4} of the other statements are lost in the mean: {shown:#?}");
    assert!(dear.len() * 40 < trials.len(), "{} of {} trials cost more than 1 %: {shown:#?}", dear.len(), trials.len());
}

/// One token mutated.
#[derive(Clone)]
struct Trial {
    /// The module, the place and what came in.
    what: String,
    /// Statements whose nodes are gone, the mutated one left out.
    lost: usize,
    /// Statements of the module, the mutated one left out.
    others: usize,
}

/// Some modules of every generator, neither tiny nor huge.
fn sample() -> Vec<PathBuf> {
    let folder = support::root().join("tests/.tools/corpus");
    let mut modules: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}: run tests/install and tests/corpus/generate.py", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .filter(|path| path.metadata().is_ok_and(|data| (10_000..60_000).contains(&data.len())))
        .collect();
    modules.sort();
    let step = modules.len().div_ceil(24).max(1);
    modules.into_iter().step_by(step).collect()
}

fn mutate(path: &PathBuf, seed: u64) -> Vec<Trial> {
    let mut parser = Parser::new();
    parser.set_language(&grammar::LANGUAGE.into()).expect("the grammar fits the library");
    let text = fs::read(path).expect("the corpus is readable");
    let tree = parser.parse(&text, None).expect("a tree");
    let (before, tokens) = statements(&tree, &text);
    let others = before.values().sum::<usize>().saturating_sub(1);
    if others < 100 {
        return Vec::new();
    }
    let mut rng = Rng::with_seed(seed);
    let mut trials = Vec::new();
    for trial in 0..TRIALS {
        let token = pick(&mut rng, &tokens).clone();
        let stray = STRAY[trial % STRAY.len()];
        let mut mutated = text.clone();
        let gone = if stray.is_empty() { token.clone() } else { token.start..token.start };
        mutated.splice(gone, stray.bytes());
        let tree = parser.parse(&mutated, None).expect("a tree");
        let (after, _) = statements(&tree, &mutated);
        let lost: usize =
            before.iter().map(|(text, count)| count.saturating_sub(after.get(text).copied().unwrap_or(0))).sum();
        let lost = lost.saturating_sub(1);
        let what = format!("{}: {stray:?} at {}: {lost} of {others} lost", path.display(), token.start);
        trials.push(Trial { what, lost, others });
    }
    trials
}

/// The texts of the statements, labels and names of functions that hold no error, how often each occurs, and all tokens.
fn statements(tree: &Tree, text: &[u8]) -> (HashMap<Vec<u8>, usize>, Vec<Range<usize>>) {
    let (mut found, mut tokens) = (HashMap::new(), Vec::new());
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kept = match node.kind() {
            "instruction" | "label" | "register_declaration" | "variable_declaration" | "loc_directive" => Some(node),
            "function" => node.child_by_field_name("name"),
            _ => None,
        };
        if let Some(node) = kept.filter(|node| !node.has_error()) {
            *found.entry(text[node.byte_range()].to_vec()).or_default() += 1;
        }
        if node.child_count() == 0 && !node.byte_range().is_empty() {
            tokens.push(node.byte_range());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (found, tokens);
            }
        }
    }
}

//! Every fuzz target on its corpus and on mutations of it with a fixed seed: a short version of `tests/fuzz/run`.

mod targets;

use std::panic::catch_unwind;
use std::path::Path;
use support::{Rng, pick};
use targets::ALL;

/// Maximum size of the corpus, in bytes.
const KEPT: u64 = 300 << 10;

/// Number of mutations per target.
const MUTATIONS: usize = 1_000;

/// Maximum length of an input, in bytes.
const LONGEST: usize = 4096;

fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = support::root().join("tests/fuzz/corpus").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found: Vec<_> = files
        .map(|file| file.expect("an entry").path())
        .map(|path| (path.file_name().expect("has a name").to_string_lossy().into_owned(), read(&path)))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{target} has no corpus");
    found
}

/// The words of `tokens.dict`.
fn words() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(support::root().join("tests/fuzz/tokens.dict")).expect("the words");
    let quoted = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted.map(|word| word.replace("\\\"", "\"").replace("\\\\", "\\").into_bytes()).collect()
}

/// A mutation of an input, with parts of others and words of the dictionary.
fn mutated(rng: &mut Rng, corpus: &[(String, Vec<u8>)], words: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = pick(rng, corpus).1.clone();
    for _ in 0..=rng.usize(..6) {
        let at = rng.usize(..bytes.len() + 1);
        let end = (at + rng.usize(..24)).min(bytes.len());
        match rng.usize(..7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.usize(..8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let again = bytes[at..end].repeat(1 + rng.usize(..8));
                bytes.splice(at..at, again);
            }
            3 => {
                let other = &pick(rng, corpus).1;
                let from = rng.usize(..other.len() + 1);
                let part = other[from..(from + rng.usize(..200)).min(other.len())].to_vec();
                bytes.splice(at..end, part);
            }
            4 => bytes.insert(at, rng.usize(..256) as u8),
            _ => drop(bytes.splice(at..end, pick(rng, words).clone())),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Runs a target, and shows the input if it panics.
fn must_survive(name: &str, run: fn(&[u8]), bytes: &[u8], whence: &str) {
    assert!(catch_unwind(|| run(bytes)).is_ok(), "{name} breaks on {whence}: {}", bytes.escape_ascii());
}

fn replay(name: &str) {
    let (_, run) = ALL.into_iter().find(|(known, _)| *known == name).expect("is a fuzz target");
    let (corpus, words) = (corpus(name), words());
    for (file, bytes) in &corpus {
        must_survive(name, run, bytes, file);
    }
    // These begin and end a server each time, or execute a kernel.
    let often = if ["protocol", "dap", "run", "check"].contains(&name) { MUTATIONS / 5 } else { MUTATIONS };
    let mut rng = Rng::with_seed(0x000f_022e + name.len() as u64);
    for round in 0..often {
        must_survive(name, run, &mutated(&mut rng, &corpus, &words), &format!("mutation {round}"));
    }
}

#[test]
fn grammar() {
    replay("grammar");
}

#[test]
fn lint() {
    replay("lint");
}

#[test]
fn edits() {
    replay("edits");
}

#[test]
fn protocol() {
    replay("protocol");
}

#[test]
fn configuration() {
    replay("configuration");
}

#[test]
fn litmus() {
    replay("litmus");
}

#[test]
fn evaluation() {
    replay("evaluation");
}

#[test]
fn cuda() {
    replay("cuda");
}

#[test]
fn python() {
    replay("python");
}

#[test]
fn hosts() {
    replay("hosts");
}

#[test]
fn sass() {
    replay("sass");
}

#[test]
fn run() {
    replay("run");
}

#[test]
fn check() {
    replay("check");
}

#[test]
fn dap() {
    replay("dap");
}

#[test]
fn the_corpus_is_small_and_whole() {
    let sizes = ALL.map(|(name, _)| corpus(name).iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>());
    let all: u64 = sizes.iter().sum();
    assert!(all <= KEPT, "{all} bytes: minimize it, see tests/fuzz/README.md");
}

/// Otherwise `run` and `check` would look at nothing.
#[test]
fn kernels_of_the_corpus_can_be_launched() {
    for (name, bytes) in corpus("run").into_iter().chain(corpus("check")) {
        let text = String::from_utf8(bytes[1..].to_vec()).expect("is text");
        let launched = targets::kernel::launched(bytes[0], &text);
        assert!(launched.is_some_and(|launched| !launched.kernels.is_empty()), "{name}");
    }
}

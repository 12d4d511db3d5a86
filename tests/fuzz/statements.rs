//! Texts of the fixtures and the corpus with lines removed, repeated and exchanged, names changed and numbers made large, through fuzz targets: no
//! panic, and what a target asserts holds. Most such texts are still syntactically right, so they reach what mutations of bytes do not.
//!
//! `PTX_ATOMICS_STATEMENT_MUTATIONS` gives the number of mutations of each text, and `PTX_ATOMICS_SEED` another seed.

mod targets;

use std::panic::catch_unwind;
use std::path::Path;
use support::{Rng, pick};
use targets::ALL;

/// The longest text, in bytes: a long one costs as much as many short ones.
const LONGEST: usize = 12 << 10;

/// The mutations of each text.
const FEW: usize = 1;

/// The same with `tests/run --full`.
const MANY: usize = 100;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number: {value}")))
}

/// The texts below a folder whose names end so, in order.
fn texts(folder: &Path, ending: &str, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            texts(&path, ending, found);
        } else if path.extension().is_some_and(|own| own == ending)
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.len() <= LONGEST
        {
            found.push(text);
        }
    }
}

/// The texts of the corpus of a target, without the byte that chooses settings.
fn kept(target: &str, found: &mut Vec<String>) {
    let folder = support::root().join("tests/fuzz/corpus").join(target);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("a corpus").map(|file| file.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let bytes = std::fs::read(&path).expect("is there");
        found.extend(bytes.get(1..).and_then(|rest| String::from_utf8(rest.to_vec()).ok()));
    }
}

/// The names in a text: what begins with a letter, `%`, `$` or `_`.
fn names(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        let begins = byte.is_ascii_alphabetic() || matches!(byte, b'%' | b'$' | b'_');
        match start {
            None if begins => start = Some(at),
            Some(from) if !begins && !byte.is_ascii_digit() => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Puts one name of a text in the place of another, or makes it unknown.
fn renamed(rng: &mut Rng, text: &str) -> String {
    let names = names(text);
    if names.is_empty() {
        return text.to_owned();
    }
    let (from, to) = *pick(rng, &names);
    let other = *pick(rng, &names);
    let new = if rng.usize(..3) == 0 { "$nowhere" } else { &text[other.0..other.1] };
    format!("{}{new}{}", &text[..from], &text[to..])
}

/// Numbers at the borders of 32 and 64 bits, which sums and products of sizes must survive.
const LARGE: [&str; 8] = [
    "0",
    "-1",
    "2147483648",
    "4294967295",
    "1000000000000",
    "9223372036854775807",
    "0x8000000000000000",
    "18446744073709551615",
];

/// The decimal numbers in a text that are not part of a name.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut before = b' ';
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'$' | b'_' | b'.');
        match start {
            None if byte.is_ascii_digit() && !is_word(before) => start = Some(at),
            Some(from) if !byte.is_ascii_digit() => {
                if !is_word(byte) {
                    found.push((from, at));
                }
                start = None;
            }
            _ => {}
        }
        before = byte;
    }
    found
}

/// Puts a large number in the place of one to four numbers of a text.
fn enlarged(rng: &mut Rng, text: &str) -> String {
    let mut text = text.to_owned();
    let large = *pick(rng, &LARGE);
    for _ in 0..=rng.usize(..4) {
        let numbers = numbers(&text);
        if numbers.is_empty() {
            break;
        }
        let (from, to) = *pick(rng, &numbers);
        text.replace_range(from..to, large);
    }
    text
}

/// A text after one to three changes of lines, names and numbers.
fn mutated(rng: &mut Rng, text: &str, others: &[String]) -> String {
    let mut text = text.to_owned();
    for _ in 0..=rng.usize(..3) {
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            break;
        }
        let (at, other) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
        match rng.usize(..8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at]),
            2 => lines.swap(at, other),
            3 => {
                let foreign: Vec<&str> = pick(rng, others).lines().collect();
                if !foreign.is_empty() {
                    let line: &str = foreign[rng.usize(..foreign.len())];
                    lines.insert(at, line);
                }
            }
            4 | 5 => {
                text = renamed(rng, &text);
                continue;
            }
            _ => {
                text = enlarged(rng, &text);
                continue;
            }
        }
        text = lines.join("\n") + "\n";
    }
    text
}

/// Gives mutations of all texts to targets.
fn must_survive(names: &[&str], texts: &[String]) {
    assert!(!texts.is_empty());
    let often = setting("PTX_ATOMICS_STATEMENT_MUTATIONS").map(|count| count as usize);
    let often = often.unwrap_or(if support::full() { MANY } else { FEW });
    let targets: Vec<_> = ALL.into_iter().filter(|(name, _)| names.contains(name)).collect();
    assert_eq!(targets.len(), names.len());
    let mut rng = Rng::with_seed(setting("PTX_ATOMICS_SEED").unwrap_or(0x5747));
    let mut failed = Vec::new();
    for text in texts {
        for _ in 0..often {
            // Every rule, under one choice of targets or another.
            let choice = rng.usize(..256) as u8 & 0xfc;
            let bytes = [&[choice], mutated(&mut rng, text, texts).as_bytes()].concat();
            for (name, run) in &targets {
                if catch_unwind(|| run(&bytes)).is_err() {
                    failed.push(format!("{name} breaks on: {}", bytes.escape_ascii()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn modules_of_ptx() {
    let mut all = Vec::new();
    texts(&support::root().join("tests/fixtures"), "ptx", &mut all);
    kept("lint", &mut all);
    must_survive(&["lint", "run", "check"], &all);
}

#[test]
fn sources_of_other_languages() {
    let (fixtures, own) = (support::root().join("tests/fixtures"), support::root().join("tests/corpus/own"));
    for (target, ending) in [("cuda", "cu"), ("python", "py"), ("sass", "sass")] {
        let mut all = Vec::new();
        texts(&fixtures, ending, &mut all);
        texts(&own, ending, &mut all);
        kept(target, &mut all);
        must_survive(&[target], &all);
    }
}

#[test]
fn litmus_tests() {
    let mut all = Vec::new();
    texts(&support::root().join("tests/litmus"), "litmus", &mut all);
    // No byte chooses settings here: the one in front becomes a part of the first line.
    must_survive(&["litmus"], &all);
}

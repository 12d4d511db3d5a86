//! Every modifier word: the slot it fills and what it means, in our own words.
//!
//! Also words that belong to no instruction here but that people try, with advice.

use std::sync::LazyLock;

/// A word, its slot and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct WordEntry {
    /// The word, without a dot.
    pub word: &'static str,
    /// The slot it fills: `sem`, `scope`, `space`, `op`, `type`, …
    pub slot: &'static str,
    /// What it means, in one or two sentences.
    pub summary: &'static str,
}

/// Slot by slot: the name of the slot and what it is called in messages, then its words. `{…}` in the meaning of an
/// operation is its formula.
const WORDS: &str = include_str!("../tables/modifiers.rows");

/// Words that are legal on nothing here, by slot: `= …` names ours that people mean by it; then what to do instead.
const FOREIGN: &str = include_str!("../tables/foreign_modifiers.rows");

/// Words that arithmetic has, and that people also try on atomics, where [`FOREIGN`] advises against them.
const ARITHMETIC: &str = include_str!("../tables/arithmetic_modifiers.rows");

/// Words of matrix instructions. `#` is any number.
const MATRIX: &str = include_str!("../tables/matrix_modifiers.rows");

static OF_ARITHMETIC: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(ARITHMETIC));
static OF_MATRICES: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(MATRIX));
static OURS: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(WORDS));
static THEIRS: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(FOREIGN));

fn read(text: &'static str) -> Vec<WordEntry> {
    let mut slot = "";
    let mut entries = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            None => slot = line.split(':').next().unwrap_or(line),
            Some(line) => {
                let (word, summary) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                entries.push(WordEntry { word, slot, summary: summary.trim() });
            }
        }
    }
    entries
}

/// The words of PTX, by slot.
pub fn entries() -> &'static [WordEntry] {
    &OURS
}

/// The entry of a word of PTX.
pub fn entry(word: &str) -> Option<&'static WordEntry> {
    OURS.iter().find(|entry| entry.word == word)
}

/// The entry of a word of any instruction, including arithmetic and matrices.
pub(crate) fn documented(word: &str) -> Option<&'static WordEntry> {
    let named = |entry: &&WordEntry| matches_pattern(entry.word, word);
    entry(word).or_else(|| OF_ARITHMETIC.iter().chain(&*OF_MATRICES).find(named))
}

/// The entries of a word of any instruction, one for each meaning.
pub(crate) fn documented_meanings(word: &str) -> impl Iterator<Item = &'static WordEntry> {
    let all = OURS.iter().chain(&*OF_ARITHMETIC).chain(&*OF_MATRICES);
    all.filter(move |entry| matches_pattern(entry.word, word) && !entry.summary.is_empty())
}

/// Whether a word is the pattern with a number in place of each `#`.
fn matches_pattern(pattern: &str, word: &str) -> bool {
    let mut rest = word;
    let mut parts = pattern.split('#');
    let Some(start) = parts.next().and_then(|start| rest.strip_prefix(start)) else { return false };
    rest = start;
    for part in parts {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        match number.strip_prefix(part) {
            Some(after) if number.len() < rest.len() => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

/// The entry of a word that PTX does not have but people write.
pub fn foreign(word: &str) -> Option<&'static WordEntry> {
    THEIRS.iter().find(|entry| entry.word == word)
}

/// The slot of a word of PTX.
pub(crate) fn slot_of(word: &str) -> Option<&'static str> {
    entry(word).map(|entry| entry.slot)
}

/// What a slot is called in a message.
pub fn title(slot: &str) -> &'static str {
    let titled = |text: &'static str| {
        text.lines().find_map(|line| line.split_once(": ").filter(|(name, _)| *name == slot)).map(|(_, title)| title)
    };
    titled(WORDS)
        .or_else(|| titled(ARITHMETIC))
        .or_else(|| titled(MATRIX))
        .or_else(|| titled(FOREIGN))
        .unwrap_or("modifier")
}

/// For a word that PTX does not have: the PTX words with that meaning, and the advice.
pub(crate) fn advice(entry: &'static WordEntry) -> (impl Iterator<Item = &'static str>, &'static str) {
    let (alias, summary) = match entry.summary.strip_prefix("= ") {
        Some(rest) => rest.split_once('.').unwrap_or((rest, "")),
        None => ("", entry.summary),
    };
    (alias.split(' ').filter(|word| !word.is_empty()), summary.trim())
}

/// The number of elements of a vector word.
pub(crate) fn lanes(word: &str) -> Option<u8> {
    word.strip_prefix('v')?.parse().ok()
}

/// The meaning of a word, without a formula; empty if PTX does not have it.
pub fn summary(word: &str) -> &'static str {
    documented(word).map_or("", |entry| formula(entry).0)
}

/// The formula of an operation with `d` for the old value, such as `*a = d + b`; else the description.
pub(crate) fn formula(entry: &WordEntry) -> (&'static str, Option<&'static str>) {
    match entry.summary.split_once(" {") {
        Some((summary, formula)) => (summary, formula.strip_suffix('}')),
        None => (entry.summary, None),
    }
}

/// What an operation requires of its type, as half a sentence: "requires a bit type".
pub(crate) fn type_requirement(op: &str) -> &'static str {
    match op {
        "and" | "or" | "xor" | "exch" | "cas" => "requires a bit type",
        "inc" | "dec" => "requires an unsigned 32-bit integer",
        "add" | "min" | "max" => "requires a numeric type",
        _ => "does not support every type",
    }
}

/// An older word that includes the guarantee of this one.
pub(crate) fn wider(word: &str) -> Option<&'static str> {
    match word {
        "cluster" => Some("gpu"),
        "shared::cta" => Some("shared"),
        _ => None,
    }
}

/// What to write on targets that do not have a slot yet.
pub(crate) fn fallback(slot: &str) -> Option<&'static str> {
    match slot {
        "sem" => Some("on older targets, write `membar` before or after the atomic"),
        "scope" => Some("without a scope, the scope is the whole GPU"),
        "hint" => Some("remove the hint and its operand, which do not change the result"),
        _ => None,
    }
}

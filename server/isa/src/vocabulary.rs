//! Every modifier word: the slot it fills and what it means, in our own words.
//!
//! Also words that belong to no instruction here but that people try, with advice.

use crate::tables::form::{Family, OperandList};
use std::collections::HashMap;
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

/// What words mean on some instructions, where that is not what they mean elsewhere: the instructions, then their words.
const OF_FAMILIES: &str = include_str!("../tables/family_modifiers.rows");

static OF_ARITHMETIC: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(ARITHMETIC));
static OF_MATRICES: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(MATRIX));
static OF_CERTAIN_FAMILIES: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(OF_FAMILIES));
static OURS: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(WORDS));
static THEIRS: LazyLock<Vec<WordEntry>> = LazyLock::new(|| read(FOREIGN));

/// The entries by family and word.
static BY_FAMILY: LazyLock<HashMap<(&str, &str), &WordEntry>> = LazyLock::new(|| {
    let each = |entry: &'static WordEntry| entry.slot.split(' ').map(move |family| ((family, entry.word), entry));
    OF_CERTAIN_FAMILIES.iter().flat_map(each).collect()
});

/// The words without a pattern, by slot and word.
static BY_SLOT: LazyLock<HashMap<(&str, &str), &WordEntry>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    for entry in all().filter(|entry| !entry.summary.is_empty()) {
        found.entry((entry.slot, entry.word)).or_insert(entry);
    }
    found
});

/// The first entry of each word.
static BY_WORD: LazyLock<HashMap<&str, &WordEntry>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    all().for_each(|entry| _ = found.entry(entry.word).or_insert(entry));
    found
});

/// The words of PTX by themselves. Every start asks for hundreds of them.
static OURS_BY_WORD: LazyLock<HashMap<&str, &WordEntry>> = LazyLock::new(|| {
    let mut found = HashMap::with_capacity(OURS.len());
    OURS.iter().for_each(|entry| _ = found.entry(entry.word).or_insert(entry));
    found
});

/// What the slots are called.
static TITLES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    for text in [WORDS, ARITHMETIC, MATRIX, FOREIGN] {
        let titled = text.lines().filter_map(|line| line.split_once(": "));
        titled.for_each(|(slot, title)| _ = found.entry(slot).or_insert(title));
    }
    found
});

/// All words that an instruction has.
fn all() -> impl Iterator<Item = &'static WordEntry> {
    OURS.iter().chain(&*OF_ARITHMETIC).chain(&*OF_MATRICES)
}

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
    OURS_BY_WORD.get(word).copied()
}

/// The entry of a word of any instruction, including arithmetic and matrices.
pub(crate) fn documented(word: &str) -> Option<&'static WordEntry> {
    let named = |entry: &&WordEntry| matches_pattern(entry.word, word);
    BY_WORD.get(word).copied().or_else(|| all().find(named))
}

/// What a word means on an instruction, without a formula: what it means there only, in its slot, or anywhere. Empty if no instruction has it.
pub(crate) fn meaning(family: &Family, word: &str) -> &'static str {
    let slots = family.all(word).map(|id| family.slots[family.words[id].slot].name);
    let of_slot = || slots.filter_map(|slot| BY_SLOT.get(&(slot, word)).copied()).next();
    let entry = BY_FAMILY.get(&(family.name, word)).copied().or_else(of_slot);
    entry.map_or_else(|| summary(word), |entry| formula(entry).0)
}

/// The formula of an operation on an instruction; `None` if it does not access memory, or if the word means something else there.
pub(crate) fn formula_on(family: &Family, word: &str) -> Option<&'static str> {
    let accesses = || family.forms.iter().any(|form| form.operand_lists.iter().any(OperandList::has_address));
    if BY_FAMILY.contains_key(&(family.name, word)) || !accesses() { None } else { formula(documented(word)?).1 }
}

/// The meanings that a word has on some instructions only; their slots are the names of these.
pub(crate) fn meanings_of_families(word: &str) -> impl Iterator<Item = &'static WordEntry> {
    OF_CERTAIN_FAMILIES.iter().filter(move |entry| entry.word == word)
}

/// The entries of a word of any instruction, one for each meaning.
pub(crate) fn documented_meanings(word: &str) -> impl Iterator<Item = &'static WordEntry> {
    all().filter(move |entry| matches_pattern(entry.word, word) && !entry.summary.is_empty())
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
    TITLES.get(slot).copied().unwrap_or("modifier")
}

/// What a slot is called on a page, where the slots that messages call "modifier" have names, too.
pub(crate) fn heading(slot: &str) -> &'static str {
    match slot {
        "abs" => "absolute value",
        "bool" => "combination with a predicate",
        "dst" => "destination",
        "dst_format" => "format of the destination",
        "element" => "type of an element",
        "ftz" => "subnormal handling",
        "line" => "prefetch size",
        "memory" => "state space",
        "not_number" => "NaN handling",
        "popc" => "operation on bits",
        "primary" => "primary priority",
        "priority" => "L2 priority",
        "response" => "type",
        "secondary" => "secondary priority",
        "src" => "source",
        "src_format" => "format of the source",
        "uniform" => "uniformity",
        _ => title(slot),
    }
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

//! The names of instructions, and the closest names of a misspelt one.
//!
//! A name is a token of the assembler's lexer: `mbarrier.try_wait` is one, `mbarrier` is not. The lexer has all names in every version
//! and for every target.

mod list;

use crate::distance::{completes, edit_distance, tolerance};
use crate::spelling::Spelling;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The maximum length of a word that is looked up, in bytes. The longest name has less than half.
const LONGEST_WORD: usize = 64;

/// The maximum number of words of a name.
const LONGEST: usize = 5;

/// All lower-case words of letters up to this length were tried with the assembler, so one that is not in the list is not a modifier.
const SHORT: usize = 5;

static INSTRUCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| list::INSTRUCTIONS.split_whitespace().collect());
static MODIFIERS: LazyLock<HashSet<&str>> = LazyLock::new(|| list::MODIFIERS.split_whitespace().collect());

/// All names of instructions, in alphabetical order.
pub fn instructions() -> impl Iterator<Item = &'static str> {
    list::INSTRUCTIONS.split_whitespace()
}

/// The modifiers that consist of letters, in alphabetical order.
pub fn modifiers() -> impl Iterator<Item = &'static str> {
    list::MODIFIERS.split_whitespace()
}

/// The name that a spelling begins with, the longest.
pub fn name(spelling: &Spelling) -> Option<&'static str> {
    let mut text = String::with_capacity(40);
    let mut found = None;
    for part in words(spelling).take(LONGEST) {
        if !text.is_empty() {
            text.push('.');
        }
        // What follows two colons is no part of a name: `tcgen05.wait::ld`.
        let plain = part.split("::").next().unwrap_or(part).trim_end();
        text.push_str(plain);
        found = INSTRUCTIONS.get(&*text).copied().or(found);
        if plain != part {
            break;
        }
    }
    found
}

/// The words of a spelling, the mnemonic first, up to one that is longer than any name.
fn words<'a>(spelling: &Spelling<'a>) -> impl Iterator<Item = &'a str> {
    spelling.words().take_while(|word| word.len() <= LONGEST_WORD)
}

/// How many words at the beginning of a spelling some name begins with.
pub(crate) fn common_prefix(spelling: &Spelling) -> usize {
    let common = |name: &str| name.split('.').zip(words(spelling)).take_while(|(a, b)| a == b).count();
    instructions().map(common).max().unwrap_or(0)
}

/// The names that begin with the first words of a spelling.
pub(crate) fn with_prefix<'a>(spelling: &Spelling<'a>, count: usize) -> impl Iterator<Item = &'static str> + use<'a> {
    let start: Vec<&str> = words(spelling).take(count).collect();
    instructions().filter(move |name| {
        let mut parts = name.split('.');
        start.iter().all(|word| parts.next() == Some(word))
    })
}

/// The names of which a spelling has the first words and the beginning of the next one: of `mbarrier.try_wait` and `mbarrier.try_wait.parity` the
/// shorter one for `mbarrier.try_w`.
fn completed_names(spelling: &Spelling) -> Vec<&'static str> {
    let shared = common_prefix(spelling);
    let Some(word) = words(spelling).nth(shared).filter(|_| shared > 0) else { return Vec::new() };
    let is_completed = |name: &&str| name.split('.').nth(shared).is_some_and(|next| completes(word, next));
    let words = |name: &'static str| (name.split('.').count() as u32, name);
    nearest(with_prefix(spelling, shared).filter(is_completed).map(words))
}

/// The closest names of a misspelt one: those that it is the beginning of, or those within the tolerance.
pub(crate) fn closest_names(spelling: &Spelling) -> Vec<&'static str> {
    let completed = completed_names(spelling);
    if !completed.is_empty() {
        return completed;
    }
    let distance = |name: &'static str| {
        let meant: Vec<&str> = words(spelling).take(name.split('.').count()).collect();
        let meant = meant.join(".");
        let most = tolerance(&meant);
        // Words of very different length are too distant to be compared.
        let close = 2 * meant.len().abs_diff(name.len()) <= most as usize;
        let distance = if close { edit_distance(&meant, name) } else { u32::MAX };
        (distance <= most).then_some((distance, name))
    };
    nearest(with_prefix(spelling, common_prefix(spelling)).filter_map(distance))
}

/// The first word after an instruction's name that is not a modifier of any instruction: its index and the closest modifiers.
pub(crate) fn unknown_modifier(spelling: &Spelling, name: &str) -> Option<(usize, Vec<&'static str>)> {
    let first = name.split('.').count() - 1;
    spelling.modifiers.iter().enumerate().skip(first).find_map(|(at, word)| {
        if MODIFIERS.contains(word) || !word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_') || word.is_empty() {
            return None;
        }
        let continued = || with_prefix(spelling, at + 1).filter_map(|name| name.split('.').nth(at + 1));
        let likely = |to: &'static str| (edit_distance(word, to), to);
        let near = |(distance, _): &(u32, &str)| *distance <= tolerance(word);
        let is_completed = |to: &&'static str| completes(word, to);
        let mut found = nearest(continued().filter(is_completed).map(likely));
        if found.is_empty() {
            found = nearest(continued().map(likely).filter(near));
        }
        if found.is_empty() {
            found = nearest(modifiers().map(likely).filter(near));
        }
        if found.is_empty() {
            found = modifiers().filter(is_completed).collect();
            found.truncate(usize::from(found.len() == 1));
        }
        let short = word.len() <= SHORT && word.bytes().all(|b| b.is_ascii_lowercase());
        (short || !found.is_empty()).then_some((at, found))
    })
}

/// Those at the smallest distance, without duplicates.
fn nearest(found: impl Iterator<Item = (u32, &'static str)>) -> Vec<&'static str> {
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    found.dedup();
    let least = found.first().map(|(distance, _)| *distance);
    found.into_iter().take_while(|(distance, _)| Some(*distance) == least).map(|(_, name)| name).collect()
}

/// Whether an opcode with unknown words is certainly PTX and not the assembly of another processor: it begins with the first words of a name
/// that only PTX has, or it is one typo away from a name and has modifiers that only PTX has.
pub fn is_certainly_ptx(spelling: &Spelling) -> bool {
    let has_ptx_word = spelling.modifiers.iter().any(|word| OF_PTX.contains(word));
    match (name(spelling), common_prefix(spelling)) {
        (Some(name), _) => has_ptx_word || name.contains('.'),
        (None, 0) => {
            // Vector instructions of ARM have the names of others with a `v` before them.
            let slip = |name: &str| edit_distance(spelling.mnemonic, name.split('.').next().unwrap_or(name)) <= SLIP;
            has_ptx_word && !spelling.mnemonic.starts_with('v') && instructions().any(slip)
        }
        (None, _) => !spelling.modifiers.is_empty(),
    }
}

/// The distance of a name with two letters swapped, in half edits.
const SLIP: u32 = 4;

/// Words that only PTX has after a dot.
const OF_PTX: [&str; 18] = [
    "acq_rel",
    "b128",
    "b16",
    "b32",
    "b64",
    "cta",
    "f16x2",
    "f64",
    "global",
    "gpu",
    "pred",
    "relaxed",
    "s64",
    "shared",
    "shared::cluster",
    "shared::cta",
    "sys",
    "u64",
];

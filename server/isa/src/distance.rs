//! Edit distance of words, and the closest known word of a misspelt one.

use crate::tables::form::Family;
use crate::types::{Type, TypeKind};
use crate::vocabulary;

/// The slot of a word, or of the closest word.
pub(crate) fn closest_slot(family: &Family, text: &str) -> Option<&'static str> {
    let known = vocabulary::foreign(text).or_else(|| vocabulary::entry(text)).map(|entry| entry.slot);
    let typo = || {
        let near = family.words.iter().min_by_key(|word| edit_distance(text, word.text))?;
        (edit_distance(text, near.text) <= tolerance(text)).then(|| family.slots[near.slot].name)
    };
    let shape = || {
        let rest = text.trim_start_matches("bf").trim_start_matches(|c: char| c.is_ascii_lowercase());
        let number = rest.starts_with(|c: char| c.is_ascii_digit());
        let letter = text.chars().next()?;
        match letter {
            'v' if number => Some("vec"),
            'u' | 's' | 'b' | 'f' | 'i' | 'e' if number => Some("type"),
            _ => None,
        }
    };
    let completed = || {
        let longer = family.words.iter().filter(|word| completes(text, word.text));
        let near = longer.min_by_key(|word| edit_distance(text, word.text))?;
        Some(family.slots[near.slot].name)
    };
    known.or_else(shape).or_else(typo).or_else(completed)
}

/// The length in letters from which the beginning of a word may stand for it.
const SHORTEST_PREFIX: usize = 2;

/// Whether a text is the beginning of a longer word.
pub(crate) fn completes(text: &str, word: &str) -> bool {
    text.len() >= SHORTEST_PREFIX && text.len() < word.len() && word.starts_with(text)
}

/// The maximum number of half edits of a typo; two edits turn a short word into any other.
pub(crate) fn tolerance(text: &str) -> u32 {
    match text.len() {
        0..2 => 1,
        2..SHORT => 2,
        _ => 4,
    }
}

/// The length in letters below which a word is short.
const SHORT: usize = 6;

/// The closest known word: within the tolerance for typos, or the only one with this prefix.
pub fn closest<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let near = known.clone().min_by_key(|known| edit_distance(word, known));
    near.filter(|near| edit_distance(word, near) <= tolerance(word)).or_else(|| {
        let mut longer = known.filter(|known| word.len() >= 3 && known.starts_with(word));
        longer.next().filter(|_| longer.next().is_none())
    })
}

/// The distance between two words of a slot.
pub(crate) fn distance(slot: &str, from: &str, to: &str) -> u32 {
    if vocabulary::foreign(from).is_some_and(|entry| vocabulary::advice(entry).0.any(|word| word == to)) {
        return 0;
    }
    if completes(from, to) && vocabulary::entry(from).is_none() {
        return 1;
    }
    match slot {
        "type" => type_distance(from, to),
        "sem" => sem_distance(from, to),
        _ => 1 + edit_distance(from, to),
    }
}

/// The distance between two types, for suggestions: by width, then by kind.
fn type_distance(from: &str, to: &str) -> u32 {
    let (Some(from), Some(to)) = (Type::parse(from), Type::parse(to)) else { return 40 + edit_distance(from, to) };
    let width = from.bits().ilog2().abs_diff(to.bits().ilog2()) * 10;
    let packed = u32::from(from.packed() != to.packed()) * 2;
    let kind = match (from.kind(), to.kind()) {
        (a, b) if a == b => 0,
        (
            TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits,
            TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits,
        ) => 1,
        (TypeKind::Float, TypeKind::Bits) | (TypeKind::Bits, TypeKind::Float) => 3,
        _ => 4,
    };
    width + packed + kind
}

/// The distance between two memory orderings, for suggestions: by the guarantees that they give.
fn sem_distance(from: &str, to: &str) -> u32 {
    match (from, to) {
        ("acq_rel", "release") | ("acquire" | "release" | "weak" | "volatile", "relaxed") => 1,
        ("acq_rel", "acquire") | ("relaxed", "weak") => 2,
        ("acquire", "release") | ("acq_rel", "relaxed") => 3,
        _ => 4 + edit_distance(from, to),
    }
}

/// The maximum number of characters that a typo adds or removes.
const LONGEST_TYPO: usize = 8;

/// The distance of a typo from a word: two for each character added, removed or changed and for two swapped ones, one for wrong letter case.
pub(crate) fn edit_distance(from: &str, to: &str) -> u32 {
    if from.eq_ignore_ascii_case(to) {
        return u32::from(from != to);
    }
    // No typo is that long, and the time is quadratic.
    if from.len().abs_diff(to.len()) > LONGEST_TYPO {
        return 2 * from.len().abs_diff(to.len()) as u32;
    }
    let to: Vec<char> = to.chars().collect();
    let mut above: Vec<u32> = (0..=to.len() as u32).map(|n| n * 2).collect();
    let (mut further, mut last) = (above.clone(), None);
    for (row, a) in from.chars().enumerate() {
        let mut left = (row as u32 + 1) * 2;
        let mut diagonal = above[0];
        let before = above.clone();
        above[0] = left;
        for (column, b) in to.iter().enumerate() {
            let change = if a == *b {
                0
            } else if a.eq_ignore_ascii_case(b) {
                1
            } else {
                2
            };
            let swapped = column > 0 && last == Some(*b) && to[column - 1] == a;
            let swap = if swapped { further[column - 1] + 2 } else { u32::MAX };
            let cost = (diagonal + change).min(left + 2).min(above[column + 1] + 2).min(swap);
            diagonal = above[column + 1];
            above[column + 1] = cost;
            left = cost;
        }
        (further, last) = (before, Some(a));
    }
    above[to.len()]
}

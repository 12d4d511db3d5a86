//! Completion of modifiers: the words that some legal instruction has besides all words so far.

use crate::matching::{OpcodeCompleteness, ParsedSpelling};
use crate::since::Since;
use crate::spelling::Spelling;
use crate::tables::form::{Family, FormRow, Pair};
use crate::tables::table;
use crate::tables::table::TableEntry;
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::{opcode, vocabulary};

/// A word that may come next.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The word, without a dot.
    pub word: &'static str,
    /// The slot that it fills; `opcode` for the second half of a mnemonic such as `multimem.red`.
    pub slot: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// The smallest requirement of an instruction with it, if the module does not satisfy it.
    pub requires: Option<Since>,
    /// Whether the instruction is legal as soon as the word is there.
    pub finishes: bool,
    /// Whether the instruction is incomplete without a word of this slot.
    pub required: bool,
}

/// The words that may follow: first those that the instruction still requires or that people mostly write, in the order of the slots, then optional
/// ones, then those that are written before a word of the prefix, last those that the module does not support.
/// Empty if the opcode is unknown, or if no instruction has all words of the prefix.
pub fn complete(prefix: &Spelling, module: &Module) -> Vec<Candidate> {
    let mut found = opcode::begun(prefix).map_or(Vec::new(), |family| modifiers(family, prefix, module));
    // Words that make another instruction of a whole one come after its own.
    let first = (SlotUse::Usual, if found.is_empty() { 0 } else { usize::MAX });
    found.extend(opcodes(prefix).map(|(word, family)| (first, opcode(word, family, prefix, module))));
    found.sort_by_key(|(rank, candidate)| {
        let words = (shape(candidate.word), usage(candidate.word), order(candidate.word));
        (candidate.requires.is_some(), *rank, words)
    });
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How a slot is used in an instruction whose first words are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SlotUse {
    /// Required, or mostly written: semantics, scope and space.
    Usual,
    /// Optional.
    Optional,
    /// Its words are written before one of the prefix.
    Past,
}

/// The slots of the order of an access and of its memory, in their order. Not all forms have all of them.
const MEMORY: [&str; 3] = ["sem", "scope", "space"];

/// The use of a slot, and its place among those with the same use. Most accesses that are not atomic have a space only.
fn slot_use(family: &Family, slot: usize, required: bool, prefix: WordSet) -> (SlotUse, usize) {
    let name = family.slots[slot].name;
    let memory = MEMORY.iter().position(|known| *known == name);
    let place = 1 + memory.unwrap_or_else(|| MEMORY.len() + rank(family, slot));
    let mut written = (0..family.slots.len()).filter(|other| family.slots[*other].words.intersects(prefix));
    let is_first = written.clone().next().is_none();
    let is_past = written.any(|other| other != slot && precedes(family, slot, other));
    match required || memory.is_some() {
        _ if is_past => (SlotUse::Past, place),
        true if is_first && name == "space" && !family.is_atomic() => (SlotUse::Usual, 0),
        true => (SlotUse::Usual, place),
        false => (SlotUse::Optional, place),
    }
}

/// Whether a slot is before another one in a form with both.
fn precedes(family: &Family, slot: usize, other: usize) -> bool {
    family.forms.iter().any(|form| {
        let place = |wanted: usize| form.slots.iter().position(|slot| *slot == wanted);
        place(slot).zip(place(other)).is_some_and(|(slot, other)| slot < other)
    })
}

/// The modifiers of a family that may follow, each with the use of its slot.
fn modifiers(family: &'static Family, prefix: &Spelling, module: &Module) -> Vec<((SlotUse, usize), Candidate)> {
    let parsed = ParsedSpelling::new(family, *prefix);
    if !parsed.clean {
        return Vec::new();
    }
    let required = required(family, parsed.words);
    let mut found = Vec::new();
    for (id, word) in family.words.iter().enumerate() {
        let with = parsed.words | WordSet::of(id);
        if parsed.words == with || family.ignored.contains(id) {
            continue;
        }
        // The first of two such words fills the first slot.
        let first = family.find(word.text).filter(|first| *first != id);
        if first.is_some_and(|first| !parsed.words.intersects(family.slots[family.words[first].slot].words)) {
            continue;
        }
        // Not a word that the assembler requires before a given one, and not one that it requires after a word that is still
        // missing.
        let out_of_order = |pair: &Pair| {
            pair.left.contains(id) && pair.right.intersects(parsed.words)
                || pair.right.contains(id)
                    && !pair.left.intersects(parsed.words)
                    && pair.left.intersects(self::required(family, with))
        };
        if family.orders.iter().any(out_of_order) {
            continue;
        }
        let Some(since) = least(family, with, module) else { continue };
        let slot = family.slots[word.slot].name;
        let summary = vocabulary::meaning(family, word.text);
        let finishes = family.matches(with).any(|(_, since)| !module.is_past(&since));
        let requires = (!module.supports(&since)).then_some(since);
        let required = required.contains(id);
        found.push((
            slot_use(family, word.slot, required, parsed.words),
            Candidate { word: word.text, slot, summary, requires, finishes, required },
        ));
    }
    found
}

/// The words of the slots that every row with these words still requires.
fn required(family: &Family, words: WordSet) -> WordSet {
    let is_required = |row: &&FormRow, slot: usize| {
        row.places.iter().any(|place| place.slot == slot && place.required && !words.intersects(place.words))
    };
    let rows: Vec<&FormRow> = family.rows.iter().filter(|row| words.is_subset(row.allowed)).collect();
    let slots = family.slots.iter().enumerate().filter(|(slot, _)| rows.iter().all(|row| is_required(row, *slot)));
    slots.fold(WordSet::EMPTY, |all, (_, slot)| all | slot.words)
}

/// The next words of opcodes that are longer than the written one, each once, with the first family of that name.
fn opcodes(prefix: &Spelling) -> impl Iterator<Item = (&'static str, &'static Family)> {
    let (mut seen, length) = (Vec::new(), prefix.modifiers.len());
    let fits = |entry: &&TableEntry| {
        let mut words = entry.name.split('.').skip(1);
        prefix.modifiers.iter().all(|word| words.next() == Some(*word))
    };
    let fitting: Vec<_> = table::of_mnemonic(prefix.mnemonic).iter().filter(fits).collect();
    fitting.into_iter().filter_map(move |entry| {
        let word = entry.name.split('.').nth(length + 1).filter(|word| !seen.contains(word))?;
        seen.push(word);
        Some((word, entry.family()))
    })
}

/// An opcode's next word, with the smallest requirement of its instructions.
fn opcode(word: &'static str, family: &'static Family, prefix: &Spelling, module: &Module) -> Candidate {
    let mut modifiers = prefix.modifiers.to_vec();
    modifiers.push(word);
    let spelling = Spelling { mnemonic: prefix.mnemonic, modifiers: &modifiers };
    let least = family.rows.iter().map(|row| row.since).min_by_key(|since| (!module.supports(since), since.order()));
    Candidate {
        word,
        slot: "opcode",
        summary: family.summary,
        requires: least.filter(|since| !module.supports(since)),
        finishes: crate::is_legal(&spelling, &Module::default()) == Some(true),
        required: true,
    }
}

/// The smallest requirement of a legal instruction with all these words, one that the module satisfies if possible. `None` if no
/// instruction has them.
fn least(family: &'static Family, words: WordSet, module: &Module) -> Option<Since> {
    if !family.coherent(words, OpcodeCompleteness::Partial) {
        return None;
    }
    let mut best: Option<Since> = None;
    for row in family.rows.iter().filter(|row| words.is_subset(row.allowed)) {
        // What the row still requires, and what the words so far require.
        let mut gaps: Vec<WordSet> =
            row.places.iter().filter(|p| p.required && !words.intersects(p.words)).map(|place| place.words).collect();
        let wanted = |words: WordSet| {
            family.requirements.iter().filter(move |p| words.intersects(p.left) && !words.intersects(p.right))
        };
        gaps.extend(
            wanted(words).map(|pair| pair.right & row.allowed).filter(|gap| !gaps.contains(gap)).collect::<Vec<_>>(),
        );
        fill(words, &gaps, &mut |full| {
            if !row.fits(full) || !family.coherent(full, OpcodeCompleteness::Complete) {
                return;
            }
            let since = family.demand(row, full);
            if !module.is_past(&since) && best.is_none_or(|best| better(&since, &best, module)) {
                best = Some(since);
            }
        });
    }
    best
}

/// Calls back with every way to fill the gaps with one word each.
fn fill(words: WordSet, gaps: &[WordSet], found: &mut impl FnMut(WordSet)) {
    match gaps.split_first() {
        None => found(words),
        Some((gap, rest)) => {
            for id in gap.iter() {
                fill(words | WordSet::of(id), rest, found);
            }
        }
    }
}

fn better(since: &Since, best: &Since, module: &Module) -> bool {
    let key = |since: &Since| (!module.supports(since), since.order());
    key(since) < key(best)
}

/// The position of the slot in the printed order.
fn rank(family: &Family, slot: usize) -> usize {
    let longest = family.forms.iter().max_by_key(|form| form.slots.len());
    let in_longest = longest.and_then(|form| form.slots.iter().position(|s| *s == slot));
    in_longest.unwrap_or_else(|| family.forms.iter().find_map(|f| f.slots.iter().position(|s| *s == slot)).unwrap_or(0))
}

/// The words that programs use most, the most frequent of their slot first.
const FREQUENT: [&str; 17] = [
    "add", "cas", "exch", "max", "min", "or", "and", "u32", "b32", "s32", "f32", "u64", "b64", "global", "shared",
    "param", "relaxed",
];

/// The position among the words that programs use most; others come after them.
pub fn usage(word: &str) -> usize {
    FREQUENT.iter().position(|frequent| *frequent == word).unwrap_or(FREQUENT.len())
}

/// The numbers of a shape such as `m16n8k16`, which come in their order; 0 of another word.
fn shape(word: &str) -> [u32; 3] {
    let mut numbers = word.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let is_shape =
        word.starts_with('m') && word.contains('n') && word.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let mut next = || if is_shape { numbers.next().unwrap_or(0) } else { 0 };
    [next(), next(), next()]
}

/// The position of the word in the vocabulary.
pub(crate) fn order(word: &str) -> usize {
    vocabulary::entries().iter().position(|entry| entry.word == word).unwrap_or(usize::MAX)
}

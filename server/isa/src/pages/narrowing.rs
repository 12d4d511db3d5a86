//! Which part of the page of a family fits the modifiers that somebody has asked about.

use crate::spelling::Spelling;
use crate::tables::form::{Family, FormRow};
use crate::tables::word_set::WordSet;

/// The modifiers that a page is narrowed to; by default none, which leaves all of it.
#[derive(Default)]
pub(crate) struct Narrowing {
    /// Of each modifier the words of the family that are written so; none, if it is no modifier of the family.
    given: Vec<WordSet>,
    /// The words that a given modifier excludes, as it takes their place.
    pub hidden: WordSet,
}

impl Narrowing {
    /// The modifiers of a spelling that are not part of the family's name.
    pub(crate) fn of(family: &Family, spelling: &Spelling) -> Narrowing {
        let is_modifier = |word: &&&str| family.name.split('.').skip(1).all(|part| part != **word);
        let words = spelling.modifiers.iter().filter(is_modifier);
        let given: Vec<WordSet> = words.map(|word| named(family, word)).collect();
        // A modifier that may fill several places says nothing about one of them.
        let certain = given.iter().filter(|ids| ids.len() == 1).filter_map(|ids| ids.first());
        let hidden =
            certain.fold(WordSet::EMPTY, |all, id| all | (family.slots[family.words[id].slot].words - WordSet::of(id)));
        Narrowing { given, hidden }
    }

    /// Whether a row allows all the modifiers.
    pub(crate) fn has(&self, row: &FormRow) -> bool {
        self.given.iter().all(|ids| ids.intersects(row.allowed))
    }

    /// Whether an instruction has all the modifiers, and none in the place of another one.
    pub(crate) fn fits(&self, family: &Family, instruction: &str) -> bool {
        let opcode = instruction.split(' ').find(|word| !word.starts_with('@')).unwrap_or_default();
        let words: WordSet = opcode.trim_end_matches(';').split('.').flat_map(|word| family.all(word)).collect();
        self.given.iter().all(|ids| ids.intersects(words))
    }

    /// The sentence that says what the page leaves out; empty if nothing.
    pub(crate) fn note(&self, family: &Family) -> String {
        let texts = |ids: &WordSet| {
            let mut texts: Vec<String> = family.texts(*ids).map(|text| format!("`.{text}`")).collect();
            texts.dedup();
            texts.join(" or ")
        };
        let words: Vec<String> = self.given.iter().filter(|ids| !ids.is_empty()).map(texts).collect();
        if words.is_empty() { String::new() } else { format!("\nOnly the forms with {}.\n", words.join(" and ")) }
    }
}

/// The words of a family that are written so, or that begin with it and `::`: somebody who writes `.shared` may mean `.shared::cta`.
fn named(family: &Family, word: &str) -> WordSet {
    let exact: WordSet = family.all(word).collect();
    if !exact.is_empty() {
        return exact;
    }
    let goes_on = |text: &str| text.strip_prefix(word).is_some_and(|rest| rest.starts_with("::"));
    (0..family.words.len()).filter(|id| goes_on(family.words[*id].text)).collect()
}

/// Whether a word is only the beginning of modifiers of the family of a spelling, up to a `::`.
pub(crate) fn is_beginning(family: &Family, word: &str) -> bool {
    !family.has_modifier(word) && !named(family, word).is_empty()
}

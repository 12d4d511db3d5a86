//! A missing modifier.

use crate::complete::{complete, order};
use crate::diagnose::format::{article, choice, shown};
use crate::diagnose::options::legal_somewhere;
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::tables::form::Family;
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::vocabulary;

/// The reason for a missing word. `rest` are the words that are there.
pub(super) fn missing(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    id: usize,
    at: Option<usize>,
    rest: WordSet,
) -> Reason {
    let slot = family.words[id].slot;
    let name = family.slots[slot].name;
    let mut options = legal_somewhere(family, rest, slot, family.words[id].text, module);
    if matches!(name, "op" | "type") {
        // Every word counts that may still follow.
        let open = complete(&parsed.spelling, module).into_iter().filter(|c| c.slot == name && c.requires.is_none());
        let mut open: Vec<_> = open.map(|candidate| candidate.word).collect();
        // Completion ranks by usage; a message lists the words in the order of the vocabulary.
        open.sort_by_key(|word| order(word));
        if !open.is_empty() {
            options = open;
        }
    }
    let title = vocabulary::title(name);
    let message = match (at, options.as_slice()) {
        (Some(at), [only]) => format!("`.{}` requires `.{only}`", shown(parsed.spelling.modifiers[at])),
        (Some(at), _) => format!("`.{}` requires {} {title}", shown(parsed.spelling.modifiers[at]), article(title)),
        (None, _) => format!("missing {title} on `{}`", family.name),
    };
    let help = match options.as_slice() {
        [only] => match vocabulary::entry(only) {
            Some(entry) => format!("add `.{only}`: {}", lower(vocabulary::formula(entry).0.trim_end_matches('.'))),
            None => format!("add `.{only}`"),
        },
        _ => choice("add", &options, 12),
    };
    let choose = if matches!(name, "op" | "type" | "vec") && options.len() > 1 { 0 } else { 4 };
    let place = place_for(family, parsed, slot);
    let fixes = (options.iter().take(choose))
        .map(|word| SpellingFix {
            title: format!("Add `.{word}`"),
            edits: vec![SpellingEdit::Insert { at: place, word }],
        })
        .filter(|_| name != "vec")
        .collect();
    Reason { code: ReasonCode::MissingModifier, at, other: None, message, help, requires: None, fixes }
}

/// The position of a word of this slot in the printed order.
fn place_for(family: &Family, parsed: &ParsedSpelling, slot: usize) -> usize {
    let order = family.forms.iter().map(|form| &form.slots).find(|slots| slots.contains(&slot));
    let Some(order) = order else { return parsed.spelling.modifiers.len() };
    let rank = |slot: usize| order.iter().position(|s| *s == slot).unwrap_or(0);
    (parsed.first..parsed.spelling.modifiers.len())
        .find(|at| parsed.id(*at).is_some_and(|id| rank(family.words[id].slot) > rank(slot)))
        .unwrap_or(parsed.spelling.modifiers.len())
}

/// With a small first letter.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

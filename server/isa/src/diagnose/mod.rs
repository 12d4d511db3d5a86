//! Diagnoses illegal spellings. `closest_row.rs` finds the cheapest changes that make a spelling legal; a file for each kind of reason makes the
//! message, the help and the fixes.

mod closest_row;
mod conflict;
mod format;
mod illegal;
mod missing;
mod options;
mod removed;
mod requires;
pub(crate) mod unknown_name;

pub(crate) use crate::diagnose::closest_row::reasons;

use crate::diagnose::conflict::conflict;
use crate::diagnose::illegal::illegal;
use crate::diagnose::missing::missing;
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::tables::form::Family;
use crate::tables::word_set::WordSet;
use crate::target::Module;

/// One change to a spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpellingChange {
    /// Another word of the same slot in the place of a modifier.
    Replace { at: usize, id: usize },
    /// A modifier is removed; `other` is the one that it conflicts with.
    Remove { at: usize, other: Option<usize> },
    /// A missing word is inserted; `at` is the modifier that requires it, if one does.
    Insert { id: usize, at: Option<usize> },
}

impl SpellingChange {
    /// The modifier that is removed or replaced.
    pub(crate) fn at(&self) -> Option<usize> {
        match self {
            SpellingChange::Replace { at, .. } | SpellingChange::Remove { at, .. } => Some(*at),
            SpellingChange::Insert { .. } => None,
        }
    }
}

/// The reason for one change. `words` are those of the fixed spelling.
pub(crate) fn change(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    change: SpellingChange,
    words: WordSet,
) -> Reason {
    match change {
        SpellingChange::Replace { at, id } => {
            illegal(family, parsed, module, at, None, words - WordSet::of(id), Some(id))
        }
        SpellingChange::Remove { at, other: Some(other) } => conflict(family, parsed, module, at, other, words),
        SpellingChange::Remove { at, other: None } => illegal(family, parsed, module, at, None, words, None),
        SpellingChange::Insert { id, at } => missing(family, parsed, module, id, at, words - WordSet::of(id)),
    }
}

/// The reason when not even the nearest row can be reached.
pub(crate) fn no_match(family: &Family) -> Reason {
    Reason {
        code: ReasonCode::IllegalModifier,
        at: None,
        other: None,
        message: format!("invalid combination of modifiers on `{}`", family.name),
        help: forms(family),
        requires: None,
        fixes: Vec::new(),
    }
}

/// The reason when the modifiers are right but not in the required order.
pub(crate) fn misordered(family: &'static Family, parsed: &ParsedSpelling) -> Reason {
    let wrong = family.orders.iter().find_map(|pair| parsed.out_of_order(pair));
    let Some((late, early)) = wrong else { return no_match(family) };
    let word = |at: usize| parsed.id(at).map_or("", |id| family.words[id].text);
    let (first, second) = (word(late), word(early));
    Reason {
        code: ReasonCode::IllegalModifier,
        at: Some(late),
        other: Some(early),
        message: format!("`.{first}` must be before `.{second}`"),
        help: forms(family),
        requires: None,
        fixes: vec![SpellingFix {
            title: format!("Move `.{first}` before `.{second}`"),
            edits: vec![SpellingEdit::Insert { at: early, word: first }, SpellingEdit::Remove { at: late }],
        }],
    }
}

fn forms(family: &Family) -> String {
    let forms: Vec<_> = family.forms.iter().map(|form| format!("`{}`", form.syntax)).collect();
    format!("expected one of {}", forms.join(", "))
}

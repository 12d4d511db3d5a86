//! Conflicting and duplicate modifiers.

use crate::diagnose::format::{remove, shown};
use crate::diagnose::illegal::illegal;
use crate::distance::closest_slot;
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode};
use crate::tables::form::Family;
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::vocabulary;

/// The reason for two conflicting modifiers of which `at` is removed.
pub(super) fn conflict(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    at: usize,
    other: usize,
    words: WordSet,
) -> Reason {
    let (text, with) = (parsed.spelling.modifiers[at], parsed.spelling.modifiers[other]);
    let slot = parsed.id(at).map(|id| family.slots[family.words[id].slot].name).or_else(|| closest_slot(family, text));
    if text == with {
        return Reason {
            code: ReasonCode::DuplicateModifier,
            at: Some(at),
            other: Some(other),
            message: format!("duplicate `.{}`", shown(text)),
            help: format!("remove one `.{}`", shown(text)),
            requires: None,
            fixes: vec![remove(at, text, None)],
        };
    }
    if parsed.id(at).is_none() {
        return illegal(family, parsed, module, at, Some(other), words, None);
    }
    let other_slot = parsed.id(other).map(|id| family.slots[family.words[id].slot].name);
    let help = match slot {
        Some(name) if slot == other_slot => {
            format!("keep one {}", vocabulary::title(name))
        }
        _ => format!("remove `.{text}`"),
    };
    let mut fixes = vec![remove(at, text, slot)];
    let others = slot == other_slot && !matches!(slot, Some("op" | "type" | "vec"));
    let swapped = |id: usize| (words - parsed.id(other).map_or(WordSet::EMPTY, WordSet::of)) | WordSet::of(id);
    if others && parsed.id(at).is_some_and(|id| family.matches(swapped(id)).next().is_some()) {
        fixes.push(remove(other, with, slot));
    }
    if matches!(slot, Some("op" | "type" | "vec")) {
        fixes.clear();
    }
    let message = format!("conflicting modifiers `.{}` and `.{}`", shown(text), shown(with));
    Reason {
        code: ReasonCode::ConflictingModifiers,
        at: Some(at),
        other: Some(other),
        message,
        help,
        requires: None,
        fixes,
    }
}

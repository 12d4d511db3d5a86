//! A legal spelling that requires a newer target or PTX version than the module has.

use crate::diagnose::format::choice;
use crate::diagnose::options::legal_here;
use crate::matching::ParsedSpelling;
use crate::reason::{Raise, Reason, ReasonCode, Requires, SpellingEdit, SpellingFix};
use crate::since::Since;
use crate::tables::form::Family;
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::vocabulary;

/// The reason for a spelling that is legal for other targets or versions.
pub(crate) fn requires(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    since: Since,
    at: Option<usize>,
) -> Reason {
    let target = module.target.filter(|target| !since.targets.contains(*target));
    let version = module.version.filter(|_| module.effective_version() < Some(since.version));
    let own = at.and_then(|at| parsed.id(at)).is_some_and(|id| !module.supports(&family.words[id].since));
    let what = match at {
        Some(at) if own => format!("`.{}`", parsed.spelling.modifiers[at]),
        Some(at) => format!("`.{}` in this form of `{}`", parsed.spelling.modifiers[at], family.name),
        None => format!("`{}` without a state space", family.name),
    };
    let generic = at.is_none()
        && !family.slot_named("space").is_some_and(|slot| parsed.words.intersects(family.slots[slot].words))
        && family.rows.iter().any(|row| module.supports(&row.since));
    let what = if at.is_none() && !generic { format!("`{}`", family.name) } else { what };
    let code = if target.is_some() { ReasonCode::RequiresTarget } else { ReasonCode::RequiresPtxVersion };
    let mut help = Vec::new();
    let mut fixes = Vec::new();
    if let Some(at) = at
        && let Some(id) = parsed.id(at)
    {
        let slot = family.words[id].slot;
        let name = family.slots[slot].name;
        let rest = parsed.words - WordSet::of(id);
        let text = parsed.spelling.modifiers[at];
        let instead = legal_here(family, rest, slot, text, module);
        if let Some(word) = vocabulary::wider(text).filter(|word| instead.contains(word)) {
            fixes.push(SpellingFix {
                title: format!("Replace `.{text}` with `.{word}`"),
                edits: vec![SpellingEdit::Replace { at, word }],
            });
            help.push(format!("write `.{word}`, which includes `.{text}`"));
        } else if !instead.is_empty() && ["type", "scope", "space", "vec", "op"].contains(&name) {
            help.push(choice("write", &instead, 4));
        }
        if let Some(advice) = vocabulary::fallback(name).filter(|_| own && fixes.is_empty()) {
            help.push(advice.to_string());
        }
    }
    if generic {
        help.push("add `.global` or `.shared`; generic addressing requires sm_20".to_string());
    }
    let raise = Raise::new(module, &since);
    fixes.extend(raise.map(Raise::fix));
    let requires = Requires { what, needed: since, have: Module { target, version }, raise };
    let message = requires.message();
    Reason { code, at, other: None, message, help: help.join("; "), requires: Some(requires), fixes }
}

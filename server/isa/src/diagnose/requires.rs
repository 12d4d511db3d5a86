//! A spelling that is legal elsewhere: the module lacks the target or the version.
//!
//! Must not know what is wrong with a spelling as such.

use super::format::list;
use super::options::legal_here;
use crate::form::Family;
use crate::matching::ParsedSpelling;
use crate::reason::{Raise, Reason, ReasonCode, Requires, SpellingEdit, SpellingFix};
use crate::since::Since;
use crate::target::Module;
use crate::vocabulary;

/// A spelling that is legal elsewhere: the module's target or version does not have it.
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
        Some(at) => format!("`.{}` here", parsed.spelling.modifiers[at]),
        None => format!("`{}` without a state space", family.name),
    };
    let generic = at.is_none()
        && parsed.words & family.slot_named("space").map_or(0, |slot| family.slots[slot].words) == 0
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
        let rest = parsed.words & !(1 << id);
        let text = parsed.spelling.modifiers[at];
        let instead = legal_here(family, rest, slot, text, module);
        if let Some(word) = vocabulary::wider(text).filter(|word| instead.contains(word)) {
            fixes.push(SpellingFix {
                title: format!("Write `.{word}`"),
                edits: vec![SpellingEdit::Replace { at, word }],
            });
            help.push(format!("`.{word}` includes it and is there already"));
        } else if !instead.is_empty() && ["type", "scope", "space", "vec", "op"].contains(&name) {
            help.push(format!("there already: {}", list(&instead, 4)));
        }
        if let Some(advice) = vocabulary::before(name).filter(|_| own && fixes.is_empty()) {
            help.push(advice.to_string());
        }
    }
    if generic {
        help.push("generic addressing came with sm_20; older targets want `.global` or `.shared`".to_string());
    }
    if let Some(raise) = Raise::new(module, &since) {
        help.push(if help.is_empty() { format!("raise {raise}") } else { format!("or raise {raise}") });
        fixes.push(raise.fix());
    }
    let requires = Requires { what, needed: since, have: Module { target, version } };
    let message = requires.message();
    Reason { code, at, other: None, message, help: help.join("; "), requires: Some(requires), fixes }
}

//! A modifier that does not belong, or not with the others: what it was meant to be, and what may stand in its place.

use super::format::{alternatives, choice, list, remove, shown};
use super::options::legal_somewhere;
use crate::distance::{closest_slot, distance, edit_distance, tolerance};
use crate::form::{Family, WordSet};
use crate::matching::ParsedSpelling;
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::table;
use crate::target::Module;
use crate::types::{Type, TypeKind};
use crate::vocabulary;

/// A modifier that does not belong, or not with the others. `rest`: the words without it; `instead`: the best word for
/// its place, if that must be filled or nearly was.
pub(super) fn illegal(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    at: usize,
    other: Option<usize>,
    rest: WordSet,
    instead: Option<usize>,
) -> Reason {
    let text = parsed.spelling.modifiers[at];
    let id = parsed.id(at);
    let slot_name =
        (id.or(instead).map(|id| family.slots[family.words[id].slot].name)).or_else(|| closest_slot(family, text));
    let slot = slot_name.and_then(|name| family.slot_named(name));
    let options = slot.map_or(Vec::new(), |slot| legal_somewhere(family, rest, slot, text, module));
    let foreign = vocabulary::foreign(text);
    let advice = foreign.map_or("", |entry| vocabulary::advice(entry).1);
    let alias: Vec<&str> = foreign.map_or(Vec::new(), |entry| vocabulary::advice(entry).0.collect());
    let known = id.is_some() || foreign.is_some() || vocabulary::entry(text).is_some();
    let op = word_of(family, parsed, "op");
    let other = other.or_else(|| at_fault_with(family, parsed, at));
    let spelled = |at: usize| format!("`.{}`", shown(parsed.spelling.modifiers[at]));
    let is_type = slot_name == Some("type");
    // What has a name of its own in PTX is a word of another language; the rest is PTX, though not here.
    let code = match (known && (alias.is_empty() || is_type), is_type) {
        (false, _) => ReasonCode::UnknownModifier,
        (true, true) => ReasonCode::IllegalType,
        (true, false) => ReasonCode::IllegalModifier,
    };
    let name = shown(text);
    let message = match (code, id, other) {
        (ReasonCode::UnknownModifier, ..) => format!("unknown modifier `.{name}`"),
        (ReasonCode::IllegalType, ..) => match op {
            Some(op) => format!("invalid type `.{name}` for `.{}`", shown(parsed.spelling.modifiers[op])),
            None => format!("invalid type `.{name}` for `{}`", family.name),
        },
        (_, Some(_), Some(other)) => format!("`.{name}` is not allowed with {}", spelled(other)),
        (_, Some(_), None) => format!("`.{name}` is not allowed with the other modifiers of `{}`", family.name),
        _ => format!("`.{name}` is not allowed on `{}`", family.name),
    };
    let mut help = Vec::new();
    let meant: Vec<&'static str> = options.iter().filter(|word| alias.contains(word)).copied().collect();
    if !meant.is_empty() && slot_name != Some("sem") {
        help.push(format!("write {}", list(&meant, 2).replace(", ", " or ")));
    }
    if !advice.is_empty() {
        help.push(advice.trim_end_matches('.').to_string());
    }
    let elsewhere = id.is_none() && known && foreign.is_none();
    let listed = help.is_empty() && !options.is_empty() && !(elsewhere && slot_name == Some("op"));
    let near = options.iter().find(|word| !known && edit_distance(text, word) <= tolerance(text));
    help.extend(listed.then(|| match (near, op.filter(|_| is_type && known)) {
        (Some(word), _) => format!("did you mean `.{word}`?"),
        (None, Some(op)) => {
            let op = shown(parsed.spelling.modifiers[op]);
            format!("`.{op}` {}: {}", vocabulary::type_requirement(&op), list(&options, 8))
        }
        (None, None) => choice("expected", &options, 8),
    }));
    if op.is_some_and(|op| parsed.spelling.modifiers[op] == "add") && same_bits(text, options.first()) {
        help.push(format!("`.{}` gives the same bits (two's complement)", options[0]));
    }
    if options.is_empty() && help.is_empty() {
        help.extend(other.and_then(|other| partners(family, parsed, module, text, other)));
    }
    if elsewhere {
        // An atomic is told of other atomics: that a fence has the word helps nobody.
        let alike = table::families().filter(|other| other.is_atomic() == family.is_atomic());
        let elsewhere = alike.filter(|other| other.find(text).is_some_and(|id| other.ignored >> id & 1 == 0));
        let names: Vec<_> = elsewhere.map(|family| format!("`{}`", family.name)).take(MOST_LISTED).collect();
        if !names.is_empty() {
            help.push(format!("`.{name}` is allowed on {}", names.join(", ")));
        }
    }
    match instead {
        None if options.is_empty() => {
            help.push(format!("{}remove `.{name}`", if help.is_empty() { "" } else { "or " }));
        }
        Some(id) if help.is_empty() => help.push(format!("write `.{}`", family.words[id].text)),
        _ => {}
    }
    let mut fixes: Vec<SpellingFix> = (options.iter())
        .filter(|word| may_replace(slot_name, text, word, known, id.is_some()))
        .take(3)
        .map(|word| SpellingFix {
            title: format!("Replace `.{name}` with `.{word}`"),
            edits: vec![SpellingEdit::Replace { at, word }],
        })
        .collect();
    let removable = !matches!(slot_name, Some("op" | "type" | "vec" | "space"));
    if removable && family.matches(rest).next().is_some() {
        fixes.push(remove(at, text, slot_name));
    }
    Reason { code, at: Some(at), other, message, help: help.join("; "), requires: None, fixes }
}

/// How many instructions a message names that have what this one lacks.
const MOST_LISTED: usize = 4;

/// Whether a signed type stands for the unsigned one of its width.
fn same_bits(from: &str, to: Option<&&str>) -> bool {
    let (from, to) = (Type::parse(from), to.and_then(|to| Type::parse(to)));
    from.zip(to)
        .is_some_and(|(a, b)| a.kind() == TypeKind::Signed && b.kind() == TypeKind::Unsigned && a.bits() == b.bits())
}

/// What could stand in the place of the other modifier, for this one to stay.
fn partners(
    family: &'static Family,
    parsed: &ParsedSpelling,
    module: &Module,
    text: &str,
    other: usize,
) -> Option<String> {
    let id = parsed.id(other)?;
    let slot = family.words[id].slot;
    let found = legal_somewhere(family, parsed.words & !(1 << id), slot, parsed.spelling.modifiers[other], module);
    let telling = !found.is_empty() && family.slots[slot].name != "op";
    telling.then(|| format!("`.{text}` requires {}", alternatives(&found, 8)))
}

/// Whether one word may take another's place without touching the operands or the meaning.
fn may_replace(slot: Option<&str>, from: &str, to: &str, known: bool, ours: bool) -> bool {
    let typo = !known && edit_distance(from, to) <= tolerance(from);
    let near = distance(slot.unwrap_or(""), from, to) == 0 || typo;
    match slot {
        Some("type") => match (Type::parse(from), Type::parse(to)) {
            (Some(a), Some(b)) => {
                let float = |ty: Type| ty.kind() == TypeKind::Float;
                let bits = a.kind() == TypeKind::Bits || b.kind() == TypeKind::Bits;
                a.bits() == b.bits() && (bits || !(float(a) || float(b)))
            }
            _ => near,
        },
        Some("noftz" | "acc") => true,
        Some("sem") => ours || near || vocabulary::entry(from).is_some() && vocabulary::foreign(from).is_none(),
        Some("scope" | "op" | "space" | "hint") => !ours && near,
        _ => false,
    }
}

/// The other modifier without which, or with another in its place, this one could stay.
fn at_fault_with(family: &'static Family, parsed: &ParsedSpelling, at: usize) -> Option<usize> {
    parsed.id(at)?;
    let others = (parsed.first..parsed.spelling.modifiers.len()).filter(|other| *other != at);
    let ranked = |at: &usize| {
        let slot = parsed.id(*at).map(|id| family.slots[family.words[id].slot].name);
        ["op", "type", "vec", "space"].iter().position(|name| Some(*name) == slot).unwrap_or(9)
    };
    let mut others: Vec<usize> = others.collect();
    others.sort_by_key(ranked);
    others.into_iter().find(|other| {
        parsed.id(*other).is_some_and(|id| {
            let rest = parsed.words & !(1 << id);
            let slot = family.slots[family.words[id].slot].words;
            family.matches(rest).next().is_some()
                || family
                    .members(slot)
                    .any(|instead| instead != id && family.matches(rest | 1 << instead).next().is_some())
        })
    })
}

/// Which modifier fills a slot.
fn word_of(family: &Family, parsed: &ParsedSpelling, slot: &str) -> Option<usize> {
    let slot = family.slot_named(slot)?;
    (parsed.first..parsed.spelling.modifiers.len())
        .find(|at| parsed.id(*at).is_some_and(|id| family.words[id].slot == slot))
}

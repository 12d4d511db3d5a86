//! Finds what is wrong with a spelling: for each row the cheapest changes that make it fit. The cheapest plan of all rows names the modifier at fault.
//!
//! Changes that discard more of what the author probably meant have a higher cost.

use crate::diagnose::removed::removed;
use crate::diagnose::requires::requires;
use crate::diagnose::{SpellingChange, change, misordered, no_match};
use crate::distance::{closest_slot, distance};
use crate::matching::{OpcodeCompleteness, ParsedSpelling};
use crate::reason::{Reason, ReasonCode, SpellingEdit, SpellingFix};
use crate::since::Since;
use crate::tables::form::{Family, FormRow};
use crate::tables::word_set::WordSet;
use crate::target::Module;
use crate::types::Type;
use crate::vocabulary;
use std::cmp::Reverse;

/// The changes that turn a spelling into one that fits a row.
struct SpellingPlan {
    changes: Vec<SpellingChange>,
    /// The words afterwards.
    words: WordSet,
    cost: u32,
    /// Modifiers without a slot. One of them may be a misspelling of a missing word.
    spare: Vec<usize>,
}

/// The reasons why a spelling is illegal in this module, the most likely first.
pub(crate) fn reasons(family: &'static Family, parsed: &ParsedSpelling, module: &Module) -> Vec<Reason> {
    if parsed.clean
        && let Some(since) = (family.matches(parsed.words))
            .map(|(_, since)| since.on(module.target))
            .min_by_key(|since| shortfall(since, module))
    {
        return match since.until.filter(|_| module.is_past(&since)) {
            Some(until) => vec![removed(family, parsed, module, &until)],
            None => vec![requires(family, parsed, module, since, short_of(family, parsed, module))],
        };
    }
    let slots = slots(family, parsed);
    let plans = family.rows.iter().filter_map(|row| plan(family, row, parsed, &slots, module));
    // Of two conflicting modifiers, the later one is probably the new one.
    let Some(plan) =
        plans.min_by_key(|plan| (plan.cost, Reverse(plan.changes.iter().filter_map(SpellingChange::at).max())))
    else {
        return vec![no_match(family)];
    };
    let mut reasons: Vec<Reason> =
        (plan.changes.iter()).map(|found| change(family, parsed, module, *found, plan.words)).collect();
    // The edits of one change do not make the instruction legal if others are needed, too.
    if reasons.len() > 1 {
        let all = all_missing(&reasons);
        reasons.iter_mut().for_each(|reason| reason.fixes.clear());
        reasons[0].fixes.extend(all);
    }
    reasons.sort_by_key(|reason| reason.code);
    if reasons.is_empty() {
        reasons.push(misordered(family, parsed));
    }
    reasons
}

/// The fix that adds all missing words, if there is one word for each.
fn all_missing(reasons: &[Reason]) -> Option<SpellingFix> {
    let mut edits = Vec::new();
    for reason in reasons {
        let [SpellingFix { edits: added, .. }] = &reason.fixes[..] else { return None };
        let is_addition = |edit: &SpellingEdit| matches!(edit, SpellingEdit::Insert { .. });
        if reason.code != ReasonCode::MissingModifier || !added.iter().all(is_addition) {
            return None;
        }
        edits.extend(added.iter().cloned());
    }
    let word = |edit: &SpellingEdit| match edit {
        SpellingEdit::Insert { word, .. } => Some(format!("`.{word}`")),
        _ => None,
    };
    let words: Vec<String> = edits.iter().filter_map(word).collect();
    Some(SpellingFix { title: format!("Add {}", words.join(" and ")), edits })
}

/// The distance between a requirement and the module, for comparing rows.
fn shortfall(since: &Since, module: &Module) -> (bool, bool, u16) {
    let target = module.target.is_some_and(|target| !since.targets.contains(target));
    let version = module.version.is_some_and(|version| version < since.version);
    (target, version, since.version.major * 100 + since.version.minor)
}

/// The modifier that requires more than the module supports: the first in `ORDER` that can be removed or replaced to satisfy
/// the module, else the one with the greatest requirement.
fn short_of(family: &'static Family, parsed: &ParsedSpelling, module: &Module) -> Option<usize> {
    const ORDER: [&str; 9] = ["sem", "scope", "hint", "acc", "space", "noftz", "vec", "type", "op"];
    let enough = |words: WordSet| family.matches(words).any(|(_, since)| module.supports(&since));
    let given: Vec<(usize, usize)> =
        (parsed.first..parsed.spelling.modifiers.len()).filter_map(|at| Some((at, parsed.id(at)?))).collect();
    let mut ordered: Vec<(usize, (usize, usize))> = (given.iter())
        .map(|(at, id)| {
            let slot = family.slots[family.words[*id].slot].name;
            (ORDER.iter().position(|name| *name == slot).unwrap_or(ORDER.len()), (*at, *id))
        })
        .collect();
    ordered.sort_unstable();
    for (_, (at, id)) in &ordered {
        let rest = parsed.words - WordSet::of(*id);
        let slot = family.words[*id].slot;
        let instead = family.slots[slot].words.iter().any(|other| other != *id && enough(rest | WordSet::of(other)));
        if instead || enough(rest) {
            return Some(*at);
        }
    }
    if !family.rows.iter().any(|row| module.supports(&row.since)) {
        return None;
    }
    if family
        .matches(parsed.words)
        .any(|(row, _)| row.places.iter().any(|place| needs_word(family, place, parsed, module)))
    {
        return None;
    }
    let requirement = |id: usize| family.words[id].since.order();
    let unsupported = ordered.iter().filter(|(_, (_, id))| !module.supports(&family.words[*id].since));
    // Of equal requirements, the last one is the maximum.
    let own = unsupported.rev().max_by_key(|(_, (_, id))| requirement(*id));
    let last = ordered.iter().find(|(_, (_, id))| ["vec", "type"].contains(&family.slots[family.words[*id].slot].name));
    own.or(last).map(|(_, (at, _))| *at)
}

/// Whether the module does not support leaving a slot empty.
fn needs_word(family: &Family, place: &crate::tables::form::RowSlot, parsed: &ParsedSpelling, module: &Module) -> bool {
    !parsed.words.intersects(place.words) && !module.supports(&family.slots[place.slot].default_since)
}

/// The slot that each modifier probably belongs to; `None` if that is unknown.
fn slots(family: &Family, parsed: &ParsedSpelling) -> Vec<Option<usize>> {
    let empty = |slot: &usize| !parsed.words.intersects(family.slots[*slot].words);
    let untyped = family.slot_named("type").filter(empty);
    // The assembler ignores types that no arithmetic has. If one of them is the only type, it is probably meant as the type.
    let foreign = family.ignored & family.repeatable;
    let slot = |at: usize, text: &str| match parsed.id(at) {
        Some(id) if untyped.is_some() && foreign.contains(id) => untyped,
        Some(id) => Some(family.words[id].slot),
        None => family.slot_named(closest_slot(family, text)?),
    };
    parsed.spelling.modifiers.iter().enumerate().map(|(at, text)| slot(at, text)).collect()
}

/// The cheapest changes that make the spelling fit a row.
fn plan(
    family: &'static Family,
    row: &FormRow,
    parsed: &ParsedSpelling,
    slots: &[Option<usize>],
    module: &Module,
) -> Option<SpellingPlan> {
    let given = || (parsed.first..parsed.spelling.modifiers.len()).map(|at| (at, slots[at]));
    let spare = given().filter(|(_, slot)| slot.is_none()).map(|(at, _)| at).collect();
    let mut plan = SpellingPlan { changes: Vec::new(), words: WordSet::EMPTY, cost: 0, spare };
    for (slot_index, slot) in family.slots.iter().enumerate() {
        let here: Vec<usize> = given().filter(|(_, slot)| *slot == Some(slot_index)).map(|(at, _)| at).collect();
        let ignored = slot.words & family.ignored;
        let (words, required) = match row.place(slot_index) {
            Some(place) => (place.words | ignored, place.required),
            None => (ignored, false),
        };
        let fits = |at: &&usize| parsed.id(**at).is_some_and(|id| words.contains(id));
        let offered = |at: &&usize| parsed.id(**at).is_some_and(|id| module.supports(&family.words[id].since));
        let keep = here.iter().find(|at| fits(at) && offered(at)).or_else(|| here.iter().find(fits));
        let Some(&keep) = keep.or(here.first()) else {
            if required {
                let id = family.preferred(words)?;
                let at = asks_for(family, row, slot_index, parsed, slots);
                plan.insert(id, at, insertion(slot.name));
            }
            continue;
        };
        for at in here.iter().filter(|at| **at != keep) {
            plan.remove(*at, Some(keep), 4);
        }
        if fits(&&keep) {
            plan.words |= parsed.id(keep).map_or(WordSet::EMPTY, WordSet::of);
            continue;
        }
        let text = parsed.spelling.modifiers[keep];
        let instead = words.iter().min_by_key(|id| distance(slot.name, text, family.words[*id].text));
        match instead {
            Some(id) if required || replacement(slot.name, text, family.words[id].text) <= removal(slot.name) => {
                plan.changes.push(SpellingChange::Replace { at: keep, id });
                plan.words |= WordSet::of(id);
                plan.cost += replacement(slot.name, text, family.words[id].text);
            }
            _ => plan.remove(keep, None, removal(slot.name)),
        }
    }
    choose_coherent(family, row, parsed, &mut plan);
    keep_rules(family, row, parsed, &mut plan);
    for at in std::mem::take(&mut plan.spare) {
        plan.remove(at, None, 1);
    }
    let since = family.matches(plan.words).map(|(_, since)| since).next()?;
    // Two mistakes are less likely than one.
    plan.cost += 3 * plan.changes.len() as u32;
    plan.cost = plan.cost * 2 + u32::from(!module.supports(&since));
    Some(plan)
}

/// If the nearest word violates a rule of the family, the nearest one that does not.
fn choose_coherent(family: &Family, row: &FormRow, parsed: &ParsedSpelling, plan: &mut SpellingPlan) {
    if family.coherent(plan.words, OpcodeCompleteness::Complete) {
        return;
    }
    for change in &mut plan.changes {
        let SpellingChange::Replace { at, id } = *change else { continue };
        let slot = family.words[id].slot;
        let words = row.place(slot).map_or(WordSet::EMPTY, |place| place.words);
        let rest = plan.words - WordSet::of(id);
        let good =
            words.iter().filter(|other| family.coherent(rest | WordSet::of(*other), OpcodeCompleteness::Complete));
        let text = parsed.spelling.modifiers[at];
        if let Some(better) = good.min_by_key(|id| distance(family.slots[slot].name, text, family.words[*id].text)) {
            *change = SpellingChange::Replace { at, id: better };
            plan.words = rest | WordSet::of(better);
            return;
        }
    }
}

/// Repairs violations of the family's conflicts and requirements.
fn keep_rules(family: &Family, row: &FormRow, parsed: &ParsedSpelling, plan: &mut SpellingPlan) {
    let place_of = |id: usize| (0..MANY).find(|at| parsed.id(*at) == Some(id));
    let optional = |id: usize| row.place(family.words[id].slot).is_none_or(|place| !place.required);
    let cost = |id: usize| removal(family.slots[family.words[id].slot].name);
    for pair in &family.conflicts {
        let (left, right) = (plan.words & pair.left, plan.words & pair.right);
        let Some((left, right)) = left.first().zip(right.first()) else { continue };
        let (gone, stays) = if optional(left) && cost(left) < cost(right) { (left, right) } else { (right, left) };
        if let Some(at) = place_of(gone) {
            plan.remove(at, place_of(stays), cost(gone));
        }
        plan.words -= WordSet::of(gone);
    }
    for pair in &family.requirements {
        let Some(left) = (plan.words & pair.left).first().filter(|_| !plan.words.intersects(pair.right)) else {
            continue;
        };
        let at = place_of(left);
        if let Some(id) = family.preferred(pair.right) {
            plan.insert(id, at, insertion(family.slots[family.words[id].slot].name));
        }
    }
}

const MANY: usize = crate::matching::MODIFIERS;

/// The modifier that makes a missing one necessary: the type requires `.noftz` and a vector.
fn asks_for(
    family: &Family,
    row: &FormRow,
    missing: usize,
    parsed: &ParsedSpelling,
    slots: &[Option<usize>],
) -> Option<usize> {
    let name = family.slots[missing].name;
    let from = if name == "noftz" || name == "vec" { family.slot_named("type")? } else { return None };
    row.place(from)?;
    (parsed.first..parsed.spelling.modifiers.len()).find(|at| slots[*at] == Some(from))
}

impl SpellingPlan {
    fn remove(&mut self, at: usize, other: Option<usize>, cost: u32) {
        self.changes.push(SpellingChange::Remove { at, other });
        self.cost += cost;
    }

    fn insert(&mut self, id: usize, at: Option<usize>, cost: u32) {
        self.words |= WordSet::of(id);
        match self.spare.pop() {
            Some(at) => {
                self.changes.push(SpellingChange::Replace { at, id });
                self.cost += 3;
            }
            None => {
                self.changes.push(SpellingChange::Insert { id, at });
                self.cost += cost;
            }
        }
    }
}

impl Family {
    /// The word to insert if several are possible: the default, else the strongest, else the first.
    pub(crate) fn preferred(&self, set: WordSet) -> Option<usize> {
        let is_default = |id: &usize| self.slots[self.words[*id].slot].default == self.words[*id].text;
        // Of roundings, what C does.
        let widest = |id: &usize| ["sys", "relaxed", "rn", "rzi"].contains(&self.words[*id].text);
        set.iter().find(is_default).or_else(|| set.iter().find(widest)).or_else(|| set.iter().next())
    }
}

fn replacement(slot: &str, from: &str, to: &str) -> u32 {
    if Type::parse(from).is_none() && slot == "type" || vocabulary::entry(from).is_none() {
        return 3 + (distance(slot, from, to) / 10).min(2);
    }
    match slot {
        "type" | "atype" => (3 + distance(slot, from, to)).min(9),
        "op" => 10,
        "vec" => 5,
        "noftz" | "hint" => 2,
        _ => 3,
    }
}

fn removal(slot: &str) -> u32 {
    match slot {
        "type" | "op" => 12,
        "vec" | "space" => 5,
        "hint" | "acc" => 3,
        "rounding" | "other" => 1,
        _ => 4,
    }
}

fn insertion(slot: &str) -> u32 {
    match slot {
        "op" | "type" => 9,
        "vec" => 8,
        "noftz" | "scope" | "rnd" => 2,
        "sem" => 3,
        _ => 6,
    }
}

//! The possible words of a slot.

use crate::distance::distance;
use crate::since::Since;
use crate::tables::form::Family;
use crate::tables::word_set::WordSet;
use crate::target::Module;

/// The words of a slot that make the rest legal in this module, the nearest to `from` first.
pub(super) fn legal_here(
    family: &'static Family,
    rest: WordSet,
    slot: usize,
    from: &str,
    module: &Module,
) -> Vec<&'static str> {
    options(family, rest, slot, from, |since| module.supports(since))
}

/// The same in any module; if there are some for this one, those alone.
pub(super) fn legal_somewhere(
    family: &'static Family,
    rest: WordSet,
    slot: usize,
    from: &str,
    module: &Module,
) -> Vec<&'static str> {
    let here = legal_here(family, rest, slot, from, module);
    if here.is_empty() { options(family, rest, slot, from, |_| true) } else { here }
}

fn options(
    family: &'static Family,
    rest: WordSet,
    slot: usize,
    from: &str,
    good: impl Fn(&Since) -> bool,
) -> Vec<&'static str> {
    let name = family.slots[slot].name;
    let words = family.slots[slot].words - family.ignored;
    let fits = |id: &usize| family.matches((rest - words) | WordSet::of(*id)).any(|(_, since)| good(&since));
    let mut found: Vec<&'static str> = words.iter().filter(fits).map(|id| family.words[id].text).collect();
    found.sort_by_key(|word| distance(name, from, word));
    found
}

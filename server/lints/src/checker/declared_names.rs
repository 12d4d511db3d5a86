//! The names that are declared before an item, computed lazily for incremental checks.

use crate::checker::blocks::BlockRecorder;
use crate::checker::fingerprint::Fingerprint;
use crate::checker::items::ItemCache;
use crate::checker::part::CheckedPart;
use crate::checker::words::{Initials, word, words};
use crate::driver::{CheckedItem, LintDriver, LintModule};
use diagnostics::Diagnostic;
use diagnostics::registry::UNKNOWN_NAME;
use foldhash::HashMap;
use legality::operands::KnownNames;
use std::collections::BTreeSet;
use std::sync::Arc;
use syntax::{Item, Rope};

/// Checks the stale items among others. The check is incomplete if it is cancelled.
pub(super) fn check<'c>(
    module: &LintModule,
    (items, cache): (&[Item], &ItemCache),
    stale: &[usize],
    mut blocks: BlockRecorder<'c>,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> CheckedPart<'c> {
    let mut driver = LintDriver::new(module);
    let mut names = DeclaredNames::new(items, cache);
    let mut checked = Vec::with_capacity(stale.len());
    for at in stale.iter().copied() {
        let mut found = Vec::new();
        let item = if cancelled() { None } else { names.check(&mut driver, at, cancelled, &mut blocks, &mut found) };
        let Some(item) = item else { break };
        checked.push((at, item, found));
    }
    CheckedPart { items: checked, coverage: driver.coverage, blocks }
}

/// The names of the module that are declared before an item. They are added to the driver only if the check needs them.
struct DeclaredNames<'i, 'a> {
    items: &'i [Item<'a>],
    cache: &'i ItemCache,
    /// The items that declare each name.
    by_name: HashMap<Fingerprint, Vec<usize>>,
    /// The first bytes of these names.
    initials: Initials,
    /// All names of the items before this index have been added.
    added_up_to: usize,
}

impl<'i, 'a> DeclaredNames<'i, 'a> {
    fn new(items: &'i [Item<'a>], cache: &'i ItemCache) -> Self {
        let mut by_name: HashMap<Fingerprint, Vec<usize>> = HashMap::default();
        let mut initials = Initials::default();
        for (at, item) in items.iter().enumerate() {
            initials.add_all(cache.get(item).initials);
            cache.get(item).names.iter().for_each(|name| by_name.entry(*name).or_default().push(at));
        }
        DeclaredNames { items, cache, by_name, initials, added_up_to: 0 }
    }

    /// Checks an item; `None` if the check is cancelled.
    fn check(
        &mut self,
        driver: &mut LintDriver<'a>,
        at: usize,
        cancelled: &(dyn Fn() -> bool + Sync),
        blocks: &mut BlockRecorder,
        found: &mut Vec<Diagnostic>,
    ) -> Option<CheckedItem> {
        let item = &self.items[at];
        self.declare(driver, at, &self.cache.get(item).names);
        // Most items use no name of another.
        let misses_name = |found: &[Diagnostic]| found.iter().any(|diagnostic| *diagnostic.rule == UNKNOWN_NAME);
        driver.set_known(KnownNames::Some);
        let checked = driver.check(item, cancelled, blocks, &|name| self.declaring(name, at), found)?;
        // A name of the module hides a label that is declared after the branch.
        let is_earlier = |label: &Arc<str>| {
            self.by_name.get(&word(label)).is_some_and(|items| items.iter().any(|declares| *declares < at))
        };
        if !misses_name(found) && !driver.take_reached_labels().iter().any(is_earlier) {
            return Some(checked);
        }
        let earlier = self.mentioned(driver.text(), at);
        let checked = if earlier.is_empty() {
            checked
        } else {
            found.clear();
            earlier.iter().for_each(|item| driver.declare(&self.items[*item]));
            driver.check(item, cancelled, blocks, &|_| Vec::new(), found)?
        };
        // The diagnostic for an unknown name may suggest any declared name.
        if !misses_name(found) {
            return Some(checked);
        }
        found.clear();
        self.items[self.added_up_to..at].iter().for_each(|before| driver.declare(before));
        self.added_up_to = at;
        driver.set_known(KnownNames::All);
        driver.check(item, cancelled, blocks, &|_| Vec::new(), found)
    }

    /// The earlier items that declare a word of an item.
    fn mentioned(&self, text: &Rope, at: usize) -> BTreeSet<usize> {
        let mut earlier = BTreeSet::new();
        words(text, self.items[at].range(), self.initials, |word| {
            earlier.extend(self.by_name.get(&word).into_iter().flatten().filter(|item| **item < at));
        });
        earlier
    }

    /// The earlier items that declare a name, or a range that it is a member of, in order.
    fn declaring(&self, name: &str, at: usize) -> Vec<Item<'a>> {
        if !self.initials.have(name) {
            return Vec::new();
        }
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let mut items: Vec<usize> =
            [name, base].iter().filter_map(|name| self.by_name.get(&word(name))).flatten().copied().collect();
        items.sort_unstable();
        items.dedup();
        items.into_iter().take_while(|item| *item < at).map(|item| self.items[item]).collect()
    }

    /// Adds the names of the earlier items that declare one of the given names.
    fn declare<'n>(&self, driver: &mut LintDriver<'a>, at: usize, names: impl IntoIterator<Item = &'n Fingerprint>) {
        let items = names.into_iter().filter_map(|name| self.by_name.get(name)).flatten();
        let before: BTreeSet<usize> = items.copied().filter(|item| *item < at).collect();
        before.into_iter().for_each(|item| driver.declare(&self.items[item]));
    }
}

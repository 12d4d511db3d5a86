//! The names that are declared before an item, computed lazily for incremental checks.

use super::blocks::BlockRecorder;
use super::fingerprint::Fingerprint;
use super::items::ItemCache;
use super::words::words;
use crate::rules::{CheckedItem, LintDriver};
use diagnostics::Diagnostic;
use diagnostics::registry::UNKNOWN_NAME;
use std::collections::{BTreeSet, HashMap};
use syntax::Item;

/// The names of the module that are declared before an item. They are added to the driver only if the check needs them.
pub(super) struct DeclaredNames<'i, 'a> {
    items: &'i [Item<'a>],
    /// The items that declare each name; `None` if all items are checked, so that all names are needed.
    by_name: Option<HashMap<Fingerprint, Vec<usize>>>,
    /// All names of the items before this index have been added.
    added_up_to: usize,
}

impl<'i, 'a> DeclaredNames<'i, 'a> {
    /// For a check of `stale` items.
    pub(super) fn new(items: &'i [Item<'a>], cache: &ItemCache, stale: usize) -> Self {
        let by_name = (stale < items.len()).then(|| {
            let mut by_name: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
            for (at, item) in items.iter().enumerate() {
                cache.get(item).names.iter().for_each(|name| by_name.entry(*name).or_default().push(at));
            }
            by_name
        });
        DeclaredNames { items, by_name, added_up_to: 0 }
    }

    /// Checks an item; `None` if the check is cancelled.
    pub(super) fn check(
        &mut self,
        driver: &mut LintDriver<'a>,
        cache: &ItemCache,
        at: usize,
        cancelled: &dyn Fn() -> bool,
        blocks: &mut BlockRecorder,
        found: &mut Vec<Diagnostic>,
    ) -> Option<CheckedItem> {
        let item = &self.items[at];
        if self.by_name.is_some() {
            self.declare(driver, at, &cache.get(item).names);
            // Most items use no name of another, and only data flow around atomics depends on names that are not missed here.
            let checked = driver.check(item, cancelled, blocks, found)?;
            let misses_name = found.iter().any(|diagnostic| *diagnostic.rule == UNKNOWN_NAME);
            if !checked.has_atomic && !misses_name {
                return Some(checked);
            }
            found.clear();
            self.declare(driver, at, &words(driver.text(), item.range()));
            let checked = driver.check(item, cancelled, blocks, found)?;
            // The diagnostic for an unknown name may suggest any declared name.
            if found.iter().all(|diagnostic| *diagnostic.rule != UNKNOWN_NAME) {
                return Some(checked);
            }
            found.clear();
        }
        self.items[self.added_up_to..at].iter().for_each(|before| driver.declare(before));
        self.added_up_to = at;
        driver.check(item, cancelled, blocks, found)
    }

    /// Adds the names of the earlier items that declare one of the given names.
    fn declare<'n>(&self, driver: &mut LintDriver<'a>, at: usize, names: impl IntoIterator<Item = &'n Fingerprint>) {
        let items = names.into_iter().filter_map(|name| self.by_name.as_ref()?.get(name)).flatten();
        let before: BTreeSet<usize> = items.copied().filter(|item| *item < at).collect();
        before.into_iter().for_each(|item| driver.declare(&self.items[item]));
    }
}

//! The names that stand before an item, for checking one item of many.

use super::blocks::BlockRecorder;
use super::fingerprint::Fingerprint;
use super::items::ItemCache;
use super::words::words;
use crate::rules::{CheckedItem, Pass};
use diagnostics::Diagnostic;
use diagnostics::registry::UNKNOWN_NAME;
use std::collections::{BTreeSet, HashMap};
use syntax::Item;

/// The names of the module that are declared before an item, taken up no sooner than they matter.
pub(super) struct DeclaredNames<'i, 'a> {
    items: &'i [Item<'a>],
    /// The items that declare a name; `None` where most items are to be checked, so that all names are taken up.
    by_name: Option<HashMap<Fingerprint, Vec<usize>>>,
    /// Before which item all names are taken up.
    up_to: usize,
}

impl<'i, 'a> DeclaredNames<'i, 'a> {
    /// For a check of `stale` of the items.
    pub(super) fn new(items: &'i [Item<'a>], cache: &ItemCache, stale: usize) -> Self {
        let by_name = (stale < items.len()).then(|| {
            let mut by_name: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
            for (at, item) in items.iter().enumerate() {
                cache.get(item).names.iter().for_each(|name| by_name.entry(*name).or_default().push(at));
            }
            by_name
        });
        DeclaredNames { items, by_name, up_to: 0 }
    }

    /// Checks an item; `None` as soon as nobody waits any more.
    pub(super) fn check(
        &mut self,
        pass: &mut Pass<'a>,
        cache: &ItemCache,
        at: usize,
        cancelled: &dyn Fn() -> bool,
        blocks: &mut BlockRecorder,
        found: &mut Vec<Diagnostic>,
    ) -> Option<CheckedItem> {
        let item = &self.items[at];
        if self.by_name.is_some() {
            self.declare(pass, at, &cache.get(item).names);
            // Most items have no atomic, and only the operands of atomics are looked up.
            let checked = pass.check(item, cancelled, blocks, found)?;
            if !checked.has_atomic {
                return Some(checked);
            }
            found.clear();
            self.declare(pass, at, &words(pass.text(), item.range()));
            let checked = pass.check(item, cancelled, blocks, found)?;
            // What is said of a name that means nothing may speak of any other.
            if found.iter().all(|finding| *finding.rule != UNKNOWN_NAME) {
                return Some(checked);
            }
            found.clear();
        }
        self.items[self.up_to..at].iter().for_each(|before| pass.declare(before));
        self.up_to = at;
        pass.check(item, cancelled, blocks, found)
    }

    /// Takes up those items before one that declare one of some names.
    fn declare<'n>(&self, pass: &mut Pass<'a>, at: usize, names: impl IntoIterator<Item = &'n Fingerprint>) {
        let items = names.into_iter().filter_map(|name| self.by_name.as_ref()?.get(name)).flatten();
        let before: BTreeSet<usize> = items.copied().filter(|item| *item < at).collect();
        before.into_iter().for_each(|item| pass.declare(&self.items[item]));
    }
}

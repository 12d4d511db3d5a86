//! The names that stand before an item, for checking one item of many.

use super::KeptItem;
use crate::rules::{CheckedItem, Pass, Quiet};
use crate::words;
use diagnostics::Diagnostic;
use diagnostics::registry::UNKNOWN_NAME;
use std::collections::{BTreeSet, HashMap};
use syntax::Item;

/// The names of the module that are declared before an item, taken up no sooner than they matter.
pub(super) struct DeclaredNames<'i, 'a> {
    items: &'i [Item<'a>],
    /// The items that declare a name, by its digest; empty where all names are taken up.
    by_name: HashMap<u64, Vec<usize>>,
    /// Before which item all names are taken up.
    up_to: usize,
    choosy: bool,
}

impl<'i, 'a> DeclaredNames<'i, 'a> {
    /// `choosy` where most of the items are not to be checked.
    pub(super) fn new(items: &'i [Item<'a>], kept: &HashMap<usize, KeptItem>, choosy: bool) -> Self {
        let mut by_name: HashMap<u64, Vec<usize>> = HashMap::new();
        if choosy {
            for (at, item) in items.iter().enumerate() {
                kept[&item.id()].names.iter().for_each(|name| by_name.entry(*name).or_default().push(at));
            }
        }
        DeclaredNames { items, by_name, up_to: 0, choosy }
    }

    /// Checks an item; `None` as soon as nobody waits any more.
    pub(super) fn check(
        &mut self,
        pass: &mut Pass<'a>,
        kept: &KeptItem,
        at: usize,
        cancelled: &dyn Fn() -> bool,
        quiet: &mut Quiet,
        found: &mut Vec<Diagnostic>,
    ) -> Option<CheckedItem> {
        let item = &self.items[at];
        if self.choosy {
            self.declare(pass, at, &kept.names);
            // Most items have no atomic, and only the operands of atomics are looked up.
            let checked = pass.check(item, cancelled, quiet, found)?;
            if !checked.has_atomic {
                return Some(checked);
            }
            found.clear();
            self.declare(pass, at, &words::of(pass.text(), item.range()));
            let checked = pass.check(item, cancelled, quiet, found)?;
            // What is said of a name that means nothing may speak of any other.
            if found.iter().all(|finding| *finding.rule != UNKNOWN_NAME) {
                return Some(checked);
            }
            found.clear();
        }
        self.items[self.up_to..at].iter().for_each(|before| pass.declare(before));
        self.up_to = at;
        pass.check(item, cancelled, quiet, found)
    }

    /// Takes up those items before one that declare one of some names.
    fn declare<'n>(&self, pass: &mut Pass<'a>, at: usize, names: impl IntoIterator<Item = &'n u64>) {
        let items = names.into_iter().filter_map(|name| self.by_name.get(name)).flatten();
        let before: BTreeSet<usize> = items.copied().filter(|item| *item < at).collect();
        before.into_iter().for_each(|item| pass.declare(&self.items[item]));
    }
}

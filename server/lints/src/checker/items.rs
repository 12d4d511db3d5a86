//! The item cache: what was found in each item of the module, as long as an edit leaves the item alone.

use super::fingerprint::{Fingerprint, FingerprintBuilder};
use super::offsets::{ItemOffsets, RelativeDiagnostic};
use super::words::word;
use crate::rules::CheckedItem;
use diagnostics::{Diagnostic, Settings, suppressions};
use evaluation::{comments, litmus};
use std::collections::HashMap;
use syntax::{Declaration, Item, LintFile};

/// What is known of the items of one text, by their numbers.
#[derive(Debug, Default)]
pub(super) struct ItemCache {
    /// The file that the items belong to; as long as it lives, no other item gets one of their numbers.
    file: Option<LintFile>,
    items: HashMap<usize, CachedItem>,
}

/// What is known of an item.
#[derive(Debug)]
pub(super) struct CachedItem {
    /// Its declarations, with their types.
    pub(super) declarations: Fingerprint,
    /// The names of its declarations, as words of a text.
    pub(super) names: Box<[Fingerprint]>,
    /// Whether it may hold a suppression.
    has_suppression: bool,
    /// Whether it may hold a part of a litmus test.
    has_litmus: bool,
    result: Option<ItemResult>,
}

/// What a check found in an item.
#[derive(Debug)]
struct ItemResult {
    /// What this depends on beside the item's own text.
    key: Fingerprint,
    checked: CheckedItem,
    findings: Vec<RelativeDiagnostic>,
}

/// Which directive comments there may be in a text at all: one search through all of it instead of one in each item.
#[derive(Clone, Copy)]
pub(super) struct DirectiveWords {
    allow: bool,
    litmus: bool,
    pub(super) evaluation: bool,
}

impl DirectiveWords {
    const ALL: DirectiveWords = DirectiveWords { allow: true, litmus: true, evaluation: true };

    fn of(file: &LintFile) -> Self {
        let all = 0..file.text().len_bytes();
        DirectiveWords {
            allow: file.may_have_directive_comments() && file.holds(all.clone(), suppressions::MARK),
            litmus: file.may_have_directive_comments() && litmus::is_marked(file, all.clone()),
            evaluation: file.may_have_directive_comments() && comments::is_marked(file, all),
        }
    }
}

impl ItemCache {
    /// Drops the items that a text has no more, and takes up its new ones; says which directive comments there may be.
    pub(super) fn update(&mut self, file: &LintFile, items: &[Item]) -> DirectiveWords {
        let words = if self.items.is_empty() { DirectiveWords::of(file) } else { DirectiveWords::ALL };
        let mut cached = std::mem::take(&mut self.items);
        let mut update = |item: &Item| cached.remove(&item.id()).unwrap_or_else(|| CachedItem::new(file, item, words));
        self.items = items.iter().map(|item| (item.id(), update(item))).collect();
        self.file = Some(file.clone());
        words
    }

    /// An item of the text that this was last updated for.
    pub(super) fn get(&self, item: &Item) -> &CachedItem {
        &self.items[&item.id()]
    }

    /// The diagnostics of an item at their places now; `None` where it is to be checked.
    pub(super) fn restore(
        &self,
        item: &Item,
        key: Fingerprint,
        offsets: &ItemOffsets,
        settings: &Settings,
    ) -> Option<Vec<Diagnostic>> {
        let result = self.get(item).result.as_ref().filter(|result| result.key == key)?;
        offsets.restore(&result.findings, settings)
    }

    /// Keeps what a check found in an item.
    pub(super) fn store(
        &mut self,
        item: &Item,
        key: Fingerprint,
        checked: CheckedItem,
        findings: Vec<RelativeDiagnostic>,
    ) {
        let cached = self.items.get_mut(&item.id()).expect("every item was taken up");
        cached.result = Some(ItemResult { key, checked, findings });
    }

    /// Whether an item may hold a suppression.
    pub(super) fn has_suppression(&self, item: &Item) -> bool {
        self.items.get(&item.id()).is_some_and(|cached| cached.has_suppression)
    }

    /// Whether there may be a litmus test.
    pub(super) fn has_litmus(&self) -> bool {
        self.items.values().any(|cached| cached.has_litmus)
    }

    /// Whether something is known of an item.
    #[cfg(test)]
    pub(super) fn contains(&self, item: &Item) -> bool {
        self.items.contains_key(&item.id())
    }
}

impl CachedItem {
    fn new(file: &LintFile, item: &Item, words: DirectiveWords) -> Self {
        let declarations = item.declarations();
        CachedItem {
            declarations: fingerprint(&declarations),
            names: declarations.iter().map(|declaration| word(&declaration.name.text)).collect(),
            has_suppression: words.allow && file.holds(item.range(), suppressions::MARK),
            has_litmus: words.litmus && litmus::is_marked(file, item.range()),
            result: None,
        }
    }

    /// What the last check learnt of it beside its diagnostics.
    pub(super) fn checked(&self) -> Option<&CheckedItem> {
        self.result.as_ref().map(|result| &result.checked)
    }
}

fn fingerprint(declarations: &[Declaration]) -> Fingerprint {
    let mut builder = FingerprintBuilder::new();
    for name in declarations {
        let (kind, space, ty) = (name.kind as u8, &name.space.text, &name.ty.text);
        builder.add(&(kind, &name.name.text, name.count, space, ty, &name.vector.text, name.array));
        builder.add(&(name.elements, name.alignment, name.broken));
    }
    builder.finish()
}

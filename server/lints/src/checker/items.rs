//! The item cache: the results of each item of the module, until an edit changes the item.

use crate::checker::CheckerUsage;
use crate::checker::fingerprint::{Fingerprint, FingerprintBuilder};
use crate::checker::offsets::{ItemOffsets, RelativeDiagnostic};
use crate::checker::parallel;
use crate::checker::reparsed::ReparsedItems;
use crate::checker::words::{Initials, word};
use crate::driver::CheckedItem;
use diagnostics::{Diagnostic, Settings, suppressions};
use evaluation::comments;
use foldhash::{HashMap, HashSet};
use legality::directives::PRAGMA;
use std::collections::hash_map::Entry;
use syntax::{Declaration, DeclarationKind, FunctionType, Item, LintFile};

/// The cached results of the items of one text, by item id.
#[derive(Debug, Default)]
pub(super) struct ItemCache {
    /// The file of the items. It is kept alive so that no other item reuses one of their ids.
    file: Option<LintFile>,
    items: HashMap<usize, CachedItem>,
}

/// The cached facts of an item.
#[derive(Debug)]
pub(super) struct CachedItem {
    /// The fingerprint of its declarations.
    pub(super) declarations: Fingerprint,
    /// The fingerprints of the declared names.
    pub(super) names: Box<[Fingerprint]>,
    /// The first bytes of the declared names.
    pub(super) initials: Initials,
    /// Whether it may contain a suppression comment.
    has_suppression: bool,
    /// Whether it may contain a part of a litmus test.
    has_litmus: bool,
    result: Option<ItemResult>,
}

/// The result of checking an item.
#[derive(Debug)]
struct ItemResult {
    /// The fingerprint of what the result depends on besides the text of the item.
    key: Fingerprint,
    checked: CheckedItem,
    diagnostics: Vec<RelativeDiagnostic>,
}

/// The kinds of directive comments that a text may contain, and whether there may be pragmas. One search of the whole text avoids a search of each
/// item.
#[derive(Clone, Copy)]
pub(super) struct DirectiveWords {
    pub(super) allow: bool,
    litmus: bool,
    pub(super) evaluation: bool,
    pub(super) pragma: bool,
}

impl DirectiveWords {
    const ALL: DirectiveWords = DirectiveWords { allow: true, litmus: true, evaluation: true, pragma: true };

    fn of(file: &LintFile) -> Self {
        let all = 0..file.text().len_bytes();
        DirectiveWords {
            allow: file.may_have_directive_comments() && file.holds(all.clone(), suppressions::MARKER),
            litmus: file.may_have_directive_comments() && litmus::is_marked(file, all.clone()),
            evaluation: file.may_have_directive_comments() && comments::is_marked(file, all.clone()),
            pragma: file.holds(all, PRAGMA),
        }
    }
}

impl ItemCache {
    /// Removes old items and adds new ones. A checker of one snapshot needs no keys. Returns the kinds of directive comments that the text may contain.
    pub(super) fn update(&mut self, file: &LintFile, items: &[Item], usage: CheckerUsage) -> DirectiveWords {
        let words = if self.items.is_empty() { DirectiveWords::of(file) } else { DirectiveWords::ALL };
        let mut cached = std::mem::take(&mut self.items);
        self.items = if cached.is_empty() {
            parallel::map(items, |item| (item.id(), CachedItem::new(file, item, words, usage))).into_iter().collect()
        } else {
            let reparsed = ReparsedItems::between(self.file.as_ref(), |id| cached.contains_key(&id), file, items);
            let new = |item: &Item| CachedItem::new(file, item, words, usage);
            let mut update = |item: &Item| {
                let known = reparsed.earlier_function(item).unwrap_or_else(|| item.id());
                cached.remove(&known).unwrap_or_else(|| new(item))
            };
            let mut updated: HashMap<usize, CachedItem> = items.iter().map(|item| (item.id(), update(item))).collect();
            if !reparsed.is_empty() {
                let results = updated.values_mut().filter_map(|item| item.result.as_mut());
                let places = results.flat_map(|result| &mut result.diagnostics);
                places.for_each(|diagnostic| diagnostic.rename_items(|id| reparsed.current(id)));
            }
            // The id of an item that is gone may be given to another one.
            let ids: HashSet<usize> = updated.keys().copied().collect();
            for item in updated.values_mut() {
                let is_current =
                    |result: &ItemResult| result.diagnostics.iter().all(|one| one.is_of(|id| ids.contains(&id)));
                item.result = item.result.take().filter(is_current);
            }
            updated
        };
        self.file = Some(file.clone());
        words
    }

    /// An item of the text of the last update.
    pub(super) fn get(&self, item: &Item) -> &CachedItem {
        &self.items[&item.id()]
    }

    /// The cached diagnostics of an item at their current positions; `None` if the item must be checked.
    pub(super) fn restore(
        &self,
        item: &Item,
        key: Fingerprint,
        offsets: &ItemOffsets,
        settings: &Settings,
    ) -> Option<Vec<Diagnostic>> {
        let result = self.get(item).result.as_ref().filter(|result| result.key == key)?;
        offsets.restore(&result.diagnostics, settings)
    }

    /// Stores the result of checking an item.
    pub(super) fn store(
        &mut self,
        item: &Item,
        key: Fingerprint,
        checked: CheckedItem,
        diagnostics: Vec<RelativeDiagnostic>,
    ) {
        let cached = self.items.get_mut(&item.id()).expect("every item was added by `update`");
        cached.result = Some(ItemResult { key, checked, diagnostics });
    }

    /// Replaces what checking an item found, except for its diagnostics.
    pub(super) fn replace(&mut self, item: &Item, checked: CheckedItem) {
        let result = self.items.get_mut(&item.id()).and_then(|cached| cached.result.as_mut());
        result.expect("the item was checked").checked = checked;
    }

    /// The items that declare a name again, each with the first that declares it, as indices.
    pub(super) fn repeated(&self, items: &[Item]) -> Vec<(usize, usize)> {
        let (mut first, mut repeated) = (HashMap::default(), Vec::new());
        for (at, item) in items.iter().enumerate() {
            for name in &self.get(item).names {
                match first.entry(*name) {
                    Entry::Vacant(place) => _ = place.insert(at),
                    Entry::Occupied(known) => repeated.push((*known.get(), at)),
                }
            }
        }
        repeated.dedup();
        repeated
    }

    /// Whether an item may contain a suppression comment.
    pub(super) fn has_suppression(&self, item: &Item) -> bool {
        self.items.get(&item.id()).is_some_and(|cached| cached.has_suppression)
    }

    /// Whether the text may contain a suppression comment.
    pub(super) fn has_suppressions(&self) -> bool {
        self.items.values().any(|cached| cached.has_suppression)
    }

    /// Whether the text may contain a litmus test.
    pub(super) fn has_litmus(&self) -> bool {
        self.items.values().any(|cached| cached.has_litmus)
    }

    /// Whether an item is cached.
    #[cfg(test)]
    pub(super) fn contains(&self, item: &Item) -> bool {
        self.items.contains_key(&item.id())
    }
}

impl CachedItem {
    fn new(file: &LintFile, item: &Item, words: DirectiveWords, usage: CheckerUsage) -> Self {
        let declarations = item.declarations();
        let key = || fingerprint(file, &declarations);
        // One search for a byte instead of three for words: a debug section can be most of the text and has no comment.
        let has_comment = (words.allow || words.litmus) && file.holds(item.range(), "/");
        CachedItem {
            declarations: if usage == CheckerUsage::Once { Fingerprint::default() } else { key() },
            initials: declarations.iter().map(|declaration| &*declaration.name.text).collect(),
            names: declarations.iter().map(|declaration| word(&declaration.name.text)).collect(),
            has_suppression: has_comment && words.allow && file.holds(item.range(), suppressions::MARKER),
            has_litmus: has_comment && words.litmus && litmus::is_marked(file, item.range()),
            result: None,
        }
    }

    /// The result of the last check, without its diagnostics.
    pub(super) fn checked(&self) -> Option<&CheckedItem> {
        self.result.as_ref().map(|result| &result.checked)
    }
}

fn fingerprint(file: &LintFile, declarations: &[Declaration]) -> Fingerprint {
    let mut builder = FingerprintBuilder::new();
    for name in declarations {
        builder.add(&Fingerprint::of_declaration(name));
        if name.kind == DeclarationKind::Function {
            builder.add(&FunctionType::of(file, name));
        }
    }
    builder.finish()
}

//! Items that a new parse gave other ids: a short text with a syntax error is parsed afresh after each edit, which is every key of an
//! instruction that is being typed.

use crate::checker::fingerprint::Fingerprint;
use foldhash::{HashMap, HashSet};
use syntax::{Item, LintFile};

/// The ids of the items of the last text that are in the current one, word for word, as other nodes.
#[derive(Debug, Default)]
pub(super) struct ReparsedItems {
    /// The current id by the earlier one.
    current: HashMap<usize, usize>,
    /// The earlier ids of functions by their current ones.
    functions: HashMap<usize, usize>,
}

impl ReparsedItems {
    /// Compares the items that are in one of the texts only; `is_known` says whether an id is of the last text. An item with a syntax error, or
    /// with a twin, is left out, and so are comments: a parse makes those near an edit anew.
    pub(super) fn between(
        before: Option<&LintFile>,
        is_known: impl Fn(usize) -> bool,
        file: &LintFile,
        items: &[Item],
    ) -> Self {
        let is_new = |item: &&Item| !is_known(item.id()) && !item.is_comment();
        let new: Vec<&Item> = items.iter().filter(is_new).collect();
        // An edit alone makes one, whose text has changed.
        let Some(before) = before.filter(|_| new.len() > 1) else { return ReparsedItems::default() };
        let earlier = before.module_items();
        let kept: HashSet<usize> = items.iter().map(Item::id).collect();
        let replaced: Vec<&Item> = earlier.iter().filter(|item| !kept.contains(&item.id())).collect();
        // Only items of the same length can have the same text.
        let lengths = |items: &[&Item]| items.iter().map(|item| item.range().len()).collect::<HashSet<usize>>();
        let common = &lengths(&new) & &lengths(&replaced);
        let comparable = |item: &&Item| common.contains(&item.range().len());
        let earlier = by_text(before, replaced.into_iter().filter(comparable));
        let mut found = ReparsedItems::default();
        for (text, item) in by_text(file, new.into_iter().filter(comparable)) {
            if let (Some(item), Some(Some(same))) = (item, earlier.get(&text)) {
                found.current.insert(same.id(), item.id());
                if item.is_function() && same.is_function() {
                    found.functions.insert(item.id(), same.id());
                }
            }
        }
        found
    }

    /// The earlier id of a function. The results of other items are not used again: they may depend on the items before.
    pub(super) fn earlier_function(&self, item: &Item) -> Option<usize> {
        self.functions.get(&item.id()).copied()
    }

    /// The current id of an item of the last text, if it has another one.
    pub(super) fn current(&self, earlier: usize) -> Option<usize> {
        self.current.get(&earlier).copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.current.is_empty()
    }
}

/// Items without syntax errors by their text; `None` for several with the same.
fn by_text<'i, 'a: 'i>(
    file: &LintFile,
    items: impl Iterator<Item = &'i Item<'a>>,
) -> HashMap<Fingerprint, Option<&'i Item<'a>>> {
    let mut found = HashMap::default();
    for item in items.filter(|item| !item.is_broken()) {
        let text = Fingerprint::of_text(file.text(), item.range());
        found.entry(text).and_modify(|item| *item = None).or_insert(Some(item));
    }
    found
}

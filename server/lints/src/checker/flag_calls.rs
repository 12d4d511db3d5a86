//! Records what calls do around flags, once it is known that a function of the module only waits for a flag or sets one. Few modules have one, and
//! otherwise the data flow of a function that only calls others is not needed.

use super::blocks::BlockRecorder;
use super::declared_names;
use super::fingerprint::Fingerprint;
use super::items::ItemCache;
use super::part::CheckedPart;
use super::words::{Initials, word, words};
use crate::rules::{CheckedItem, LintModule};
use foldhash::HashSet;
use std::collections::HashMap;
use syntax::Item;

/// Replaces the results of the items that call such a function. `None` if the check is cancelled.
pub(super) fn record(
    module: &LintModule,
    (items, cache): (&[Item], &ItemCache),
    parts: &mut [CheckedPart],
    blocks: BlockRecorder,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<()> {
    let checked = || parts.iter().flat_map(|part| &part.items);
    let names = || checked().flat_map(|(_, item, _)| item.flags().function_names());
    let initials: Initials = names().collect();
    let names: HashSet<Fingerprint> = names().map(word).collect();
    if names.is_empty() {
        return Some(());
    }
    let calls = |at: usize| {
        let mut calls = false;
        words(module.text(), items[at].range(), initials, |word| calls |= names.contains(&word));
        calls
    };
    let open = checked().filter(|(_, item, _)| item.flags().leaves_out_calls).map(|(at, ..)| *at);
    let callers: Vec<usize> = open.filter(|at| calls(*at)).collect();
    // The diagnostics are known.
    let again = declared_names::check(module, (items, cache), &callers, blocks, cancelled);
    if again.items.len() < callers.len() {
        return None;
    }
    let mut again: HashMap<usize, CheckedItem> = again.items.into_iter().map(|(at, item, _)| (at, item)).collect();
    for (at, item, _) in parts.iter_mut().flat_map(|part| &mut part.items) {
        if let Some(with_calls) = again.remove(at) {
            *item = with_calls;
        }
    }
    Some(())
}

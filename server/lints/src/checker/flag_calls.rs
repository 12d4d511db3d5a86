//! Records what calls do around flags, once it is known that a function of the module only waits for a flag or sets one. Few modules have one, and
//! otherwise the data flow of a function that only calls others is not needed.

use crate::checker::blocks::BlockRecorder;
use crate::checker::declared_names;
use crate::checker::fingerprint::Fingerprint;
use crate::checker::items::ItemCache;
use crate::checker::words::{Initials, word, words};
use crate::driver::LintModule;
use foldhash::HashSet;
use syntax::Item;

/// The names of the functions whose callers were searched for by the last check; none after a cancelled one.
#[derive(Debug, Default)]
pub(super) struct FlagFunctions(HashSet<Fingerprint>);

impl FlagFunctions {
    /// Replaces the results of the items that call such a function. Those that are not among the new ones were searched before, for the known
    /// functions. `None` if the check is cancelled.
    pub(super) fn record_calls(
        self,
        module: &LintModule,
        (items, cache): (&[Item], &mut ItemCache),
        new: &[usize],
        blocks: BlockRecorder,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Self> {
        let flags = |item: &Item| cache.get(item).checked().map(|checked| checked.flags());
        let names = || items.iter().filter_map(flags).flat_map(|flags| flags.function_names());
        let initials: Initials = names().collect();
        let names: HashSet<Fingerprint> = names().map(word).collect();
        if names.is_empty() {
            return Some(FlagFunctions::default());
        }
        let unknown: HashSet<Fingerprint> = names.difference(&self.0).copied().collect();
        let calls = |at: usize| {
            let sought = if new.binary_search(&at).is_ok() { &names } else { &unknown };
            let mut calls = false;
            if !sought.is_empty() {
                words(module.text(), items[at].range(), initials, |word| calls |= sought.contains(&word));
            }
            calls
        };
        let is_open = |at: &usize| flags(&items[*at]).is_some_and(|flags| flags.leaves_out_calls);
        let callers: Vec<usize> = (0..items.len()).filter(is_open).filter(|at| calls(*at)).collect();
        let again = declared_names::check(module, (items, &*cache), &callers, blocks, cancelled);
        if again.items.len() < callers.len() {
            return None;
        }
        // The diagnostics are known.
        again.items.into_iter().for_each(|(at, item, _)| cache.replace(&items[at], item));
        Some(FlagFunctions(names))
    }
}

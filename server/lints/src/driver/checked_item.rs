//! The result of checking an item.

use legality::flag_facts::FlagFacts;
use legality::summary::Summary;

/// The result of checking an item, without its diagnostics.
#[derive(Debug)]
pub(crate) struct CheckedItem {
    pub(super) summary: Summary,
}

impl CheckedItem {
    /// What it does with flags, and what its calls do around them.
    pub(crate) fn flags(&self) -> &FlagFacts {
        &self.summary.flags
    }
}

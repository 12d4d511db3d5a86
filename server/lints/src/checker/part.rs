//! The result of checking some of the items of a text.

use super::blocks::BlockRecorder;
use crate::Coverage;
use crate::rules::CheckedItem;
use diagnostics::Diagnostic;

/// The result of checking some items.
pub(super) struct CheckedPart<'c> {
    /// The items that were checked, each with its index and its diagnostics. They are not all of the part if the check was cancelled.
    pub items: Vec<(usize, CheckedItem, Vec<Diagnostic>)>,
    pub coverage: Coverage,
    pub blocks: BlockRecorder<'c>,
}

//! The result of checking some of the items of a text.

use crate::Coverage;
use crate::checker::blocks::BlockRecorder;
use crate::driver::CheckedItem;
use diagnostics::Diagnostic;

/// The result of checking some items.
pub(super) struct CheckedPart<'c> {
    /// The items that were checked, each with its index and its diagnostics. They are not all of the part if the check was cancelled.
    pub items: Vec<(usize, CheckedItem, Vec<Diagnostic>)>,
    pub coverage: Coverage,
    pub blocks: BlockRecorder<'c>,
}

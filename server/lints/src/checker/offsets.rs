//! Item offsets: diagnostics that are kept relative to the items that they lie in, so that an edit before an item moves them along.

use diagnostics::{Diagnostic, Settings};
use std::collections::HashMap;
use std::ops::Range;
use syntax::Item;

/// A diagnostic whose ranges count from the starts of the items that they lie in.
#[derive(Clone, Debug)]
pub(super) struct RelativeDiagnostic {
    finding: Diagnostic,
    /// The item of each range, in the order of [`ranges`].
    items: Vec<usize>,
}

/// Where the items of a text begin.
pub(super) struct ItemOffsets {
    /// Starts and numbers, in the order of the text.
    starts: Vec<(usize, usize)>,
    of: HashMap<usize, usize>,
}

impl ItemOffsets {
    pub(super) fn new(items: &[Item]) -> Self {
        let starts: Vec<_> = items.iter().map(|item| (item.range().start, item.id())).collect();
        let of = starts.iter().map(|(start, id)| (*id, *start)).collect();
        ItemOffsets { starts, of }
    }

    /// A diagnostic relative to the items that it speaks of.
    pub(super) fn relative(&self, finding: &Diagnostic) -> RelativeDiagnostic {
        let mut finding = finding.clone();
        let mut items = Vec::new();
        ranges(&mut finding, |range| {
            let at = self.starts.partition_point(|(start, _)| *start <= range.start).saturating_sub(1);
            let (start, id) = self.starts.get(at).copied().unwrap_or_default();
            items.push(id);
            let base = start.min(range.start);
            *range = range.start - base..range.end - base;
            true
        });
        RelativeDiagnostic { finding, items }
    }

    /// The diagnostics that are shown, at their places now; `None` where one speaks of an item that is no more.
    pub(super) fn restore(&self, findings: &[RelativeDiagnostic], settings: &Settings) -> Option<Vec<Diagnostic>> {
        findings
            .iter()
            .filter(|relative| settings.shows(relative.finding.rule))
            .map(|relative| {
                let mut finding = relative.finding.clone();
                let mut items = relative.items.iter();
                let all = ranges(&mut finding, |range| match items.next().and_then(|id| self.of.get(id)) {
                    Some(start) => {
                        *range = range.start + start..range.end + start;
                        true
                    }
                    None => false,
                });
                all.then_some(finding)
            })
            .collect()
    }
}

/// Shows every range of a diagnostic, in a fixed order, until one is refused.
fn ranges(finding: &mut Diagnostic, mut see: impl FnMut(&mut Range<usize>) -> bool) -> bool {
    see(&mut finding.range)
        && finding.related.iter_mut().all(|related| see(&mut related.range))
        && finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits).all(|edit| see(&mut edit.range))
}

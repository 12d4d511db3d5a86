//! Item offsets: cached diagnostics have ranges relative to their items, so that they stay valid when an earlier edit moves the item.

use diagnostics::{Diagnostic, Settings};
use std::collections::HashMap;
use std::ops::Range;
use syntax::Item;

/// A diagnostic whose ranges are relative to the starts of their items.
#[derive(Clone, Debug)]
pub(super) struct RelativeDiagnostic {
    diagnostic: Diagnostic,
    /// The item of each range, in the order of [`ranges`].
    items: Vec<usize>,
}

impl RelativeDiagnostic {
    /// Gives the items of its ranges their current ids; `None` keeps one.
    pub(super) fn rename_items(&mut self, current: impl Fn(usize) -> Option<usize>) {
        self.items.iter_mut().for_each(|id| *id = current(*id).unwrap_or(*id));
    }

    /// Whether the items of all its ranges are in the text.
    pub(super) fn is_of(&self, is_item: impl Fn(usize) -> bool) -> bool {
        self.items.iter().all(|id| is_item(*id))
    }
}

/// The start offsets of the items of a text.
pub(super) struct ItemOffsets {
    /// Start offsets and item ids, in text order.
    starts: Vec<(usize, usize)>,
    of: HashMap<usize, usize>,
}

impl ItemOffsets {
    pub(super) fn new(items: &[Item]) -> Self {
        let starts: Vec<_> = items.iter().map(|item| (item.range().start, item.id())).collect();
        let of = starts.iter().map(|(start, id)| (*id, *start)).collect();
        ItemOffsets { starts, of }
    }

    /// Makes a diagnostic relative to the items of its ranges.
    pub(super) fn relative(&self, diagnostic: &Diagnostic) -> RelativeDiagnostic {
        let mut diagnostic = diagnostic.clone();
        let mut items = Vec::new();
        ranges(&mut diagnostic, |range| {
            let at = self.starts.partition_point(|(start, _)| *start <= range.start).saturating_sub(1);
            let (start, id) = self.starts.get(at).copied().unwrap_or_default();
            items.push(id);
            let base = start.min(range.start);
            *range = range.start - base..range.end - base;
            true
        });
        RelativeDiagnostic { diagnostic, items }
    }

    /// The enabled diagnostics at their current positions; `None` if one refers to an item that no longer exists.
    pub(super) fn restore(&self, diagnostics: &[RelativeDiagnostic], settings: &Settings) -> Option<Vec<Diagnostic>> {
        diagnostics
            .iter()
            .filter(|relative| settings.is_enabled(relative.diagnostic.rule))
            .map(|relative| {
                let mut diagnostic = relative.diagnostic.clone();
                let mut items = relative.items.iter();
                let all = ranges(&mut diagnostic, |range| match items.next().and_then(|id| self.of.get(id)) {
                    Some(start) => {
                        *range = range.start + start..range.end + start;
                        true
                    }
                    None => false,
                });
                all.then_some(diagnostic)
            })
            .collect()
    }
}

/// Calls `visit` with every range of a diagnostic, in a fixed order, until it returns `false`.
fn ranges(diagnostic: &mut Diagnostic, mut see: impl FnMut(&mut Range<usize>) -> bool) -> bool {
    see(&mut diagnostic.range)
        && diagnostic.related.iter_mut().all(|related| see(&mut related.range))
        && diagnostic.fixes.iter_mut().flat_map(|fix| &mut fix.edits).all(|edit| see(&mut edit.range))
}

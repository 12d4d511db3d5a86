//! Checks all items of a text in parallel.
//!
//! The items are divided into parts of consecutive items. Each thread takes the next part that no other has taken, and keeps its driver for it:
//! what a driver remembers of earlier items are names, which are declared in the order of the text, and results that are the same for every
//! driver. So the results depend neither on the division into parts nor on the schedule.

use crate::checker::blocks::BlockRecorder;
use crate::checker::part::CheckedPart;
use crate::driver::{LintDriver, LintModule};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use syntax::Item;

/// The minimum size of a part, in bytes.
const MIN_PART: usize = 64 << 10;

/// The number of parts per thread, so that threads with short parts take over others.
const PARTS_PER_THREAD: usize = 32;

/// The minimum number of items that a thread reads at once.
const MIN_ITEMS: usize = 64;

/// What `read` returns for each item, in order.
pub(super) fn map<T: Send>(items: &[Item], read: impl Fn(&Item) -> T + Send + Sync) -> Vec<T> {
    items.par_iter().with_min_len(MIN_ITEMS).map(read).collect()
}

/// Checks all items. The parts are in the order of the text.
pub(super) fn check<'c>(
    module: &LintModule,
    items: &[Item],
    blocks: &(dyn Fn() -> BlockRecorder<'c> + Sync),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<CheckedPart<'c>> {
    let parts = parts(items);
    let next = AtomicUsize::new(0);
    // Relaxed: each index is taken once, whatever else the threads see.
    let take = || parts.get(next.fetch_add(1, Ordering::Relaxed)).cloned();
    let check_some = |_| {
        let mut checker = PartChecker { driver: LintDriver::new(module), items, declared: 0 };
        std::iter::from_fn(take).map(|part| (part.start, checker.check(part, blocks(), cancelled))).collect()
    };
    let threads = rayon::current_num_threads().min(parts.len());
    let checked: Vec<Vec<_>> = (0..threads).into_par_iter().with_max_len(1).map(check_some).collect();
    let mut checked: Vec<_> = checked.into_iter().flatten().collect();
    checked.sort_by_key(|(start, _)| *start);
    checked.into_iter().map(|(_, part)| part).collect()
}

/// Checks parts in the order of the text.
struct PartChecker<'i, 'a> {
    driver: LintDriver<'a>,
    items: &'i [Item<'a>],
    /// The driver knows the names of the items before this index.
    declared: usize,
}

impl PartChecker<'_, '_> {
    fn check<'c>(
        &mut self,
        range: Range<usize>,
        mut blocks: BlockRecorder<'c>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> CheckedPart<'c> {
        self.items[self.declared..range.start].iter().for_each(|before| self.driver.declare(before));
        self.declared = range.end;
        let mut checked = Vec::with_capacity(range.len());
        for at in range {
            let mut found = Vec::new();
            if cancelled() {
                break;
            }
            let item = self.driver.check(&self.items[at], cancelled, &mut blocks, &|_| Vec::new(), &mut found);
            let Some(item) = item else { break };
            checked.push((at, item, found));
        }
        CheckedPart { items: checked, coverage: std::mem::take(&mut self.driver.coverage), blocks }
    }
}

/// Divides items into parts of similar size.
fn parts(items: &[Item]) -> Vec<Range<usize>> {
    let total: usize = items.iter().map(|item| item.range().len()).sum();
    let threads = rayon::current_num_threads();
    let least = if threads == 1 { total } else { (total / (threads * PARTS_PER_THREAD)).max(MIN_PART) };
    let (mut parts, mut start, mut length) = (Vec::new(), 0, 0);
    for (at, item) in items.iter().enumerate() {
        length += item.range().len();
        if length >= least {
            parts.push(start..at + 1);
            (start, length) = (at + 1, 0);
        }
    }
    parts.extend((start < items.len()).then_some(start..items.len()));
    parts
}

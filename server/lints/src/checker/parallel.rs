//! Checks all items of a text, in parts of consecutive items that are checked in parallel.
//!
//! Each part has its own driver, so the results depend neither on the division into parts nor on the schedule.

use super::blocks::BlockRecorder;
use super::part::CheckedPart;
use crate::rules::{LintDriver, LintModule};
use rayon::prelude::*;
use std::ops::Range;
use syntax::Item;

/// The minimum size of a part, in bytes: each part resolves its opcodes anew.
const MIN_PART: usize = 256 << 10;

/// The number of parts per thread, so that threads with short parts take over others.
const PARTS_PER_THREAD: usize = 4;

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
    parts(items).into_par_iter().map(|part| check_part(module, items, part, blocks(), cancelled)).collect()
}

fn check_part<'c>(
    module: &LintModule,
    items: &[Item],
    range: Range<usize>,
    mut blocks: BlockRecorder<'c>,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> CheckedPart<'c> {
    let mut driver = LintDriver::new(module);
    items[..range.start].iter().for_each(|before| driver.declare(before));
    let mut checked = Vec::with_capacity(range.len());
    for at in range {
        let mut found = Vec::new();
        if cancelled() {
            break;
        }
        let item = driver.check(&items[at], cancelled, &mut blocks, &Vec::new, &mut found);
        let Some(item) = item else { break };
        checked.push((at, item, found));
    }
    CheckedPart { items: checked, coverage: driver.coverage, blocks }
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

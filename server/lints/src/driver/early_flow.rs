//! The data flow of a long function, which another thread builds beside the walk over its statements.

use crate::checker::BlockRecorder;
use syntax::Item;

/// The length from which a function is long, in bytes.
const LONG: usize = 1 << 20;

/// The length from which a function that is edited gains more than it costs to wake a thread, in bytes.
const WORTH_A_THREAD: usize = 16 << 10;

/// Whether to build the data flow of an item before it is known to be needed: there is another thread, and the item is long, or the last check
/// needed data flow.
pub(crate) fn is_worthwhile(item: &Item, blocks: &BlockRecorder) -> bool {
    let length = item.range().len();
    let is_long = length >= LONG || length >= WORTH_A_THREAD && blocks.expects_flow();
    is_long && rayon::current_num_threads() > 1
}

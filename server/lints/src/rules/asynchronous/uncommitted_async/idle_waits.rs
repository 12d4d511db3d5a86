//! Waits for groups of `cp.async` that wait for nothing when a kernel reaches them first: no more groups are committed than may stay pending.

use analysis::effects::{CopyGroup, FunctionEffects, MemoryEffect};
use analysis::values::{BasicBlocks, PostDominators};

/// The number of groups that are told apart; a loop with a commit reaches it.
const MAX_COMMITS: i64 = 9;

/// The maximum number of branches to visit per function.
const STEP_BUDGET: usize = 20_000;

/// A wait, and the most groups that are committed when it is reached first.
pub(in crate::rules::asynchronous::uncommitted_async) struct IdleWait {
    pub at: usize,
    pub commits: i64,
}

/// The waits of a kernel that leave more groups pending than any path to their first execution has committed.
pub(in crate::rules::asynchronous::uncommitted_async) fn idle_waits(function: &FunctionEffects) -> Vec<IdleWait> {
    let flow = function.flow;
    let waits = function.effects().iter().filter(|(_, effect)| *effect == MemoryEffect::Group(CopyGroup::Wait));
    let pending = |at: usize| flow.instruction(at).values.first().and_then(|value| flow.constant(value, at));
    let waits = waits.filter_map(|(at, _)| Some((*at, pending(*at)?)));
    let idle = |(at, pending): (usize, i64)| {
        let commits = first_commits(function, at)?;
        (0 < commits && commits <= pending).then_some(IdleWait { at, commits })
    };
    waits.filter_map(idle).collect()
}

/// The most groups that a path from the start commits before it reaches a wait for the first time; `None` if it is not bounded.
fn first_commits(function: &FunctionEffects, wait: usize) -> Option<i64> {
    let flow = function.flow;
    let blocks = flow.blocks()?;
    let commits = |start: usize, end: usize| {
        let effects = function.effects_in(start..end).iter();
        effects.filter(|(_, effect)| *effect == MemoryEffect::Group(CopyGroup::Commit)).count() as i64
    };
    let own = blocks.of(wait);
    let mut most = vec![None; blocks.len()];
    most[BasicBlocks::ENTRY] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for block in blocks.reverse_postorder().filter(|block| *block != own) {
            let Some(before) = most[block] else { continue };
            let after = MAX_COMMITS.min(before + commits(blocks.start(block), blocks.end(block, flow.len())));
            for next in blocks.successors(block) {
                if most[next].is_none_or(|known| known < after) {
                    most[next] = Some(after);
                    changed = true;
                }
            }
        }
    }
    most[own].map(|before| before + commits(blocks.start(own), wait)).filter(|most| *most < MAX_COMMITS)
}

/// Whether a read is executed whenever a wait before it is.
pub(in crate::rules::asynchronous::uncommitted_async) fn always_follows(
    function: &FunctionEffects,
    post_dominators: &PostDominators,
    read: usize,
    wait: usize,
) -> bool {
    let flow = function.flow;
    let Some(blocks) = flow.blocks() else { return false };
    let (of_read, of_wait) = (blocks.of(read), blocks.of(wait));
    if of_read == of_wait || flow.is_guarded(read) {
        return wait < read && !flow.is_guarded(read);
    }
    let mut budget = STEP_BUDGET;
    let mut deciding = |block: usize| post_dominators.all_deciding(block, blocks, &mut budget);
    let Some((read_by, wait_by)) = deciding(of_read).zip(deciding(of_wait)) else { return false };
    blocks.dominates(of_wait, of_read) && read_by.iter().all(|branch| wait_by.contains(branch))
}

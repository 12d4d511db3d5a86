//! Barriers that take all lanes of a warp (`.aligned`), under conditions that differ between lanes.
//!
//! Lanes that wait at such a barrier are let go once the others of their warp have ended. That is right if those returned early: the PTX ISA counts only
//! threads that have not ended, and compilers write `if (i >= n) return;` before barriers. It is a mistake if they went around the barrier to code
//! that both reach. So each conditional instruction is looked up with the place where its ways meet, and the warp keeps which way each lane went.

use crate::threads::executor::Executor;
use program::analysis::barrier_conditions::ConditionWays;
use program::analysis::conditional_barriers::barrier_conditions;
use program::problem::{CodePlace, ProblemKind};

/// Some lanes execute the current instruction, and its guard holds in some of them: it may decide who executes a barrier.
pub fn note_ways(executor: &mut Executor<'_, '_>, lanes: u32, held: u32) {
    let found = barrier_conditions(executor.function);
    if found.all.is_empty() || !found.all.contains(&executor.next) {
        return;
    }
    let place = executor.place();
    let known = executor.warp.ways.iter().position(|ways| ways.condition == place);
    let at = known.unwrap_or_else(|| {
        executor.warp.ways.push(ConditionWays::new(place));
        executor.warp.ways.len() - 1
    });
    executor.warp.ways[at].add(lanes, held);
}

/// Reports a barrier that takes all lanes if others have gone around it, and have ended since.
pub fn report_skipped(executor: &mut Executor<'_, '_>, active: u32) {
    let found = barrier_conditions(executor.function);
    let Some(conditions) = found.of_barrier.get(&executor.next) else { return };
    let (place, lane) = (executor.place(), active.trailing_zeros() as usize);
    let ended = !executor.warp.live;
    let missing = executor.warp.ways.iter().fold(0, |all, ways| {
        let CodePlace { function, instruction } = ways.condition;
        if function != place.function || !conditions.contains(&instruction) {
            return all;
        }
        // The guard of the barrier itself is counted when it is executed.
        all | ways.parted_from(lane, u32::from(instruction == place.instruction), ended)
    });
    note_ways(executor, active, active);
    if missing != 0 {
        executor.report(ProblemKind::BarrierDivergence { present: active, required: active | missing }, lane);
    }
}

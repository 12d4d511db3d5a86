//! Which lanes execute `activemask` together: any of those that are before it at that moment, as no rule says which ones have converged.
//!
//! All groups of a few lanes are explored. Of many lanes those are in which all of them, or the first one alone, go on.

use crate::choices::sharing::{SharedLocations, SharingAccess};
use crate::choices::transition::Transition;
use crate::choices::waits;
use machine::state::Machine;
use machine::threads::executor::Executor;
use machine::threads::warp::{SplitState, Warp};
use ordering::load_buffering::read_values;
use program::collective::CollectiveOperation;
use program::effects::Synchronization;
use program::lanes::lanes_of;
use program::memory::location::{LocationKey, RacedMemory};

/// The most lanes of which each group is explored.
const MOST_LANES: u32 = 4;

/// The location that stands for the lanes of a warp that execute `activemask`.
const fn active_lanes_of(warp: u32) -> LocationKey {
    (RacedMemory::Global(usize::MAX - 1), warp as usize)
}

/// The groups in which lanes go on that are before the same `activemask` as a split; the largest one comes last, to be explored first.
pub fn active_groups(machine: &mut Machine<'_>, (at, warp): (usize, &Warp), split: usize) -> Vec<Transition> {
    let all = before_same_instruction(warp, split);
    let lanes: Vec<usize> = lanes_of(all).collect();
    let groups: Vec<u32> = if all.count_ones() <= MOST_LANES {
        let members = |number: u32| lanes_of(number).fold(0, |group, index| group | 1 << lanes[index]);
        (1..1 << lanes.len()).map(members).collect()
    } else {
        machine.explored.leaves_out_lanes = true;
        vec![1 << all.trailing_zeros(), all]
    };
    groups.into_iter().map(|group| Transition::ActiveLanes(at, group)).collect()
}

/// Some lanes of a warp execute an instruction together.
pub fn take_active(machine: &mut Machine<'_>, warp: &mut Warp, lanes: u32) {
    let Some(split) = warp.split_of(lanes.trailing_zeros()) else { return };
    let split = warp.join_among(split, lanes);
    let mut executor = Executor::new(machine, warp, split);
    waits::note_effect(&mut executor, lanes.trailing_zeros() as usize);
    waits::note_dependencies(&mut executor);
    executor.run(1);
    read_values::end_instruction(&mut machine.races);
}

/// Whether it matters which lanes execute the next instruction together.
pub fn tells_active_lanes(executor: &Executor<'_, '_>, lane: usize, shared: &mut SharedLocations) -> bool {
    let synchronization = executor.function.code[executor.next as usize].action.synchronization();
    let Synchronization::Lanes(collective) = synchronization else { return false };
    if collective.operation != CollectiveOperation::ActiveMask {
        return false;
    }
    let place = executor.place();
    let after = shared.live.get(place.function as usize).and_then(|live| live.get(place.instruction as usize + 1));
    let is_live = |slot: u32| after.is_none_or(|live| live.contains(slot as usize));
    let agent = executor.agent(lane);
    collective.destination.is_some_and(|mask| is_live(mask.slot))
        && shared.is_visible(
            active_lanes_of(agent.warp),
            SharingAccess { agent, may_wait: false, commuting: None, counts: None },
        )
}

/// The lanes that are before the instruction of a split, with the same calls. They are named by the first of them only.
fn before_same_instruction(warp: &Warp, split: usize) -> u32 {
    let is_there = |other: &usize| *other == split || warp.splits[*other].state == SplitState::Ready;
    let others = (0..warp.splits.len()).filter(is_there).filter(|other| warp.is_same_call(split, *other));
    let all = others.fold(0, |all, other| all | warp.splits[other].lanes);
    if all.trailing_zeros() == warp.splits[split].lanes.trailing_zeros() { all } else { 0 }
}

//! Threads that have nothing to do with each other: the steps of some are explored, as those of others are independent of them.

use crate::choices::sharing::SharedLocations;
use crate::choices::transition::Transition;
use machine::state::Machine;
use machine::threads::warp::{Split, SplitState, Warp};
use ordering::Agent;
use program::lanes::lanes_of;
use std::collections::BTreeSet;

/// Keeps the steps of threads that are connected through locations, and of those that such threads wait for: others are independent of them, in
/// whatever order. Returns the others.
pub fn keep_component(
    machine: &Machine<'_>,
    transitions: &mut Vec<Transition>,
    shared: &SharedLocations,
) -> Vec<Transition> {
    let component = |transition: &Transition| match transition {
        Transition::Thread(at, lane, _) => {
            let warp = machine.warps[*at].as_deref()?;
            Some(shared.component(Agent { lane: *lane, ..machine.first_agent(warp) }))
        }
        Transition::ActiveLanes(at, lanes) => {
            let warp = machine.warps[*at].as_deref()?;
            Some(shared.component(Agent { lane: lanes.trailing_zeros(), ..machine.first_agent(warp) }))
        }
        Transition::EndCopy(..) | Transition::Launch(_) => None,
    };
    let mut all: Vec<Agent> = Vec::new();
    for one in transitions.iter().filter_map(component) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    if all.len() < 2 {
        return Vec::new();
    }
    let mut kept = BTreeSet::new();
    for one in all {
        let closed = with_waited_for(machine, one, shared);
        if kept.is_empty() || closed.len() < kept.len() {
            kept = closed;
        }
        if kept.len() == 1 {
            break;
        }
    }
    transitions.extract_if(.., |transition| component(transition).is_some_and(|one| !kept.contains(&one))).collect()
}

/// A component, and those of the threads that let a thread of it go on: what it does then is not independent of the others in the component.
fn with_waited_for(machine: &Machine<'_>, first: Agent, shared: &SharedLocations) -> BTreeSet<Agent> {
    let mut kept = BTreeSet::from([first]);
    loop {
        let before = kept.len();
        for warp in machine.warps.iter().flatten() {
            for split in warp.splits.iter().filter(|split| split.state != SplitState::Ready) {
                if components(machine, warp, split, shared).any(|one| kept.contains(&one)) {
                    kept.extend(waited_for(machine, warp, split, shared));
                }
            }
        }
        if kept.len() == before {
            return kept;
        }
    }
}

fn components<'s>(
    machine: &Machine<'_>,
    warp: &Warp,
    split: &Split,
    shared: &'s SharedLocations,
) -> impl Iterator<Item = Agent> + use<'s> {
    let first = machine.first_agent(warp);
    lanes_of(split.lanes).map(move |lane| shared.component(Agent { lane: lane as u32, ..first }))
}

/// The components of the threads that lanes may wait for.
fn waited_for<'s>(
    machine: &'s Machine<'_>,
    warp: &'s Warp,
    split: &'s Split,
    shared: &'s SharedLocations,
) -> impl Iterator<Item = Agent> + 's {
    let is_near = move |other: &Warp| match split.state {
        SplitState::Ready => false,
        SplitState::WarpBarrier(_) | SplitState::LaneValues { .. } => {
            (other.cta, other.number) == (warp.cta, warp.number)
        }
        SplitState::CtaBarrier(_) | SplitState::TensorMemory(_) | SplitState::Warpgroup(_) => other.cta == warp.cta,
        SplitState::ClusterBarrier(_) => machine.ctas[other.cta].cluster == machine.ctas[warp.cta].cluster,
        SplitState::Spinning(_) => true,
    };
    let others = machine.warps.iter().flatten().map(|other| &**other).filter(move |other| is_near(other));
    let splits = others.flat_map(|other| other.splits.iter().map(move |one| (other, one)));
    let waited_for = splits.filter(|(_, one)| one.state != split.state);
    waited_for.flat_map(|(other, one)| components(machine, other, one, shared))
}

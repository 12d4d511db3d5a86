//! Cycles of states in which threads give way to each other: each goes on again and again, and none comes to its end.

use crate::search::replay::StepPlace;
use program::launch::kernel_launch::ThreadId;
use program::problem::CodePlace;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A step from a state to another one.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The state that it leads to.
    pub to: u32,
    /// The thread and its instruction; `None` if there is none.
    pub step: Option<StepPlace>,
    /// The index of the threads that change places: the state that it leads to is only like this one.
    pub changes: Option<u32>,
}

/// The most states in which the cycles of a part are told apart by the threads that run through them.
const MOST_UNFOLDED: usize = 100_000;

/// Threads of a state, and in whose places they are in one that is like it.
pub type PlaceChanges = Vec<(ThreadId, ThreadId)>;

/// There are too many states to follow each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPlaces;

/// A cycle of states that a schedule can repeat forever although it lets each thread go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FairCycle {
    /// Each thread takes a step to another state of it: the instructions of these steps.
    GivesWay(BTreeSet<CodePlace>),
    /// Some threads look at memory in vain whenever they are let, while others go around: the instructions of those that look.
    Starves(BTreeSet<CodePlace>),
}

/// A strongly connected part of the graph that a schedule never has to leave: every thread that can take a step takes one to another state of it, or looks
/// at something in vain, which leaves the state as it is.
///
/// Where threads change places on the way (`changes`), each thread is followed through all places that it comes to.
pub fn fair_cycle(successors: &[Vec<Successor>], changes: &[PlaceChanges]) -> Result<Option<FairCycle>, TooManyPlaces> {
    let parts = parts(successors);
    let mut members = vec![Vec::new(); successors.len()];
    parts.iter().enumerate().for_each(|(state, part)| members[*part as usize].push(state));
    let mut starves = None;
    for states in members.iter().filter(|states| !states.is_empty()) {
        let is_within = |successor: &&Successor| parts[successor.to as usize] == parts[states[0]];
        let mut within = states.iter().flat_map(|state| &successors[*state]).filter(is_within);
        let found = if within.any(|successor| successor.changes.is_some()) {
            fair_cycle(&unfolded(successors, (&parts, states[0]), changes)?, &[])?
        } else if states.len() > 1 {
            cycle(successors, &parts, states)
        } else {
            None
        };
        match found {
            Some(FairCycle::GivesWay(_)) => return Ok(found),
            _ => starves = starves.or(found),
        }
    }
    Ok(starves)
}

/// What the states of a part are, if no schedule that lets each thread go on has to leave them.
fn cycle(successors: &[Vec<Successor>], parts: &[u32], states: &[usize]) -> Option<FairCycle> {
    let (mut enabled, mut moving, mut places) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut in_vain = BTreeSet::new();
    for state in states {
        for Successor { to, step, .. } in &successors[*state] {
            let thread = step.map(|StepPlace { thread: ThreadId { cta, thread }, .. }| (cta, thread));
            if *to as usize == *state {
                in_vain.extend(step.map(|step| (thread, step.place)));
                continue;
            }
            // Who looks in vain in every state waits for the others: nothing is kept from it.
            enabled.insert(thread);
            if parts[*to as usize] == parts[*state] {
                moving.insert(thread);
                places.extend(step.map(|step| step.place));
            }
        }
    }
    let mut others = enabled.difference(&moving);
    if enabled == moving {
        return (moving.len() > 1).then_some(FairCycle::GivesWay(places));
    }
    let looks = |thread: &Option<(u32, u32)>| in_vain.iter().any(|(one, _)| one == thread);
    others.all(looks).then(|| {
        let of_others = in_vain.iter().filter(|(thread, _)| enabled.contains(thread) && !moving.contains(thread));
        FairCycle::Starves(of_others.map(|(_, place)| *place).collect())
    })
}

/// The threads that are in the places of others; the others are in their own.
type ThreadPositions = BTreeMap<ThreadId, ThreadId>;

/// Who is in which place after some threads have changed places.
fn after_change(places: &ThreadPositions, change: &PlaceChanges) -> ThreadPositions {
    let mut after = places.clone();
    for (from, to) in change {
        after.insert(*to, places.get(from).copied().unwrap_or(*from));
    }
    after.retain(|place, thread| place != thread);
    after
}

/// The states of a strongly connected part with the threads in each of their places: which one takes each step. The last state stands for those of
/// other parts.
fn unfolded(
    successors: &[Vec<Successor>],
    (parts, first): (&[u32], usize),
    changes: &[PlaceChanges],
) -> Result<Vec<Vec<Successor>>, TooManyPlaces> {
    const OUTSIDE: u32 = u32::MAX;
    let begin = (first as u32, ThreadPositions::new());
    let mut numbers = HashMap::from([(begin.clone(), 0)]);
    let (mut open, mut all) = (vec![begin], Vec::new());
    let mut at = 0;
    while at < open.len() {
        let (state, places) = open[at].clone();
        at += 1;
        let mut own = Vec::new();
        for Successor { to, step, changes: change } in &successors[state as usize] {
            let thread = |one: ThreadId| places.get(&one).copied().unwrap_or(one);
            let step = step.map(|step| StepPlace { thread: thread(step.thread), ..step });
            let mut next = OUTSIDE;
            if parts[*to as usize] == parts[first] {
                let change = change.and_then(|change| changes.get(change as usize));
                let places = change.map_or_else(|| places.clone(), |change| after_change(&places, change));
                let number = numbers.len() as u32;
                next = *numbers.entry((*to, places.clone())).or_insert(number);
                if next == number {
                    open.push((*to, places));
                }
            }
            own.push(Successor { to: next, step, changes: None });
        }
        all.push(own);
        if open.len() > MOST_UNFOLDED {
            return Err(TooManyPlaces);
        }
    }
    let outside = all.len() as u32;
    all.iter_mut().flatten().filter(|one| one.to == OUTSIDE).for_each(|one| one.to = outside);
    all.push(Vec::new());
    Ok(all)
}

/// The strongly connected part of each state, by the number of one of its states: Tarjan's algorithm with a stack of its own.
fn parts(successors: &[Vec<Successor>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let (mut order, mut lowest, mut part) =
        (vec![NEW; successors.len()], vec![0; successors.len()], vec![NEW; successors.len()]);
    let (mut waiting, mut open, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..successors.len() {
        if order[root] == NEW {
            open.push((root, 0));
        }
        while let Some((state, at)) = open.pop() {
            if at == 0 {
                (order[state], lowest[state]) = (next, next);
                next += 1;
                waiting.push(state);
            }
            if let Some(successor) = successors[state].get(at) {
                let to = successor.to as usize;
                open.push((state, at + 1));
                if order[to] == NEW {
                    open.push((to, 0));
                } else if part[to] == NEW {
                    lowest[state] = lowest[state].min(order[to]);
                }
                continue;
            }
            if lowest[state] == order[state] {
                while let Some(member) = waiting.pop() {
                    part[member] = state as u32;
                    if member == state {
                        break;
                    }
                }
            }
            if let Some((before, _)) = open.last() {
                lowest[*before] = lowest[*before].min(lowest[state]);
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(thread: u32, to: u32) -> Successor {
        let place = CodePlace { function: 0, instruction: to };
        Successor { to, step: Some(StepPlace { thread: ThreadId { cta: 0, thread }, place }), changes: None }
    }

    #[test]
    fn threads_that_give_way_to_each_other_all_move() {
        // 0 → 1 → 2 → 0, in turn by two threads, with an end from 2.
        let both = [vec![by(0, 1)], vec![by(1, 2)], vec![by(0, 0), by(1, 3)], vec![]];
        let instructions = |successors: &[Vec<Successor>]| match fair_cycle(successors, &[]).expect("few") {
            Some(FairCycle::GivesWay(places)) => (0, places.iter().map(|place| place.instruction).collect()),
            Some(FairCycle::Starves(places)) => (1, places.iter().map(|place| place.instruction).collect()),
            None => (2, Vec::new()),
        };
        assert_eq!(instructions(&both), (0, vec![0, 1, 2]));
        // A third one waits for them, so it is none of them, and they keep nothing from it.
        let waited_for =
            [vec![by(0, 1), by(2, 0)], vec![by(1, 2), by(2, 1)], vec![by(0, 0), by(1, 3), by(2, 2)], vec![]];
        assert_eq!(instructions(&waited_for), (0, vec![0, 1, 2]));
        // One thread goes around alone, and the other one could leave.
        let one = [vec![by(0, 1), by(1, 3)], vec![by(0, 0), by(1, 3)], vec![], vec![]];
        assert_eq!(fair_cycle(&one, &[]), Ok(None));
        // The other one looks in vain at what the first one takes and frees.
        let waits = [vec![by(0, 1), by(1, 3)], vec![by(0, 0), by(1, 1)], vec![], vec![]];
        assert_eq!(instructions(&waits), (1, vec![1]));
        assert_eq!(fair_cycle(&[vec![by(0, 0), by(1, 0)]], &[]), Ok(None));
    }

    #[test]
    fn threads_that_change_places_are_followed() {
        let thread = |thread| ThreadId { cta: 0, thread };
        let swap = [vec![(thread(0), thread(1)), (thread(1), thread(0))]];
        let swapped = |step: Successor| Successor { changes: Some(0), ..step };
        // Whoever is in the first place goes to the second one: both move in turn.
        let turns = [vec![swapped(by(0, 0))]];
        assert!(fair_cycle(&turns, &swap).expect("few").is_some());
        // Whoever is in the second place could leave.
        let leaves = [vec![swapped(by(0, 0)), by(1, 1)], vec![]];
        assert!(fair_cycle(&leaves, &swap).expect("few").is_some());
        // The same thread goes around, as it always comes back to its place.
        let one = [vec![swapped(by(0, 1)), by(1, 2)], vec![swapped(by(1, 0)), by(0, 2)], vec![]];
        assert_eq!(fair_cycle(&one, &swap), Ok(None));
    }
}

//! Cycles of states in which threads give way to each other: each goes on again and again, and none comes to its end.

use super::super::launch::ThreadId;
use super::super::problem::CodePlace;
use super::replay::StepPlace;
use std::collections::BTreeSet;

/// A step from a state to another one.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The state that it leads to.
    pub to: u32,
    /// The thread and its instruction; `None` if there is none.
    pub step: Option<StepPlace>,
}

/// The instructions of steps that a schedule can repeat forever although it lets each thread go on: in a strongly connected part of the graph, where every
/// thread that can take a step takes one to another state of it. A thread that looks at something in vain stays in its state, so one that waits
/// for the others is none of them.
pub fn fair_cycle(successors: &[Vec<Successor>]) -> Option<BTreeSet<CodePlace>> {
    let parts = parts(successors);
    let mut members = vec![Vec::new(); successors.len()];
    parts.iter().enumerate().for_each(|(state, part)| members[*part as usize].push(state));
    members.iter().filter(|states| states.len() > 1).find_map(|states| {
        let (mut enabled, mut moving, mut places) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for state in states {
            for Successor { to, step } in &successors[*state] {
                let thread = step.map(|StepPlace { thread: ThreadId { cta, thread }, .. }| (cta, thread));
                enabled.insert(thread);
                if *to as usize != *state && parts[*to as usize] == parts[*state] {
                    moving.insert(thread);
                    places.extend(step.map(|step| step.place));
                }
            }
        }
        (moving.len() > 1 && enabled == moving).then_some(places)
    })
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
        Successor { to, step: Some(StepPlace { thread: ThreadId { cta: 0, thread }, place }) }
    }

    #[test]
    fn threads_that_give_way_to_each_other_all_move() {
        // 0 → 1 → 2 → 0, in turn by two threads, with an end from 2.
        let both = [vec![by(0, 1)], vec![by(1, 2)], vec![by(0, 0), by(1, 3)], vec![]];
        let instructions: Vec<u32> =
            fair_cycle(&both).expect("a cycle").iter().map(|place| place.instruction).collect();
        assert_eq!(instructions, [0, 1, 2]);
        // One thread goes around alone, and the other one could leave.
        let one = [vec![by(0, 1), by(1, 3)], vec![by(0, 0), by(1, 3)], vec![], vec![]];
        assert_eq!(fair_cycle(&one), None);
        // The other one looks in vain at what the first one takes and frees.
        let waits = [vec![by(0, 1), by(1, 3)], vec![by(0, 0), by(1, 1)], vec![], vec![]];
        assert_eq!(fair_cycle(&waits), None);
        assert_eq!(fair_cycle(&[vec![by(0, 0), by(1, 0)]]), None);
    }
}

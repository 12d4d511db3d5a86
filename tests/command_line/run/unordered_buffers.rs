//! Buffers of `tests/evidence/kernels` whose contents depend on the schedule: which contents the kernel can leave, in any schedule.

use std::collections::BTreeSet;

/// Whether the buffers of a kernel are a result that it can have. Each buffer is a list of its numbers, inputs included.
pub fn is_allowed(kernel: &str, memory: &[Vec<u64>]) -> bool {
    match (kernel, memory) {
        ("hash_table", [keys, slots, ..]) => {
            let keys: BTreeSet<u64> = keys.iter().map(|key| key % 23 + 1).collect();
            is_probed(&keys, slots)
        }
        ("hash_set", [slots, _, data]) => {
            let keys: BTreeSet<u64> = data.iter().map(|one| 1 + one % 40 * 0x1_0000_0001).collect();
            is_probed(&keys, slots)
        }
        ("linked_list", [head, following, ..]) => is_list(head[0], following),
        ("task_queue", [queue, ends, _]) => is_queue(&queue[..ends[0] as usize], &queue[ends[0] as usize..]),
        ("components", [from, to, parents]) => are_components(from, to, parents),
        ("aggregated", [data, counter, out]) => {
            let mut chosen: Vec<u64> = data.iter().copied().filter(|one| one % 3 == 0).collect();
            let (found, rest) = out.split_at(counter[0] as usize);
            let mut found = found.to_vec();
            chosen.sort_unstable();
            found.sort_unstable();
            found == chosen && rest.iter().all(|one| *one == 0)
        }
        // The one who came last has set it to the other one.
        ("two_flags", [_, turn, _]) => turn[0] <= 1,
        // It has two places.
        ("semaphore", [most, _]) => (1..=2).contains(&most[0]),
        _ => false,
    }
}

/// As the kernels compute it.
const fn mixed(number: u32) -> u32 {
    let number = (number ^ number >> 16).wrapping_mul(0x7feb_352d);
    let number = (number ^ number >> 15).wrapping_mul(0x846c_a68b);
    number ^ number >> 16
}

/// Whether each key is in a slot once, and no slot between its first one and that is free.
fn is_probed(keys: &BTreeSet<u64>, slots: &[u64]) -> bool {
    let used: Vec<usize> = (0..slots.len()).filter(|at| slots[*at] != 0).collect();
    let is_reached = |at: &usize| {
        let first = mixed(slots[*at] as u32) as usize % slots.len();
        let distance = (at + slots.len() - first) % slots.len();
        (0..distance).all(|step| slots[(first + step) % slots.len()] != 0)
    };
    let found: BTreeSet<u64> = used.iter().map(|at| slots[*at]).collect();
    used.len() == keys.len() && found == *keys && used.iter().all(is_reached)
}

/// Whether each node is in the list once; node 0 is its end.
fn is_list(head: u64, following: &[u64]) -> bool {
    let next = |at: &u64| following.get(*at as usize).copied().filter(|next| *next != 0);
    let nodes: Vec<u64> = std::iter::successors(Some(head), next).take(following.len()).collect();
    let all: BTreeSet<u64> = (1..following.len() as u64).collect();
    nodes.len() == all.len() && nodes.into_iter().collect::<BTreeSet<_>>() == all && following[0] == 0
}

/// Whether the queue had each node of the tree once, after its parent.
fn is_queue(queue: &[u64], rest: &[u64]) -> bool {
    let mut tree = vec![1];
    let mut at = 0;
    while let Some(node) = tree.get(at).copied() {
        tree.extend(
            [2 * node, 2 * node + 1]
                .into_iter()
                .filter(|child| *child < 100 && !mixed(*child as u32).is_multiple_of(4)),
        );
        at += 1;
    }
    let place = |node: u64| queue.iter().position(|one| *one == node);
    let is_behind =
        |node: &u64| place(*node).is_some_and(|own| *node == 1 || place(node / 2).is_some_and(|parent| parent < own));
    queue.len() == tree.len() && tree.iter().all(is_behind) && rest.iter().all(|one| *one == 0)
}

/// Whether the trees are the components of the graph, with the least node as their root.
fn are_components(from: &[u64], to: &[u64], parents: &[u64]) -> bool {
    if parents.iter().zip(0..).any(|(parent, node)| *parent > node) {
        return false;
    }
    let root = |mut at: u64| {
        while parents[at as usize] != at {
            at = parents[at as usize];
        }
        at
    };
    // The least label of a neighbour, until nothing changes.
    let mut labels: Vec<u64> = (0..parents.len() as u64).collect();
    let mut changes = true;
    while changes {
        changes = false;
        for (a, b) in from.iter().zip(to) {
            let least = labels[*a as usize].min(labels[*b as usize]);
            for node in [*a as usize, *b as usize] {
                changes |= labels[node] != least;
                labels[node] = least;
            }
        }
    }
    labels.iter().zip(0..).all(|(label, node)| root(node) == *label)
}

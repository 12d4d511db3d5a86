//! The axioms about the order of writes, one location at a time.

use super::grid::{self, Grid, acyclic, and, grid, plus};
use super::mutant::Mutant;
use super::relations::FixedRelations;

/// Every transitive irreflexive order of the writes of a memory in which the first value is first.
pub fn orders(writes: &[usize], n: usize, mutant: Mutant) -> Vec<Grid> {
    let free: Vec<(usize, usize)> = writes
        .iter()
        .enumerate()
        .flat_map(|(at, a)| writes[at + 1..].iter().map(move |b| (*a, *b)))
        .filter(|(a, _)| *a != writes[0] || mutant == Mutant::InitAnywhere)
        .collect();
    let mut all = Vec::new();
    for number in 0..3usize.pow(free.len() as u32) {
        let mut co = grid(n, |a, b| a == writes[0] && b != a && writes.contains(&b) && mutant != Mutant::InitAnywhere);
        let mut rest = number;
        let mut total = true;
        for (a, b) in &free {
            match rest % 3 {
                0 => total = false,
                1 => co[*a][*b] = true,
                _ => co[*b][*a] = true,
            }
            rest /= 3;
        }
        if (total || mutant != Mutant::TotalOrder) && plus(&co) == co {
            all.push(co);
        }
    }
    all
}

/// Whether an order `co` of the writes of a memory satisfies the axioms.
pub fn holds(
    fixed: &FixedRelations,
    writes: &[usize],
    co: &Grid,
    rf: &Grid,
    cause: &Grid,
    memory: usize,
    mutant: Mutant,
) -> bool {
    let FixedRelations { events: e, near, atomic: ms, rmw, .. } = fixed;
    let n = e.len();
    if writes.iter().any(|a| writes.iter().any(|b| a != b && ms[*a][*b] && !co[*a][*b] && !co[*b][*a])) {
        return false;
    }
    let here = |at: usize| e[at].memory == memory;
    let fr = grid(n, |read, write| {
        here(read) && here(write) && writes.iter().any(|from| rf[*from][read] && co[*from][write])
    });
    if mutant != Mutant::NoCoherence && writes.iter().any(|a| writes.iter().any(|b| cause[*a][*b] && !co[*a][*b])) {
        return false;
    }
    // Where coherence leaves writes unordered, "between" alone is not enough: two atomics must not read one write.
    let whole = |a: usize, b: usize| {
        a != b && (0..n).any(|w| rf[w][a] && rf[w][b]) && [a, b].iter().all(|read| rmw[*read].contains(&true))
    };
    if mutant == Mutant::NeverTorn && (0..n).any(|a| here(a) && (0..n).any(|b| whole(a, b))) {
        return false;
    }
    let (strong_fr, strong_co) = (and(ms, &fr), and(ms, co));
    let between = |read: usize, write: usize| (0..n).any(|x| x != write && strong_fr[read][x] && strong_co[x][write]);
    if mutant != Mutant::NoAtomicity && grid::any(rmw, |a, b| here(a) && between(a, b)) {
        return false;
    }
    let communication =
        grid(n, |a, b| here(a) && here(b) && (near[a][b] || ms[a][b] && (rf[a][b] || co[a][b] || fr[a][b])));
    if mutant != Mutant::NoScPerLocation && !acyclic(&communication) {
        return false;
    }
    mutant == Mutant::NoCausalityFr || !grid::any(&fr, |a, b| cause[b][a])
}

//! The graph of all states: which of them can still reach an end.

/// A state from which no end can be reached: the first in which all threads wait, so that it is shown what they wait for, or else the first one.
/// `successors` has those of each state, `ends` the states that are ends.
pub fn state_without_end(successors: &[Vec<u32>], ends: &[bool]) -> Option<usize> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, all) in successors.iter().enumerate() {
        for to in all {
            predecessors[*to as usize].push(from as u32);
        }
    }
    let mut reaches = ends.to_vec();
    let mut open: Vec<u32> = (0..ends.len() as u32).filter(|at| ends[*at as usize]).collect();
    while let Some(at) = open.pop() {
        for from in &predecessors[at as usize] {
            if !std::mem::replace(&mut reaches[*from as usize], true) {
                open.push(*from);
            }
        }
    }
    let mut found = (0..reaches.len()).filter(|at| !reaches[*at]);
    let waits = |at: &usize| !successors[*at].is_empty() && successors[*at].iter().all(|next| *next as usize == *at);
    found.clone().find(waits).or_else(|| found.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_without_an_exit_never_ends() {
        // 0 → 1 ⇄ 2 → 3, and 0 → 4 ⇄ 5.
        let successors = [vec![1, 4], vec![2], vec![1, 3], vec![], vec![5], vec![4]];
        let ends = [false, false, false, true, false, false];
        assert_eq!(state_without_end(&successors, &ends), Some(4));
        let all_wait = [vec![1, 4], vec![2], vec![1, 3], vec![], vec![5], vec![5, 5]];
        assert_eq!(state_without_end(&all_wait, &ends), Some(5));
        let without_trap = [vec![1], vec![2], vec![1, 3], vec![]];
        assert_eq!(state_without_end(&without_trap, &ends[..4]), None);
    }
}

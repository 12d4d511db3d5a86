//! Successors and reachability of instructions.

use super::Flow;
use foldhash::HashSet;

impl Flow<'_> {
    /// The target of a branch; `None` for other instructions and unknown targets.
    pub(crate) fn target(&self, at: usize) -> Option<usize> {
        let place = self.targets.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        self.targets[place].1
    }

    /// Whether the target of some branch is unknown.
    pub(super) fn has_unknown_branch(&self) -> bool {
        self.has_unknown_branch
    }

    /// Whether control never reaches the next instruction.
    pub(crate) fn is_terminator(&self, at: usize) -> bool {
        !self.is_guarded(at) && matches!(self.mnemonic(at), "ret" | "exit" | "trap" | "bra" | "brx")
    }

    /// Whether control may reach it by a branch.
    pub(crate) fn is_branch_target(&self, at: usize) -> bool {
        self.slots[at].is_branch_target
    }

    /// The successors of an instruction; `None` if they are unknown.
    pub(crate) fn successors(&self, at: usize) -> Option<Vec<usize>> {
        let mut found = Vec::with_capacity(2);
        match self.mnemonic(at) {
            "bra" => found.push(self.target(at)?),
            "brx" => return None,
            _ if self.may_branch(at) => return None,
            _ => {}
        }
        if !self.is_terminator(at) && at + 1 < self.len() {
            found.push(at + 1);
        }
        found.retain(|next| *next < self.len());
        Some(found)
    }

    /// A `wanted` instruction that is reachable from `from` without crossing a `barrier`. `None` if there is none, if a successor is unknown,
    /// if a path crosses a broken statement, or if the step `budget` is exhausted.
    pub(crate) fn find_reachable(
        &self,
        from: usize,
        budget: &mut usize,
        wanted: impl Fn(usize) -> bool,
        barrier: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut visited = HashSet::default();
        let mut worklist = self.successors(from)?;
        while let Some(at) = worklist.pop() {
            if !visited.insert(at) || barrier(at) {
                continue;
            }
            if wanted(at) {
                return Some(at);
            }
            if self.is_broken(at) {
                return None;
            }
            *budget = budget.checked_sub(1)?;
            worklist.extend(self.successors(at)?);
        }
        None
    }

    /// The next instruction, if it is the only successor and has no other predecessor.
    pub(crate) fn fallthrough(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        let branches = matches!(self.mnemonic(at), "bra" | "brx" | "ret" | "exit" | "trap" | "call");
        (!branches && !self.is_broken(at) && next < self.len() && !self.is_branch_target(next) && !self.is_broken(next))
            .then_some(next)
    }

    /// The previous instruction, if it is the only predecessor and has no other successor.
    pub(crate) fn fallthrough_predecessor(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1)?;
        (self.fallthrough(before) == Some(at)).then_some(before)
    }
}

//! What may be done after what.

use super::Flow;
use foldhash::HashSet;

impl Flow<'_> {
    /// The step that a branch leads to; `None` where it is no branch, or where it leads is not known.
    pub(crate) fn target(&self, at: usize) -> Option<usize> {
        let place = self.targets.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        self.targets[place].1
    }

    /// Whether there is a branch whose targets are not known.
    pub(super) fn jumps_anywhere(&self) -> bool {
        self.jumps_anywhere
    }

    /// Whether control never passes to the step behind it.
    pub(crate) fn ends(&self, at: usize) -> bool {
        !self.guarded(at) && matches!(self.mnemonic(at), "ret" | "exit" | "trap" | "bra" | "brx")
    }

    /// Whether ways other than the straight one may lead to it.
    pub(crate) fn labelled(&self, at: usize) -> bool {
        self.lines[at].labelled
    }

    /// The steps that may follow one; `None` where that is not known.
    pub(crate) fn successors(&self, at: usize) -> Option<Vec<usize>> {
        let mut found = Vec::with_capacity(2);
        match self.mnemonic(at) {
            "bra" => found.push(self.target(at)?),
            "brx" => return None,
            _ if self.may_branch(at) => return None,
            _ => {}
        }
        if !self.ends(at) && at + 1 < self.len() {
            found.push(at + 1);
        }
        found.retain(|next| *next < self.len());
        Some(found)
    }

    /// The first step on a way from one, itself left out, that is `wanted`, no way leading through a `wall`. `None` where there is none, and
    /// where the ways are not known, one leads through a broken statement, or they have more steps than `patience`, which is used up.
    pub(crate) fn reach(
        &self,
        from: usize,
        patience: &mut usize,
        wanted: impl Fn(usize) -> bool,
        wall: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut seen = HashSet::default();
        let mut open = self.successors(from)?;
        while let Some(at) = open.pop() {
            if !seen.insert(at) || wall(at) {
                continue;
            }
            if wanted(at) {
                return Some(at);
            }
            if self.is_broken(at) {
                return None;
            }
            *patience = patience.checked_sub(1)?;
            open.extend(self.successors(at)?);
        }
        None
    }

    /// The step behind one where nothing but it leads there and nothing else follows: the next of a straight line.
    pub(crate) fn straight_on(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        let branches = matches!(self.mnemonic(at), "bra" | "brx" | "ret" | "exit" | "trap" | "call");
        (!branches && !self.is_broken(at) && next < self.len() && !self.labelled(next) && !self.is_broken(next))
            .then_some(next)
    }

    /// The step before one, on a straight line.
    pub(crate) fn straight_back(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1)?;
        (self.straight_on(before) == Some(at)).then_some(before)
    }
}

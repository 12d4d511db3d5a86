//! Successors and reachability of instructions.

use crate::values::opcodes::ControlEffect;
use crate::values::{FunctionValues, SymbolUse};
use foldhash::HashSet;

impl FunctionValues<'_> {
    /// Whether the value that an instruction writes to a register may be read. Consumes `budget`.
    pub fn is_read(&self, register: usize, at: usize, budget: &mut usize) -> bool {
        let known = &self.graph.symbols.all[register];
        // Callers read the return values of a function.
        if known.reads == 0 || known.writes == 1 {
            return known.reads > 0 || self.is_parameter(register);
        }
        let uses = |at: usize, predicate: fn(&SymbolUse) -> bool| {
            self.uses_in(at).iter().any(|symbol_use| symbol_use.symbol() == register && predicate(symbol_use))
        };
        if self.is_parameter(register) || self.graph.has_unknown_branch || *budget == 0 {
            return true;
        }
        let reads = |at: usize| uses(at, |symbol_use| symbol_use.reads());
        let overwrites =
            |at: usize| !self.is_guarded(at) && uses(at, |symbol_use| symbol_use.writes() && !symbol_use.reads());
        // An instruction may read the register that it overwrites.
        let found = self.find_reachable(at, budget, reads, |at| overwrites(at) && !reads(at));
        found.is_some() || *budget == 0
    }

    /// The target of a branch; `None` for other instructions and unknown targets.
    pub fn target(&self, at: usize) -> Option<usize> {
        if self.control(at) != ControlEffect::Branch {
            return None;
        }
        let place = self.graph.targets.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        self.graph.targets[place].1
    }

    /// The branches with their targets; `None` for unknown targets.
    pub fn branches(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        self.graph.targets.iter().copied()
    }

    /// Whether the target of some branch is unknown.
    pub(in crate::values) fn has_unknown_branch(&self) -> bool {
        self.graph.has_unknown_branch
    }

    /// Whether control never reaches the next instruction.
    pub fn is_terminator(&self, at: usize) -> bool {
        !self.is_guarded(at) && self.leaves(at)
    }

    /// Where control continues after an instruction that executes.
    fn control(&self, at: usize) -> ControlEffect {
        self.spelled(at).control
    }

    /// Whether control does not continue at the next instruction if it executes.
    pub(in crate::values) fn leaves(&self, at: usize) -> bool {
        matches!(self.control(at), ControlEffect::Branch | ControlEffect::IndexedBranch | ControlEffect::End)
    }

    /// Whether control may reach it by a branch.
    pub fn is_branch_target(&self, at: usize) -> bool {
        self.graph.slots[at].is_branch_target
    }

    /// The successors of an instruction; `None` if they are unknown.
    pub fn successors(&self, at: usize) -> Option<impl Iterator<Item = usize>> {
        let target = match self.control(at) {
            ControlEffect::Branch => Some(self.target(at)?),
            ControlEffect::IndexedBranch => return None,
            _ if self.may_branch(at) => return None,
            _ => None,
        };
        let next = (!self.is_terminator(at)).then_some(at + 1);
        let length = self.len();
        Some(target.into_iter().chain(next).filter(move |next| *next < length))
    }

    /// A `wanted` instruction that is reachable from `from` without crossing a `barrier`. `None` if there is none, if a successor is unknown,
    /// if a path crosses a broken statement, or if the step `budget` is exhausted.
    pub fn find_reachable(
        &self,
        from: usize,
        budget: &mut usize,
        wanted: impl Fn(usize) -> bool,
        barrier: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut visited = HashSet::default();
        let mut worklist: Vec<_> = self.successors(from)?.collect();
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
    pub fn fallthrough(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        (self.control(at) == ControlEffect::Next
            && !self.is_broken(at)
            && next < self.len()
            && !self.is_branch_target(next)
            && !self.is_broken(next))
        .then_some(next)
    }

    /// The previous instruction, if it is the only predecessor and has no other successor.
    pub fn fallthrough_predecessor(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1)?;
        (self.fallthrough(before) == Some(at)).then_some(before)
    }
}

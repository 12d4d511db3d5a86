//! Asynchronous copies from their start to the wait that covers them, on every path.

use crate::effects::{CopyGroup, FunctionEffects, LastExecution, MbarrierOperation, MemoryEffect};
use foldhash::HashSet;

/// The number of commits that are told apart.
const MAX_COMMITS: u8 = 8;

/// How the completion of a copy is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// `cp.async`: groups of a thread.
    Elements,
    /// `cp.async.bulk` with `.bulk_group`: bulk groups of a thread.
    Bulk,
}

/// The state of a copy at a place on a path from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyState {
    /// Pending, with the number of groups committed since its start: its own, and later ones.
    Pending {
        /// The commits since then.
        commits: u8,
    },
    /// A bulk copy whose source has been read, and whose writes may be pending.
    SourceRead {
        /// The commits since then.
        commits: u8,
    },
    /// It has ended.
    Complete,
}

/// Which paths to follow.
#[derive(Clone, Copy)]
pub enum PathLimit<'p> {
    /// Until the copy may start again, so that no value that it uses changes.
    SameIteration,
    /// Until the end of the function.
    Unlimited,
    /// Until the end of the function, without the copy once more.
    LastExecution(&'p LastExecution),
}

/// A place that a path reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPlace {
    /// An instruction with an effect.
    Effect(usize, MemoryEffect),
    /// The end of the function.
    End,
}

impl CopyKind {
    /// The kind of copy that an instruction starts.
    pub fn of(effects: &FunctionEffects, at: usize) -> Option<Self> {
        let has = |word: &str| effects.flow.has(at, word);
        match effects.flow.mnemonic(at) {
            "cp" | "multimem" if has("bulk_group") => Some(CopyKind::Bulk),
            "cp" if has("async") && (has("ca") || has("cg")) => Some(CopyKind::Elements),
            _ => None,
        }
    }
}

impl CopyState {
    /// The states after an effect; the second one if a guarded instruction does not execute.
    fn after(self, effects: &FunctionEffects, kind: CopyKind, at: usize, effect: MemoryEffect) -> [CopyState; 2] {
        let next = match (effect, kind) {
            (MemoryEffect::Group(CopyGroup::Commit), CopyKind::Elements)
            | (MemoryEffect::Group(CopyGroup::BulkCommit), CopyKind::Bulk) => self.committed(),
            (MemoryEffect::Group(CopyGroup::Wait), CopyKind::Elements)
            | (MemoryEffect::Group(CopyGroup::BulkWait), CopyKind::Bulk)
                if self.is_covered(effects, at) =>
            {
                CopyState::Complete
            }
            (MemoryEffect::Group(CopyGroup::BulkWaitRead), CopyKind::Bulk) if self.is_covered(effects, at) => {
                match self {
                    CopyState::Pending { commits } => CopyState::SourceRead { commits },
                    state => state,
                }
            }
            (MemoryEffect::Group(CopyGroup::WaitAll), CopyKind::Elements) => CopyState::Complete,
            (MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, _), CopyKind::Elements)
                if effects.flow.has(at, "mbarrier") =>
            {
                CopyState::Complete
            }
            _ => self,
        };
        [next, if effects.flow.is_guarded(at) { self } else { next }]
    }

    fn committed(self) -> Self {
        let more = |commits: u8| (commits + 1).min(MAX_COMMITS);
        match self {
            CopyState::Pending { commits } => CopyState::Pending { commits: more(commits) },
            CopyState::SourceRead { commits } => CopyState::SourceRead { commits: more(commits) },
            CopyState::Complete => CopyState::Complete,
        }
    }

    /// Whether a wait for all but the last groups covers the group of the copy. An unknown number is taken to.
    fn is_covered(self, effects: &FunctionEffects, at: usize) -> bool {
        let commits = match self {
            CopyState::Pending { commits } | CopyState::SourceRead { commits } => commits,
            CopyState::Complete => return true,
        };
        let flow = effects.flow;
        let last = flow.instruction(at).values.first().and_then(|value| flow.constant(value, at));
        let is_later = |last: i64| i64::from(commits) > last || commits == MAX_COMMITS;
        commits > 0 && last.is_none_or(is_later)
    }
}

/// Calls `visit` with the places on all paths from a copy, each with every state that the copy may have there. `None` if a path has unknown
/// effects, or if the step `budget` is exhausted.
pub fn follow_copy(
    effects: &FunctionEffects,
    (kind, from): (CopyKind, usize),
    limit: PathLimit,
    budget: &mut usize,
    mut visit: impl FnMut(PathPlace, CopyState),
) -> Option<()> {
    let flow = effects.flow;
    let blocks = flow.blocks()?;
    let own = blocks.of(from);
    let mut visited = HashSet::default();
    let mut worklist = vec![(own, CopyState::Pending { commits: 0 }, from + 1)];
    while let Some((block, state, start)) = worklist.pop() {
        let end = blocks.end(block, flow.len());
        let mut states = vec![state];
        for (at, effect) in effects.effects_in(start..end) {
            *budget = budget.checked_sub(1)?;
            if *effect == MemoryEffect::Unknown && !is_diagnostic_call(effects, *at) {
                return None;
            }
            states.iter().for_each(|state| visit(PathPlace::Effect(*at, *effect), *state));
            states = states.iter().flat_map(|state| state.after(effects, kind, *at, *effect)).collect();
            states.dedup();
            if states.len() > 2 {
                let mut distinct = HashSet::default();
                states.retain(|state| distinct.insert(*state));
            }
        }
        // The block of unknown branch targets is empty.
        let ends = end.checked_sub(1).is_some_and(|last| matches!(flow.mnemonic(last), "ret" | "exit"));
        if ends || end == flow.len() {
            states.iter().for_each(|state| visit(PathPlace::End, *state));
        }
        for next in blocks.successors(block) {
            let is_followed = match limit {
                PathLimit::SameIteration => !blocks.dominates(next, own),
                PathLimit::LastExecution(paths) => paths.allows(block, next),
                PathLimit::Unlimited => true,
            };
            if !is_followed {
                continue;
            }
            for state in &states {
                *budget = budget.checked_sub(1)?;
                if visited.insert((next, *state)) {
                    worklist.push((next, *state, blocks.start(next)));
                }
            }
        }
    }
    Some(())
}

/// Whether a call only prints, or ends the kernel with an error.
pub fn is_diagnostic_call(effects: &FunctionEffects, at: usize) -> bool {
    let flow = effects.flow;
    let is_known = |name: &str| matches!(name, "vprintf" | "__assertfail");
    flow.mnemonic(at) == "call" && flow.instruction(at).operands.iter().any(|operand| is_known(&operand.token.text))
}

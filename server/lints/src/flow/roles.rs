//! Which threads execute an instruction: comparisons of thread and CTA indices with constants in the branches that lead to it.

use super::{BasicBlocks, DefinitionSite, Flow, OperandValue, PostDominators};
use foldhash::HashSet;

/// The maximum number of branches that lead to an instruction.
const MAX_BRANCHES: usize = 16;

/// The threads of a role satisfy all of its conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadRole(Vec<IndexCondition>);

/// A comparison of an index with a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexCondition {
    /// The special register: `%tid.x`, `%ctaid.x` and the like.
    register: String,
    number: i64,
    /// Whether the index is the number, or any other.
    is_equal: bool,
}

/// Finds the roles of the instructions of a function.
pub(crate) struct ThreadRoles<'f, 'a> {
    flow: &'f Flow<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
}

impl ThreadRole {
    /// Whether no thread has both roles.
    pub(crate) fn excludes(&self, other: &ThreadRole) -> bool {
        self.excludes_in(other, "")
    }

    /// Whether no CTA has threads of both roles.
    pub(crate) fn is_in_other_cta(&self, other: &ThreadRole) -> bool {
        self.excludes_in(other, "%ctaid")
    }

    /// Whether it is one thread of each CTA.
    pub(crate) fn is_one_thread(&self) -> bool {
        self.0.iter().any(|condition| condition.is_equal && condition.register.starts_with("%tid"))
    }

    fn excludes_in(&self, other: &ThreadRole, prefix: &str) -> bool {
        let conflicts = |one: &IndexCondition, other: &IndexCondition| {
            one.register == other.register
                && one.register.starts_with(prefix)
                && match (one.is_equal, other.is_equal) {
                    (true, true) => one.number != other.number,
                    (false, false) => false,
                    _ => one.number == other.number,
                }
        };
        self.0.iter().any(|one| other.0.iter().any(|other| conflicts(one, other)))
    }
}

impl<'f, 'a> ThreadRoles<'f, 'a> {
    /// The roles of a function; `None` if its control flow is not known.
    pub(crate) fn new(flow: &'f Flow<'a>) -> Option<Self> {
        Some(ThreadRoles { flow, blocks: flow.blocks()?, post_dominators: PostDominators::new(flow)? })
    }

    /// The role of the threads that execute an instruction.
    pub(crate) fn of(&self, at: usize) -> ThreadRole {
        let mut role = ThreadRole::default();
        let mut visited = HashSet::default();
        let start = self.blocks.of(at);
        let mut worklist = vec![start];
        while let Some(block) = worklist.pop() {
            for deciding in self.post_dominators.deciding(block) {
                if visited.len() < MAX_BRANCHES && self.blocks.is_reachable(deciding) && visited.insert(deciding) {
                    role.0.extend(self.condition(deciding, start));
                    worklist.push(deciding);
                }
            }
        }
        role
    }

    /// What the branch at the end of a block says of the threads that reach another block.
    fn condition(&self, deciding: usize, block: usize) -> Option<IndexCondition> {
        let branch = self.blocks.end(deciding, self.flow.len()).checked_sub(1)?;
        let (taken, next) = (self.flow.target(branch)?, branch + 1);
        let leads = |to: usize| to < self.flow.len() && self.blocks.dominates(self.blocks.of(to), block);
        let is_taken = match (leads(taken), leads(next)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let (OperandValue::Register(guard), is_negated) = self.flow.guard(branch)? else { return None };
        let DefinitionSite::Instruction(test) = self.flow.reaching(guard, branch).site else { return None };
        let comparison = self.flow.instruction(test);
        let is_equality = match () {
            () if !comparison.is("setp") || comparison.operands.len() != 3 => return None,
            () if comparison.has("eq") => true,
            () if comparison.has("ne") => false,
            () => return None,
        };
        let number = self.flow.constant(&comparison.values[2], test)?;
        let register = self.index(&comparison.values[1], test)?;
        Some(IndexCondition { register, number, is_equal: is_equality == (is_taken != is_negated) })
    }

    /// The special register that a value is a copy of.
    fn index(&self, value: &OperandValue, at: usize) -> Option<String> {
        let OperandValue::Register(register) = value else { return None };
        let DefinitionSite::Instruction(copy) = self.flow.reaching(*register, at).site else { return None };
        let copy = self.flow.instruction(copy);
        let from = copy.operands.get(1).filter(|_| copy.is("mov"))?;
        let is_index = from.token.text.starts_with("%tid") || from.token.text.starts_with("%ctaid");
        is_index.then(|| from.token.text.to_string())
    }
}

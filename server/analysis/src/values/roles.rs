//! Which threads execute an instruction: comparisons of thread and CTA indices with constants in the branches that lead to it.

use crate::values::{BasicBlocks, DecodedInstruction, DefinitionSite, FunctionValues, OperandValue, PostDominators};
use foldhash::HashSet;

/// The maximum number of branches that lead to an instruction.
const MAX_BRANCHES: usize = 16;

/// The maximum depth of a condition that consists of others.
const MAX_TERMS: usize = 4;

/// The threads of a role satisfy all of its conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadRole(Vec<IndexCondition>);

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
pub struct ThreadRoles<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
}

impl ThreadRole {
    /// Whether no thread has both roles.
    pub fn excludes(&self, other: &ThreadRole) -> bool {
        self.excludes_in(other, "")
    }

    /// Whether no CTA has threads of both roles.
    pub fn is_in_other_cta(&self, other: &ThreadRole) -> bool {
        self.excludes_in(other, "%ctaid")
    }

    /// Whether the roles are of different threads of one CTA.
    pub fn is_other_thread_of_cta(&self, other: &ThreadRole) -> bool {
        self.excludes_in(other, "%tid") && !self.is_in_other_cta(other)
    }

    /// Whether the index of its threads is a number, in one dimension or in several.
    pub fn has_thread_index(&self) -> bool {
        self.0.iter().any(|condition| condition.is_equal && condition.register.starts_with("%tid"))
    }

    /// Whether it is one thread of each CTA, given the dimensions in which a CTA may have several.
    pub fn is_one_thread(&self, dimensions: [bool; 3]) -> bool {
        let is_fixed = |register: &str| self.0.iter().any(|one| one.is_equal && one.register == register);
        ["%tid.x", "%tid.y", "%tid.z"].iter().zip(dimensions).all(|(register, several)| !several || is_fixed(register))
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
    pub fn new(flow: &'f FunctionValues<'a>) -> Option<Self> {
        Some(ThreadRoles { flow, blocks: flow.blocks()?, post_dominators: PostDominators::new(flow)? })
    }

    /// The role of the threads that execute an instruction.
    pub fn of(&self, at: usize) -> ThreadRole {
        let mut role = ThreadRole::default();
        let mut visited = HashSet::default();
        let start = self.blocks.of(at);
        let mut worklist = vec![start];
        while let Some(block) = worklist.pop() {
            for deciding in self.post_dominators.deciding(block) {
                if visited.len() < MAX_BRANCHES && self.blocks.is_reachable(deciding) && visited.insert(deciding) {
                    self.conditions(deciding, start, &mut role.0);
                    worklist.push(deciding);
                }
            }
        }
        role
    }

    /// What the branch at the end of a block says of the threads that reach another block.
    fn conditions(&self, deciding: usize, block: usize, found: &mut Vec<IndexCondition>) {
        let branch = self.blocks.end(deciding, self.flow.len()).checked_sub(1);
        let Some((branch, taken)) = branch.and_then(|branch| Some((branch, self.flow.target(branch)?))) else { return };
        let leads = |to: usize| to < self.flow.len() && self.blocks.dominates(self.blocks.of(to), block);
        let is_taken = match (leads(taken), leads(branch + 1)) {
            (true, false) => true,
            (false, true) => false,
            _ => return,
        };
        if let Some((OperandValue::Register(guard), is_negated)) = self.flow.guard(branch) {
            self.predicate((guard, branch), is_taken != is_negated, MAX_TERMS, found);
        }
    }

    /// What the value of a predicate says, also of a conjunction that is true and of a disjunction that is false.
    fn predicate(&self, (register, at): (usize, usize), is_true: bool, terms: usize, found: &mut Vec<IndexCondition>) {
        let DefinitionSite::Instruction(writer) = self.flow.reaching(register, at).site else { return };
        let instruction = self.flow.instruction(writer);
        if instruction.is(if is_true { "and" } else { "or" }) && instruction.has("pred") && terms > 0 {
            for value in instruction.values.iter().skip(1) {
                if let OperandValue::Register(term) = value {
                    self.predicate((*term, writer), is_true, terms - 1, found);
                }
            }
        }
        if !instruction.is("setp") || instruction.operands.len() != 3 {
            return;
        }
        if let Some((number, is_equality)) = self.tested_number(instruction, writer) {
            self.compared(&instruction.values[1], writer, (number, is_equality == is_true), terms, found);
        }
    }

    /// The number that a comparison tests a value for, and whether for being it or not: an unsigned value below 1 is 0.
    fn tested_number(&self, comparison: &DecodedInstruction, at: usize) -> Option<(i64, bool)> {
        let number = self.flow.constant(&comparison.values[2], at)?;
        let is_unsigned = comparison.has("u32");
        match (comparison.opcode.words().first().copied()?, number) {
            ("eq", _) => Some((number, true)),
            ("ne", _) => Some((number, false)),
            ("lt" | "lo", 1) | ("le" | "ls", 0) if is_unsigned => Some((0, true)),
            ("ge" | "hs", 1) | ("gt" | "hi", 0) if is_unsigned => Some((0, false)),
            _ => None,
        }
    }

    /// What a comparison of a value says. If a disjunction of bits is zero, both of its values are.
    fn compared(
        &self,
        value: &OperandValue,
        at: usize,
        (number, is_equal): (i64, bool),
        terms: usize,
        found: &mut Vec<IndexCondition>,
    ) {
        if let Some(register) = self.index(value, at) {
            return found.push(IndexCondition { register, number, is_equal });
        }
        let OperandValue::Register(register) = value else { return };
        let DefinitionSite::Instruction(writer) = self.flow.reaching(*register, at).site else { return };
        let instruction = self.flow.instruction(writer);
        if instruction.is("or") && number == 0 && is_equal && terms > 0 {
            for term in instruction.values.iter().skip(1) {
                self.compared(term, writer, (number, is_equal), terms - 1, found);
            }
        }
    }

    /// The special register that a value is a copy of.
    fn index(&self, value: &OperandValue, at: usize) -> Option<String> {
        let (mut value, mut at) = (value.clone(), at);
        for _ in 0..MAX_TERMS {
            let OperandValue::Register(register) = value else { return None };
            let DefinitionSite::Instruction(copy) = self.flow.reaching(register, at).site else { return None };
            let instruction = self.flow.instruction(copy);
            let from = instruction.operands.get(1).filter(|_| instruction.is("mov"))?;
            if from.token.text.starts_with("%tid") || from.token.text.starts_with("%ctaid") {
                return Some(from.token.text.to_string());
            }
            (value, at) = (instruction.values.get(1)?.clone(), copy);
        }
        None
    }
}

//! How the lanes that execute an instruction are chosen: by its guard, and by the branches that decide whether it executes.

use crate::effects::{LaneCondition, Uniformity};
use crate::values::{BasicBlocks, Definition, DefinitionSite, FunctionValues, OperandValue, PostDominators};
use foldhash::HashSet;

/// The maximum number of branches that decide whether an instruction executes.
const MAX_BRANCHES: usize = 64;

/// The maximum number of definitions that a guard is traced to.
const MAX_DEFINITIONS: usize = 16;

/// The maximum number of branches to visit for the conditions of one instruction.
const STEP_BUDGET: usize = 2_000;

/// How lanes are chosen to execute an instruction.
pub struct LaneChoice<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    blocks: &'f BasicBlocks,
    post_dominators: PostDominators,
    uniformity: Uniformity<'f, 'a>,
}

impl<'f, 'a> LaneChoice<'f, 'a> {
    /// Nothing is computed yet; `None` if the control flow is not known.
    pub fn new(flow: &'f FunctionValues<'a>) -> Option<Self> {
        let (blocks, post_dominators) = (flow.blocks()?, PostDominators::new(flow)?);
        Some(LaneChoice { flow, blocks, post_dominators, uniformity: Uniformity::new(flow) })
    }

    /// The combined condition of the guard of an instruction and of the branches that decide whether it executes.
    pub fn condition(&mut self, at: usize) -> LaneCondition {
        self.combined(at, |_| true)
    }

    /// The combined condition under which an instruction executes for the first time: branches that follow it in a loop do not count.
    pub fn first_condition(&mut self, at: usize) -> LaneCondition {
        let (blocks, block) = (self.blocks, self.blocks.of(at));
        self.combined(at, |deciding| !blocks.dominates(block, deciding))
    }

    /// The conditions of the guard of an instruction, and of all branches that decide whether it executes.
    pub fn conditions(&mut self, at: usize) -> Option<Vec<LaneCondition>> {
        let block = self.blocks.of(at);
        let deciding = self.post_dominators.all_deciding(block, self.blocks, &mut { STEP_BUDGET })?;
        let branches = deciding.into_iter().map(|block| self.blocks.end(block, self.flow.len()).saturating_sub(1));
        Some(std::iter::once(at).chain(branches).map(|at| self.guard(at)).collect())
    }

    fn combined(&mut self, at: usize, decides: impl Fn(usize) -> bool) -> LaneCondition {
        let mut found = self.guard(at);
        let mut visited = HashSet::default();
        let mut worklist = vec![self.blocks.of(at)];
        while let Some(block) = worklist.pop() {
            let deciding: Vec<usize> = self.post_dominators.deciding(block).collect();
            for block in deciding.into_iter().filter(|block| self.blocks.is_reachable(*block) && decides(*block)) {
                if !visited.insert(block) {
                    continue;
                }
                if visited.len() > MAX_BRANCHES {
                    return LaneCondition::Unknown;
                }
                let branch = self.blocks.end(block, self.flow.len()).saturating_sub(1);
                match (found, self.guard(branch)) {
                    (LaneCondition::Divergent, _) | (_, LaneCondition::Divergent) => {
                        return LaneCondition::Divergent;
                    }
                    (LaneCondition::Unknown, _) | (_, LaneCondition::Unknown) => found = LaneCondition::Unknown,
                    (LaneCondition::Uniform, condition) => found = condition,
                    (LaneCondition::Bounded, _) => {}
                }
                worklist.push(block);
            }
        }
        found
    }

    /// The condition of the guard of an instruction. Constants that only some lanes set on their path are not the same in all lanes.
    fn guard(&mut self, at: usize) -> LaneCondition {
        match self.uniformity.guard(at) {
            LaneCondition::Uniform if self.is_set_by_some_lanes(at) => LaneCondition::Unknown,
            condition => condition,
        }
    }

    /// Whether the guard of an instruction depends on which of several definitions a lane has executed, and a branch that diverges decides that.
    fn is_set_by_some_lanes(&mut self, at: usize) -> bool {
        let Some((OperandValue::Register(guard), _)) = self.flow.guard(at) else { return false };
        let mut worklist = vec![self.flow.reaching(guard, at)];
        let mut visited = HashSet::default();
        while let Some(definition) = worklist.pop() {
            if !visited.insert(definition) || visited.len() > MAX_DEFINITIONS {
                continue;
            }
            match definition.site {
                DefinitionSite::Merge(_) => {
                    let incoming = self.flow.incoming_values(definition).unwrap_or_default();
                    if incoming.iter().any(|one| self.is_of_some_lanes(one)) {
                        return true;
                    }
                    worklist.extend(incoming);
                }
                DefinitionSite::Instruction(at) if copies_condition(self.flow.mnemonic(at)) => {
                    let registers = self.flow.decode(at).values.into_iter().skip(1).filter_map(|value| match value {
                        OperandValue::Register(register) => Some(self.flow.reaching(register, at)),
                        _ => None,
                    });
                    worklist.extend(registers);
                }
                _ => {}
            }
        }
        false
    }

    /// Whether a branch that diverges decides whether a definition executes.
    fn is_of_some_lanes(&mut self, definition: &Definition) -> bool {
        let DefinitionSite::Instruction(at) = definition.site else { return false };
        let mut budget = MAX_BRANCHES;
        let deciding = self.post_dominators.all_deciding(self.blocks.of(at), self.blocks, &mut budget);
        deciding.into_iter().flatten().any(|block| {
            let branch = self.blocks.end(block, self.flow.len()).saturating_sub(1);
            self.uniformity.guard(branch) == LaneCondition::Divergent
        })
    }
}

/// Whether an instruction makes a condition of others.
fn copies_condition(mnemonic: &str) -> bool {
    matches!(mnemonic, "mov" | "not" | "and" | "or" | "xor" | "setp" | "selp")
}

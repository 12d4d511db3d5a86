//! What the branches before an instruction say of a thread that executes it, and the paths that such a thread may take afterwards.

use crate::effects::FunctionEffects;
use crate::values::{
    BasicBlocks, DecodedInstruction, Definition, DefinitionSite, FunctionValues, OperandValue, PostDominators,
};
use foldhash::HashSet;
use std::fmt::Write;

/// The maximum number of instructions between a condition and what it is computed from.
const MAX_DEPTH: usize = 6;

/// The maximum number of branches and edges to visit for one instruction.
const STEP_BUDGET: usize = 4_000;

/// The paths of a thread after its last execution of an instruction.
pub struct LastExecution {
    /// The edges from which the end is reached without the instruction.
    edges: HashSet<(usize, usize)>,
}

impl LastExecution {
    /// The paths after an instruction; `None` if the control flow is not known or too complex.
    pub fn of(effects: &FunctionEffects, at: usize) -> Option<Self> {
        let flow = effects.flow;
        let blocks = flow.blocks()?;
        let own = blocks.of(at);
        let conditions = ThreadConditions::new(flow, blocks, own);
        let mut known = conditions.before(own)?;
        if flow.is_guarded(at) {
            // A guard that is not known may skip the instruction in later iterations.
            known.push(conditions.guard(at)?);
        }
        let may_take = |block: usize, next: usize| {
            let condition = conditions.edge(block, next);
            condition.is_none_or(|(expression, holds)| !known.contains(&(expression, !holds)))
        };
        let mut reversed = vec![Vec::new(); blocks.len()];
        let mut worklist = Vec::new();
        for block in (0..blocks.len()).filter(|block| blocks.is_reachable(*block)) {
            let last = blocks.end(block, flow.len()).checked_sub(1);
            if last.is_some_and(|last| matches!(flow.mnemonic(last), "ret" | "exit") || last + 1 == flow.len()) {
                worklist.push(block);
            }
            let next = blocks.successors(block).filter(|next| may_take(block, *next));
            next.for_each(|next| reversed[next].push(block));
        }
        let (mut edges, mut ends) = (HashSet::default(), HashSet::<usize>::from_iter(worklist.iter().copied()));
        while let Some(next) = worklist.pop() {
            if next == own {
                continue;
            }
            for block in &reversed[next] {
                edges.insert((*block, next));
                if ends.insert(*block) {
                    worklist.push(*block);
                }
            }
        }
        Some(LastExecution { edges })
    }

    /// Whether a path may go from one block to another.
    pub fn allows(&self, block: usize, next: usize) -> bool {
        self.edges.contains(&(block, next))
    }
}

/// The conditions of branches, as expressions of values that are the same whenever a thread computes them.
struct ThreadConditions<'f, 'a> {
    flow: &'f FunctionValues<'a>,
    blocks: &'f BasicBlocks,
    /// The blocks after the instruction, where values may be computed again.
    behind: HashSet<usize>,
}

impl<'f, 'a> ThreadConditions<'f, 'a> {
    fn new(flow: &'f FunctionValues<'a>, blocks: &'f BasicBlocks, own: usize) -> Self {
        let mut behind = HashSet::default();
        let mut worklist = vec![own];
        while let Some(block) = worklist.pop() {
            worklist.extend(blocks.successors(block).filter(|next| behind.insert(*next)));
        }
        ThreadConditions { flow, blocks, behind }
    }

    /// The conditions of the branches that decide whether a block executes.
    fn before(&self, block: usize) -> Option<Vec<(String, bool)>> {
        let deciding = PostDominators::new(self.flow)?.all_deciding(block, self.blocks, &mut { STEP_BUDGET })?;
        let condition = |deciding: usize| {
            let leads = self.blocks.leading(deciding, block)?;
            // A branch after the block says nothing of its first execution.
            (deciding != block && self.blocks.dominates(deciding, block)).then(|| self.edge(deciding, leads)).flatten()
        };
        Some(deciding.into_iter().filter_map(condition).collect())
    }

    /// The condition under which a block is left to another one.
    fn edge(&self, block: usize, next: usize) -> Option<(String, bool)> {
        let flow = self.flow;
        let branch = self.blocks.end(block, flow.len()).checked_sub(1)?;
        let other = flow.target(branch).filter(|_| flow.mnemonic(branch) == "bra").map(|at| self.blocks.of(at));
        let is_taken = other.filter(|_| flow.is_guarded(branch))? == next;
        let (expression, holds) = self.guard(branch)?;
        Some((expression, holds == is_taken))
    }

    /// The condition of the guard of an instruction.
    fn guard(&self, at: usize) -> Option<(String, bool)> {
        let (value, is_negated) = self.flow.guard(at)?;
        let (expression, holds) = self.predicate(&value, at, MAX_DEPTH)?;
        Some((expression, holds != is_negated))
    }

    /// The condition of a predicate, and whether it is that or its opposite.
    fn predicate(&self, value: &OperandValue, at: usize, depth: usize) -> Option<(String, bool)> {
        let OperandValue::Register(register) = value else { return None };
        let definition = self.flow.reaching(*register, at);
        let computed = || {
            let writer = self.writer(definition).filter(|_| depth > 0)?;
            let operand = |operand: usize| writer.values.get(operand);
            match writer.opcode.mnemonic() {
                "not" => self.predicate(operand(1)?, writer.at, depth - 1).map(|(text, holds)| (text, !holds)),
                "mov" => self.predicate(operand(1)?, writer.at, depth - 1),
                "setp" if writer.values.len() == 3 && writer.values[0] == *value => self.comparison(&writer, depth - 1),
                _ => None,
            }
        };
        computed().or_else(|| Some((self.value(value, at, depth)?, true)))
    }

    fn comparison(&self, writer: &DecodedInstruction, depth: usize) -> Option<(String, bool)> {
        let words = writer.opcode.words();
        // A comparison with NaN and its opposite are both false.
        if words.last()?.contains('f') {
            return None;
        }
        let (relation, holds) = match *words.first()? {
            "ne" => ("eq", false),
            "ge" => ("lt", false),
            "gt" => ("le", false),
            "hs" => ("lo", false),
            "hi" => ("ls", false),
            relation => (relation, true),
        };
        let is_zero = self.flow.constant(&writer.values[2], writer.at) == Some(0);
        // A predicate that is kept as a number.
        if let (true, "eq", Some((text, selected))) = (is_zero, relation, self.selected(writer, depth)) {
            return Some((text, holds != selected));
        }
        let [left, right] = [1, 2].map(|operand| self.value(&writer.values[operand], writer.at, depth));
        let ty = if relation == "eq" { "" } else { words.last()? };
        Some((format!("{relation}.{ty}({}, {})", left?, right?), holds))
    }

    /// The predicate whose number is compared with zero.
    fn selected(&self, comparison: &DecodedInstruction, depth: usize) -> Option<(String, bool)> {
        let OperandValue::Register(register) = &comparison.values[1] else { return None };
        let writer = self.writer(self.flow.reaching(*register, comparison.at))?;
        let number = |operand: usize| self.flow.constant(writer.values.get(operand)?, writer.at);
        let selects = writer.opcode.mnemonic() == "selp" && depth > 0;
        let is_one = match (number(1)?, number(2)?) {
            _ if !selects => return None,
            (one, 0) if one != 0 => true,
            (0, one) if one != 0 => false,
            _ => return None,
        };
        let (text, holds) = self.predicate(writer.values.get(3)?, writer.at, depth - 1)?;
        Some((text, holds == is_one))
    }

    /// The value of an operand, as an expression.
    fn value(&self, value: &OperandValue, at: usize, depth: usize) -> Option<String> {
        if let Some(number) = self.flow.constant(value, at) {
            return Some(number.to_string());
        }
        let OperandValue::Register(register) = value else { return None };
        let definition = self.flow.reaching(*register, at);
        let computed = || {
            let writer = self.writer(definition).filter(|_| depth > 0)?;
            match writer.opcode.mnemonic() {
                "mov" => match writer.operands.get(1)?.token.text.trim() {
                    index if is_index(index) => Some(index.to_owned()),
                    _ => self.value(writer.values.get(1)?, writer.at, depth - 1),
                },
                "elect" => Some(format!("elect({})", self.value(writer.values.get(1)?, writer.at, depth - 1)?)),
                "and" | "or" | "xor" | "add" | "sub" | "mul" | "mad" | "shl" | "shr" | "cvt" | "shfl" => {
                    let mut text = format!("{}.{}", writer.opcode.mnemonic(), writer.opcode.words().join("."));
                    for operand in writer.values.iter().skip(1) {
                        write!(text, "({})", self.value(operand, writer.at, depth - 1)?).ok()?;
                    }
                    Some(text)
                }
                _ => None,
            }
        };
        computed().or_else(|| self.is_fixed(definition).then(|| format!("{register}: {:?}", definition.site)))
    }

    /// The instruction that always computes a value.
    fn writer(&self, definition: Definition) -> Option<DecodedInstruction<'a>> {
        let DefinitionSite::Instruction(at) = definition.site else { return None };
        (!self.flow.is_guarded(at)).then(|| self.flow.decode(at))
    }

    /// Whether a value is not computed again.
    fn is_fixed(&self, definition: Definition) -> bool {
        let is_before = |at: usize| !self.behind.contains(&self.blocks.of(at));
        match definition.site {
            DefinitionSite::Entry => true,
            DefinitionSite::Instruction(at) | DefinitionSite::Guarded(at) => is_before(at),
            DefinitionSite::Merge(block) => !self.behind.contains(&block),
            DefinitionSite::Unknown(_) => false,
        }
    }
}

/// Whether a special register is the same whenever a thread reads it. Others, such as the clock, are not.
fn is_index(name: &str) -> bool {
    const INDICES: [&str; 6] = ["%tid", "%ctaid", "%ntid", "%nctaid", "%laneid", "%cluster_cta"];
    INDICES.iter().any(|index| name.starts_with(index))
}

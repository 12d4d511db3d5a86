//! Reaching definitions of registers, as in static single assignment form.
//!
//! A register that is written once has one definition. Other registers also get a definition at the merge points of the control flow, which are
//! computed per register on demand.

use crate::values::control::basic_blocks::BasicBlocks;
use crate::values::{FunctionValues, OperandValue};
use foldhash::HashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// A value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The number of the register.
    pub register: usize,
    /// Where it is written.
    pub site: DefinitionSite,
}

/// Where a value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionSite {
    /// Before the function starts.
    Entry,
    /// At an instruction.
    Instruction(usize),
    /// At a guarded instruction: its result, or the previous value.
    Guarded(usize),
    /// At the start of a block where control flow merges (a phi node).
    Merge(usize),
    /// Unknown; this instruction uses the value.
    Unknown(usize),
}

/// The maximum number of guarded writes to compare with the guard of a use.
const MAX_GUARDED_WRITES: usize = 8;

/// The maximum number of predecessors of a merge to follow.
const MAX_PREDECESSORS: usize = 32;

/// The cached results of a function.
#[derive(Default)]
pub(in crate::values) struct Reaching {
    blocks: OnceCell<Option<BasicBlocks>>,
    /// The blocks that define each register.
    defining_blocks: RefCell<HashMap<usize, Rc<[DefiningBlock]>>>,
    spent: Cell<usize>,
}

/// A block that defines a register. Sorted by preorder time in the dominator tree.
struct DefiningBlock {
    block: usize,
    /// Whether definitions merge at its start.
    merges: bool,
    /// The index of the nearest defining block that dominates it.
    dominator: Option<usize>,
}

/// Whether the guard of the use selects between guarded writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UseGuard {
    Considered,
    Ignored,
}

impl FunctionValues<'_> {
    /// The definition of a register that an instruction reads.
    pub fn reaching(&self, register: usize, at: usize) -> Definition {
        self.find_definition(register, at, UseGuard::Considered)
    }

    /// The definition of a register before an instruction, independent of the guard of the instruction.
    pub(in crate::values) fn reaching_before(&self, register: usize, at: usize) -> Definition {
        self.find_definition(register, at, UseGuard::Ignored)
    }

    /// Whether two instructions have the same guard (`true`) or opposite guards (`false`); `None` if that is not certain.
    pub fn same_guard(&self, one: usize, other: usize) -> Option<bool> {
        if !self.is_guarded(one) && !self.is_guarded(other) {
            return Some(true);
        }
        let (OperandValue::Register(a), not_a) = self.guard(one)? else { return None };
        let (OperandValue::Register(b), not_b) = self.guard(other)? else { return None };
        (a == b && self.reaching_before(a, one) == self.reaching_before(b, other)).then_some(not_a == not_b)
    }

    /// The incoming definitions of a merge, unless there are too many.
    pub fn incoming_values(&self, definition: Definition) -> Option<Vec<Definition>> {
        let DefinitionSite::Merge(block) = definition.site else { return None };
        let blocks = self.blocks()?;
        let defining_blocks = self.defining_blocks(definition.register, blocks)?;
        let before: Vec<_> = blocks.predecessors(block).take(MAX_PREDECESSORS + 1).collect();
        let value = |block: usize| self.at_end(definition.register, block, blocks, &defining_blocks);
        (before.len() <= MAX_PREDECESSORS).then(|| before.into_iter().map(value).collect())
    }

    fn find_definition(&self, register: usize, at: usize, guard: UseGuard) -> Definition {
        let definition = |site: DefinitionSite| Definition { register, site };
        let writes = self.writes_of(register);
        let known = !self.is_parameter(register) || writes.is_empty();
        match writes {
            [] => return definition(DefinitionSite::Entry),
            [only] if known && (*only as usize) < at && !self.is_guarded(*only as usize) => {
                return definition(DefinitionSite::Instruction(*only as usize));
            }
            _ => {}
        }
        let Some(blocks) = self.blocks() else { return definition(DefinitionSite::Unknown(at)) };
        let block = blocks.of(at);
        let begin = blocks.start(block);
        let before = writes.partition_point(|write| (*write as usize) < at);
        let in_block = writes[..before].iter().rev().map(|write| *write as usize).take_while(|write| *write >= begin);
        for (passed, write) in in_block.enumerate() {
            if !self.is_guarded(write) {
                return definition(DefinitionSite::Instruction(write));
            }
            match (guard == UseGuard::Considered).then(|| self.same_guard(write, at)).flatten() {
                Some(true) => return definition(DefinitionSite::Instruction(write)),
                Some(false) if passed < MAX_GUARDED_WRITES => {}
                _ => return definition(DefinitionSite::Guarded(write)),
            }
        }
        match self.defining_blocks(register, blocks) {
            Some(defining_blocks) if blocks.is_reachable(block) => {
                self.at_start(register, block, blocks, &defining_blocks)
            }
            _ => definition(DefinitionSite::Unknown(at)),
        }
    }

    /// The basic blocks; `None` if the control flow is too complex.
    pub fn blocks(&self) -> Option<&BasicBlocks> {
        self.reaching.blocks.get_or_init(|| BasicBlocks::new(self)).as_ref()
    }

    /// The definition of a register at the start of a block.
    fn at_start(
        &self,
        register: usize,
        block: usize,
        blocks: &BasicBlocks,
        defining_blocks: &[DefiningBlock],
    ) -> Definition {
        let after = defining_blocks.partition_point(|defining| blocks.entered(defining.block) <= blocks.entered(block));
        let mut candidate = after.checked_sub(1);
        while let Some(defining) = candidate.map(|index| &defining_blocks[index]) {
            if defining.block == block && defining.merges {
                return Definition { register, site: DefinitionSite::Merge(block) };
            }
            if defining.block != block && blocks.dominates(defining.block, block) {
                return self.value_at_end_of(register, defining, blocks);
            }
            candidate = defining.dominator;
        }
        Definition { register, site: DefinitionSite::Entry }
    }

    /// The definition of a register at the end of a block.
    fn at_end(
        &self,
        register: usize,
        block: usize,
        blocks: &BasicBlocks,
        defining_blocks: &[DefiningBlock],
    ) -> Definition {
        match self.last_write_in_block(register, block, blocks) {
            Some(site) => Definition { register, site },
            None => self.at_start(register, block, blocks, defining_blocks),
        }
    }

    fn value_at_end_of(&self, register: usize, defining: &DefiningBlock, blocks: &BasicBlocks) -> Definition {
        let start = if defining.merges { DefinitionSite::Merge(defining.block) } else { DefinitionSite::Entry };
        Definition { register, site: self.last_write_in_block(register, defining.block, blocks).unwrap_or(start) }
    }

    fn last_write_in_block(&self, register: usize, block: usize, blocks: &BasicBlocks) -> Option<DefinitionSite> {
        let write = self.last_write(register, blocks.start(block)..blocks.end(block, self.len()))?;
        Some(if self.is_guarded(write) { DefinitionSite::Guarded(write) } else { DefinitionSite::Instruction(write) })
    }

    /// The blocks that define a register: those that write it, and their iterated dominance frontier.
    fn defining_blocks(&self, register: usize, blocks: &BasicBlocks) -> Option<Rc<[DefiningBlock]>> {
        if let Some(known) = self.reaching.defining_blocks.borrow().get(&register) {
            return Some(known.clone());
        }
        let mut spent = self.reaching.spent.get();
        let budget = 64 * self.len() + 100_000;
        let mut found: HashMap<usize, bool> = HashMap::default();
        let mut worklist = vec![BasicBlocks::ENTRY];
        worklist.extend(self.writes_of(register).iter().map(|write| blocks.of(*write as usize)));
        worklist.retain(|block| blocks.is_reachable(*block) && found.insert(*block, false).is_none());
        while let Some(block) = worklist.pop() {
            for merge in blocks.frontier(block) {
                spent += 1;
                match found.entry(*merge as usize) {
                    std::collections::hash_map::Entry::Occupied(mut known) => _ = known.insert(true),
                    std::collections::hash_map::Entry::Vacant(new) => {
                        new.insert(true);
                        worklist.push(*merge as usize);
                    }
                }
            }
            if spent > budget {
                break;
            }
        }
        self.reaching.spent.set(spent + found.len());
        if spent > budget {
            return None;
        }
        let defining_blocks: Rc<[DefiningBlock]> = link_dominators(found, blocks).into();
        self.reaching.defining_blocks.borrow_mut().insert(register, defining_blocks.clone());
        Some(defining_blocks)
    }
}

/// Sorts the defining blocks by preorder time, and links each to its nearest dominator.
fn link_dominators(found: HashMap<usize, bool>, blocks: &BasicBlocks) -> Vec<DefiningBlock> {
    let mut defining_blocks: Vec<DefiningBlock> =
        found.into_iter().map(|(block, merges)| DefiningBlock { block, merges, dominator: None }).collect();
    defining_blocks.sort_unstable_by_key(|defining| blocks.entered(defining.block));
    let mut dominators: Vec<usize> = Vec::new();
    for at in 0..defining_blocks.len() {
        while dominators
            .last()
            .is_some_and(|last| !blocks.dominates(defining_blocks[*last].block, defining_blocks[at].block))
        {
            dominators.pop();
        }
        defining_blocks[at].dominator = dominators.last().copied();
        dominators.push(at);
    }
    defining_blocks
}

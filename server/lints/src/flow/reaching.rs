//! Which definition of a register a use sees: the values of a function, each with one place where it is made.
//!
//! A register that is written once is its own value. For others a value is also made where ways meet on which different ones come, as in
//! static single assignment form; where that is, is found for a register when somebody asks.

use super::blocks::{Blocks, ENTRY};
use super::{Flow, OperandValue};
use foldhash::HashMap;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// A value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Definition {
    pub register: usize,
    pub site: DefinitionSite,
}

/// Where a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DefinitionSite {
    /// Before the function.
    Entry,
    /// By a step.
    Step(usize),
    /// By a step with a guard: what it computes, or what was there before.
    Guarded(usize),
    /// Where ways meet, at the beginning of a block.
    Merge(usize),
    /// It is not known where; this step uses it.
    Unknown(usize),
}

/// How many guarded writes are looked at for one that the guard of a use decides.
const GUARDS: usize = 8;

/// Into how many ways a merge is followed.
const WAYS: usize = 32;

/// What is kept of a function.
#[derive(Default)]
pub(super) struct Reaching {
    blocks: OnceCell<Option<Blocks>>,
    /// The blocks in which a value of a register is made.
    makers: RefCell<HashMap<usize, Rc<[Maker]>>>,
    spent: Cell<usize>,
}

/// A block in which a value of a register is made, in the order of a walk over the dominator tree.
struct Maker {
    block: usize,
    /// Whether ways meet at its beginning.
    merges: bool,
    /// The closest one that dominates it.
    above: Option<usize>,
}

impl Flow<'_> {
    /// The value of a register that a step reads.
    pub(crate) fn reaching(&self, register: usize, at: usize) -> Definition {
        self.sought(register, at, true)
    }

    /// The value of a register before a step, whatever the step's guard is.
    pub(super) fn before(&self, register: usize, at: usize) -> Definition {
        self.sought(register, at, false)
    }

    /// Whether two steps happen under the same condition, or under opposite ones; `None` where that is not certain.
    pub(crate) fn same_guard(&self, one: usize, other: usize) -> Option<bool> {
        if !self.guarded(one) && !self.guarded(other) {
            return Some(true);
        }
        let (OperandValue::Register(a), not_a) = self.step(one).guard.as_ref()? else { return None };
        let (OperandValue::Register(b), not_b) = self.step(other).guard.as_ref()? else { return None };
        (a == b && self.before(*a, one) == self.before(*b, other)).then_some(not_a == not_b)
    }

    /// The values that come together in one, if it is made where ways meet and there are not too many.
    pub(super) fn merged(&self, definition: Definition) -> Option<Vec<Definition>> {
        let DefinitionSite::Merge(block) = definition.site else { return None };
        let blocks = self.blocks()?;
        let makers = self.makers(definition.register, blocks)?;
        let before: Vec<_> = blocks.before(block).take(WAYS + 1).collect();
        let value = |block: usize| self.at_end(definition.register, block, blocks, &makers);
        (before.len() <= WAYS).then(|| before.into_iter().map(value).collect())
    }

    fn sought(&self, register: usize, at: usize, by_guard: bool) -> Definition {
        let made = |site: DefinitionSite| Definition { register, site };
        let writes = self.writes_of(register);
        let known = !self.is_parameter(register) || writes.is_empty();
        match writes {
            [] => return made(DefinitionSite::Entry),
            [only] if known && (*only as usize) < at && !self.guarded(*only as usize) => {
                return made(DefinitionSite::Step(*only as usize));
            }
            _ => {}
        }
        let Some(blocks) = self.blocks() else { return made(DefinitionSite::Unknown(at)) };
        let block = blocks.of(at);
        let begin = blocks.start(block);
        let before = writes.partition_point(|write| (*write as usize) < at);
        let here = writes[..before].iter().rev().map(|write| *write as usize).take_while(|write| *write >= begin);
        for (nearer, write) in here.enumerate() {
            if !self.guarded(write) {
                return made(DefinitionSite::Step(write));
            }
            match by_guard.then(|| self.same_guard(write, at)).flatten() {
                Some(true) => return made(DefinitionSite::Step(write)),
                Some(false) if nearer < GUARDS => {}
                _ => return made(DefinitionSite::Guarded(write)),
            }
        }
        match self.makers(register, blocks) {
            Some(makers) if blocks.reached(block) => self.at_start(register, block, blocks, &makers),
            _ => made(DefinitionSite::Unknown(at)),
        }
    }

    fn blocks(&self) -> Option<&Blocks> {
        self.reaching.blocks.get_or_init(|| Blocks::new(self)).as_ref()
    }

    /// The value of a register at the beginning of a block.
    fn at_start(&self, register: usize, block: usize, blocks: &Blocks, makers: &[Maker]) -> Definition {
        let after = makers.partition_point(|maker| blocks.entered(maker.block) <= blocks.entered(block));
        let mut near = after.checked_sub(1);
        while let Some(maker) = near.map(|near| &makers[near]) {
            if maker.block == block && maker.merges {
                return Definition { register, site: DefinitionSite::Merge(block) };
            }
            if maker.block != block && blocks.dominates(maker.block, block) {
                return self.made_in(register, maker, blocks);
            }
            near = maker.above;
        }
        Definition { register, site: DefinitionSite::Entry }
    }

    /// The value of a register at the end of a block.
    fn at_end(&self, register: usize, block: usize, blocks: &Blocks, makers: &[Maker]) -> Definition {
        match self.last_write(register, block, blocks) {
            Some(site) => Definition { register, site },
            None => self.at_start(register, block, blocks, makers),
        }
    }

    fn made_in(&self, register: usize, maker: &Maker, blocks: &Blocks) -> Definition {
        let start = if maker.merges { DefinitionSite::Merge(maker.block) } else { DefinitionSite::Entry };
        Definition { register, site: self.last_write(register, maker.block, blocks).unwrap_or(start) }
    }

    fn last_write(&self, register: usize, block: usize, blocks: &Blocks) -> Option<DefinitionSite> {
        let write = self.written(register, blocks.start(block)..blocks.end(block, self.len()))?;
        Some(if self.guarded(write) { DefinitionSite::Guarded(write) } else { DefinitionSite::Step(write) })
    }

    /// The blocks in which values of a register are made: where it is written, and where ways meet then.
    fn makers(&self, register: usize, blocks: &Blocks) -> Option<Rc<[Maker]>> {
        if let Some(known) = self.reaching.makers.borrow().get(&register) {
            return Some(known.clone());
        }
        let mut spent = self.reaching.spent.get();
        let most = 64 * self.len() + 100_000;
        let mut found: HashMap<usize, bool> = HashMap::default();
        let mut open = vec![ENTRY];
        open.extend(self.writes_of(register).iter().map(|write| blocks.of(*write as usize)));
        open.retain(|block| blocks.reached(*block) && found.insert(*block, false).is_none());
        while let Some(block) = open.pop() {
            for meeting in blocks.frontier(block) {
                spent += 1;
                match found.entry(*meeting as usize) {
                    std::collections::hash_map::Entry::Occupied(mut known) => _ = known.insert(true),
                    std::collections::hash_map::Entry::Vacant(new) => {
                        new.insert(true);
                        open.push(*meeting as usize);
                    }
                }
            }
            if spent > most {
                break;
            }
        }
        self.reaching.spent.set(spent + found.len());
        if spent > most {
            return None;
        }
        let makers: Rc<[Maker]> = nested(found, blocks).into();
        self.reaching.makers.borrow_mut().insert(register, makers.clone());
        Some(makers)
    }
}

/// Blocks in the order of a walk over the dominator tree, each with the closest one above it.
fn nested(found: HashMap<usize, bool>, blocks: &Blocks) -> Vec<Maker> {
    let mut makers: Vec<Maker> =
        found.into_iter().map(|(block, merges)| Maker { block, merges, above: None }).collect();
    makers.sort_unstable_by_key(|maker| blocks.entered(maker.block));
    let mut around: Vec<usize> = Vec::new();
    for at in 0..makers.len() {
        while around.last().is_some_and(|last| !blocks.dominates(makers[*last].block, makers[at].block)) {
            around.pop();
        }
        makers[at].above = around.last().copied();
        around.push(at);
    }
    makers
}

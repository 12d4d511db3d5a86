//! Which values are the same in all threads of a block, and which blocks all of them come to.

use crate::any_size::arithmetic::TermValue;
use crate::any_size::evaluation::EvaluatedPart;
use crate::any_size::execute::{predicate, source};
use crate::any_size::flow::BlockId;
use crate::any_size::part::KernelPart;
use crate::any_size::polynomial::{AtomId, Polynomial};
use crate::any_size::state::TermContext;
use crate::any_size::terms::{Atom, PlaceKind, TermCondition};
use program::ControlTransfer;
use std::collections::BTreeSet;

/// Where threads of a block differ.
#[derive(Debug, Default)]
pub struct BlockDivergence {
    /// The blocks that some threads may come to, or come to more often than others.
    pub blocks: BTreeSet<BlockId>,
    /// The registers that may differ where ways meet, by block and slot.
    joined: BTreeSet<(BlockId, u32)>,
}

impl BlockDivergence {
    /// That of a kernel, by its evaluation as a whole.
    pub fn of(context: &mut TermContext, part: &KernelPart, evaluated: &EvaluatedPart) -> Self {
        let post_dominators = context.flow.post_dominators();
        let mut divergence = Self::default();
        loop {
            let before = (divergence.blocks.len(), divergence.joined.len());
            for block in &part.blocks {
                if divergence.branches_apart(context, evaluated, *block) {
                    divergence.add_branch(context, (part, evaluated), *block, post_dominators[*block]);
                }
            }
            divergence.add_joined(context, part, evaluated);
            if before == (divergence.blocks.len(), divergence.joined.len()) {
                return divergence;
            }
        }
    }

    /// Whether an atom has the same value in all threads of a block that are between the same two barriers.
    pub fn is_uniform(&self, context: &TermContext, atom: AtomId) -> bool {
        let all = |number: &Polynomial| number.atoms().all(|atom| self.is_uniform(context, atom));
        match context.terms.get(atom) {
            Atom::ThreadIndex(_) | Atom::InThread(..) => false,
            Atom::BlockSize(_)
            | Atom::CtaIndex(_)
            | Atom::GridSize(_)
            | Atom::Parameter(..)
            | Atom::SharedVariable(_) => true,
            Atom::Unknown(place, slot, _) => match place.kind {
                PlaceKind::Join(block) => {
                    let block = block as usize;
                    place.interval == 0 && !self.blocks.contains(&block) && !self.joined.contains(&(block, *slot))
                }
                PlaceKind::Entry | PlaceKind::Instruction(..) => false,
            },
            Atom::Iteration(place, _) => match place.kind {
                PlaceKind::Join(block) => place.interval == 0 && !self.blocks.contains(&(block as usize)),
                PlaceKind::Entry | PlaceKind::Instruction(..) => false,
            },
            Atom::Quotient(one, other)
            | Atom::Xor(one, other, _)
            | Atom::Minimum(one, other)
            | Atom::Maximum(one, other) => all(one) && all(other),
            Atom::Typed(number, _) | Atom::Wraps(number, _) => all(number),
            Atom::Function(_, operands) => operands.iter().all(all),
            Atom::Choice(condition, one, other) => {
                self.is_uniform_condition(context, condition) && all(one) && all(other)
            }
        }
    }

    fn is_uniform_condition(&self, context: &TermContext, condition: &TermCondition) -> bool {
        let mut atoms = condition.numbers().into_iter().flat_map(Polynomial::atoms);
        atoms.all(|atom| self.is_uniform(context, atom))
    }

    fn is_uniform_value(&self, context: &TermContext, value: u32) -> bool {
        match context.values.get(value) {
            TermValue::Number(number, _) => number.atoms().all(|atom| self.is_uniform(context, atom)),
            TermValue::Predicate(condition) => self.is_uniform_condition(context, condition),
        }
    }

    /// Whether threads may go different ways at the end of a block.
    fn branches_apart(&self, context: &mut TermContext, evaluated: &EvaluatedPart, block: BlockId) -> bool {
        let Some(state) = evaluated.ends.get(&block) else { return false };
        let edges = &context.flow.blocks[block].edges;
        if edges.len() < 2 {
            return false;
        }
        let last = context.flow.blocks[block].instructions.1 - 1;
        let instruction = &context.function().code[last];
        if let ControlTransfer::BranchIndexed(index, _) = instruction.action.flow() {
            let index = source(context, state, index);
            let index = context.values.number(index);
            if !self.is_uniform_value(context, index) {
                return true;
            }
        }
        instruction.guard.is_some_and(|guard| {
            let condition = predicate(context, state, guard.predicate, guard.expected);
            !self.is_uniform_condition(context, &condition)
        })
    }

    /// Adds what lies between a branch and the block where its ways meet.
    fn add_branch(
        &mut self,
        context: &TermContext,
        (part, evaluated): (&KernelPart, &EvaluatedPart),
        branch: BlockId,
        end: BlockId,
    ) {
        let mut between = BTreeSet::new();
        for edge in context.flow.blocks[branch].edges.iter().filter(|edge| edge.to != end) {
            between.extend(context.flow.reachable(edge.to, |block| block == end));
        }
        between.remove(&end);
        if let Some(state) = evaluated.begins.get(&end) {
            let ways = part.entries.get(&end).into_iter().flatten();
            let ways = ways.filter(|(from, _)| *from == branch || between.contains(from));
            let states: Vec<_> = ways.filter_map(|way| evaluated.ways.get(way)?.as_ref()).collect();
            for slot in 0..state.registers.len() {
                if states.windows(2).any(|pair| pair[0].registers[slot] != pair[1].registers[slot]) {
                    self.joined.insert((end, slot as u32));
                }
            }
        }
        self.blocks.extend(between);
    }

    /// Adds the registers whose values differ on a way into their block already.
    fn add_joined(&mut self, context: &TermContext, part: &KernelPart, evaluated: &EvaluatedPart) {
        for (block, state) in &evaluated.begins {
            let ways = part.entries.get(block).into_iter().flatten();
            let states: Vec<_> = ways.filter_map(|way| evaluated.ways.get(way)?.as_ref()).collect();
            for slot in 0..state.registers.len() as u32 {
                let at = slot as usize;
                let is_joined = states.iter().any(|way| way.registers[at] != state.registers[at]);
                let differs = || states.iter().any(|way| !self.is_uniform_value(context, way.registers[at]));
                if is_joined && !self.joined.contains(&(*block, slot)) && differs() {
                    self.joined.insert((*block, slot));
                }
            }
        }
    }
}

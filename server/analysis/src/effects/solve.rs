//! Forward analyses over the basic blocks of a function.

use crate::effects::FunctionEffects;
use crate::values::BasicBlocks;

/// The maximum number of passes over the blocks. The states of a finite analysis settle in as many passes as its loops are nested, and two.
const MAX_PASSES: usize = 16;

/// A forward analysis: a state at the entry, what each instruction does to it, and how states join.
pub trait ForwardAnalysis {
    /// What is known at a place.
    type State: Clone;

    /// The state at the entry of the function.
    fn entry(&self) -> Self::State;

    /// Merges another state into one. Returns whether that changed.
    fn join(&self, state: &mut Self::State, other: &Self::State) -> bool;

    /// Applies one instruction.
    fn transfer(&self, at: usize, state: &mut Self::State);
}

/// The states at the start of the reachable blocks of a function.
pub struct BlockStates<'f, S> {
    blocks: &'f BasicBlocks,
    states: Vec<Option<S>>,
    instructions: usize,
}

impl FunctionEffects<'_, '_> {
    /// The fixed point of an analysis; `None` if the control flow is too complex.
    pub fn solve<A: ForwardAnalysis>(&self, analysis: &A) -> Option<BlockStates<'_, A::State>> {
        let blocks = self.flow.blocks()?;
        let mut states: Vec<Option<A::State>> = vec![None; blocks.len()];
        states[BasicBlocks::ENTRY] = Some(analysis.entry());
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            for block in blocks.reverse_postorder() {
                let Some(mut state) = states[block].clone() else { continue };
                (blocks.start(block)..blocks.end(block, self.flow.len()))
                    .for_each(|at| analysis.transfer(at, &mut state));
                for next in blocks.successors(block) {
                    changed |= match &mut states[next] {
                        Some(known) => analysis.join(known, &state),
                        unknown => {
                            *unknown = Some(state.clone());
                            true
                        }
                    };
                }
            }
            if !changed {
                return Some(BlockStates { blocks, states, instructions: self.flow.len() });
            }
        }
        None
    }
}

impl<S: Clone> BlockStates<'_, S> {
    /// Calls `visit` with every reachable instruction and the state before it, in the order of the text.
    pub fn visit<A: ForwardAnalysis<State = S>>(&self, analysis: &A, mut visit: impl FnMut(usize, &S)) {
        for (block, state) in self.states.iter().enumerate() {
            let Some(mut state) = state.clone() else { continue };
            for at in self.blocks.start(block)..self.blocks.end(block, self.instructions) {
                visit(at, &state);
                analysis.transfer(at, &mut state);
            }
        }
    }
}

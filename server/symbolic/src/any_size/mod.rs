//! Kernels without a race, for any number of threads.
//!
//! Two threads stand for all (GPUVerify: Betts and others, The Design and Implementation of a Verification Technique for GPU Kernels, 2015). What each
//! of them accesses between two barriers is a term over its indices, the sizes of the launch, parameters and the iterations of loops, modulo powers of
//! two. If the offsets of no two accesses can be equal, no launch has a race. Where a term or an answer is not known, nothing is claimed.

mod accesses;
mod arithmetic;
mod divergence;
mod evaluation;
mod execute;
mod flow;
mod pair;
mod part;
mod polynomial;
mod simplex;
mod state;
mod system;
mod terms;

pub use accesses::{SymbolicMemory, ThreadDistance};
pub use pair::NoWrap;
pub use polynomial::{AtomId, Polynomial};
pub use state::LaunchSizes;
pub use terms::{Atom, NumberType, TermCondition, Terms};

use crate::BlockKernel;
use crate::any_size::accesses::{SymbolicAccess, UnknownSpace, accesses};
use crate::any_size::divergence::BlockDivergence;
use crate::any_size::evaluation::{EvaluatedPart, TooManySteps, evaluate};
use crate::any_size::execute::writes_known_registers;
use crate::any_size::flow::{BlockId, KernelFlow, barrier_of_block, is_full_barrier};
use crate::any_size::pair::{CommonValues, PairAnswer, PairAssumption, exclude};
use crate::any_size::part::{KernelPart, PartEnd};
use crate::any_size::state::{Interner, TermContext, ThreadKnowledge};
use crate::any_size::system::Effort;
use crate::any_size::terms::{PlaceKind, TermPlace};
use program::{RegisterComputation, SpecialValue};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of all launches of a kernel.
#[derive(Debug)]
pub struct AnySizeResult {
    /// Why the kernel is not known to be free of races; empty if it is.
    pub unknown: BTreeSet<UnknownPlace>,
    /// What was supposed.
    pub assumptions: BTreeSet<LaunchAssumption>,
    /// The pairs of accesses that were compared.
    pub pairs: usize,
    /// The atoms of the numbers in the assumptions.
    pub terms: Terms,
}

/// A place where something is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownPlace {
    /// The index of the instruction.
    pub at: u32,
    /// What is not known.
    pub reason: UnknownReason,
}

/// What is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownReason {
    /// What the instruction does is not modelled.
    Instruction,
    /// Which memory it accesses.
    Address,
    /// Whether it overlaps an access of another thread, by the index of its instruction.
    Overlap(u32, OtherThread),
    /// Whether all threads of the block come to the barrier together.
    Barrier,
    /// The bound on the effort was reached.
    Limit,
}

/// Where the other thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OtherThread {
    /// In the same block.
    SameBlock,
    /// In another block of the grid.
    OtherBlock,
}

/// What was supposed of launches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaunchAssumption {
    /// Blocks have at most so many threads in a dimension.
    BlockSize(usize, u32),
    /// The grid has one block in a dimension.
    GridSize(usize),
    /// The memory that two parameters point to does not overlap.
    Distinct(u64, u64),
    /// Accesses to a variable or to what a parameter points to are within it.
    InBounds(SymbolicMemory),
    /// A number stays within its type.
    NoWrap(NoWrap),
}

/// The bounds on the effort for a kernel.
const EFFORT: Effort = Effort { pivots: 400_000, systems: 20_000 };
const MOST_INSTRUCTIONS: usize = 20_000;
const MOST_BLOCKS: usize = 600;

/// What is known of all launches of a kernel with some sizes.
pub fn prove_any_size(kernel: &BlockKernel, given: &LaunchSizes) -> AnySizeResult {
    let first = Prover::new(kernel, given).prove();
    if first.0.unknown.is_empty() {
        return first.0;
    }
    // Rows of elements have a width, and tiles a size, which blocks may not exceed.
    let mut sizes = given.clone();
    for (axis, width) in &first.1 {
        sizes.block[*axis].1 = sizes.block[*axis].1.min(*width);
    }
    if sizes == *given {
        return first.0;
    }
    let (mut second, _) = Prover::new(kernel, &sizes).prove();
    if second.unknown.len() >= first.0.unknown.len() {
        return first.0;
    }
    let narrowed = (0..3).filter(|axis| sizes.block[*axis] != given.block[*axis]);
    second.assumptions.extend(narrowed.map(|axis| LaunchAssumption::BlockSize(axis, sizes.block[axis].1 as u32)));
    second
}

struct Prover<'p> {
    context: TermContext<'p>,
    result: AnySizeResult,
    effort: Effort,
    /// The dimensions of blocks with the widths of rows and tiles that threads access, the smallest ones.
    widths: BTreeMap<usize, i128>,
    /// Which threads were compared.
    compared: BTreeSet<OtherThread>,
}

impl<'p> Prover<'p> {
    fn new(kernel: &'p BlockKernel<'p>, given: &LaunchSizes) -> Self {
        let mut assumptions = BTreeSet::new();
        let sizes = sizes(kernel, given, &mut assumptions);
        let mut terms = Terms::default();
        for variable in 0..kernel.variables.len() {
            terms.atom(Atom::SharedVariable(variable as u16), (0, 1 << 20));
        }
        let context = TermContext {
            kernel,
            flow: KernelFlow::of(kernel.function),
            sizes,
            terms,
            values: Interner::default(),
            facts: Interner::default(),
        };
        let result = AnySizeResult { unknown: BTreeSet::new(), assumptions, pairs: 0, terms: Terms::default() };
        Self { context, result, effort: EFFORT, widths: BTreeMap::new(), compared: BTreeSet::new() }
    }

    fn prove(mut self) -> (AnySizeResult, BTreeMap<usize, i128>) {
        if let Err(TooManySteps) = self.prove_all() {
            self.add_unknown(0, UnknownReason::Limit);
        }
        let compared = &self.compared;
        self.result.assumptions.retain(|assumption| match assumption {
            LaunchAssumption::BlockSize(..) => compared.contains(&OtherThread::SameBlock),
            LaunchAssumption::GridSize(_) => compared.contains(&OtherThread::OtherBlock),
            LaunchAssumption::Distinct(..) | LaunchAssumption::InBounds(_) | LaunchAssumption::NoWrap(_) => true,
        });
        self.result.terms = self.context.terms;
        (self.result, self.widths)
    }

    fn add_unknown(&mut self, at: u32, reason: UnknownReason) {
        self.result.unknown.insert(UnknownPlace { at, reason });
    }

    fn prove_all(&mut self) -> Result<(), TooManySteps> {
        let code = &self.context.function().code;
        if code.len() > MOST_INSTRUCTIONS || self.context.flow.blocks.len() > MOST_BLOCKS {
            return Err(TooManySteps);
        }
        if let Some(at) = code.iter().position(|one| !writes_known_registers(&one.action)) {
            self.add_unknown(at as u32, UnknownReason::Instruction);
            return Ok(());
        }
        let entry = TermPlace { interval: 0, kind: PlaceKind::Entry };
        let registers = (0..self.context.function().registers).map(|slot| self.context.unknown(entry, slot, 64));
        let begin = ThreadKnowledge { registers: registers.collect(), facts: Vec::new() };
        let whole = KernelPart::new(&self.context.flow, (0, 0), begin.clone(), PartEnd::Threads);
        let evaluated = evaluate(&mut self.context, &whole)?;
        let Some(all) = self.accesses(&whole, &evaluated) else { return Ok(()) };
        self.note_widths(&all);
        let divergence = BlockDivergence::of(&mut self.context, &whole, &evaluated);
        let partial = self.partial_barriers(&divergence);
        if partial.is_empty() {
            let first = self.context.flow.blocks.len() as u32 + 1;
            let mut begins = vec![((first, 0), begin)];
            for block in
                (0..self.context.flow.blocks.len()).filter(|block| self.context.flow.blocks[*block].ends_at_barrier)
            {
                let next = self.context.flow.blocks[block].edges[0].to;
                if let Some(Some(state)) = evaluated.ways.get(&(block, 0)) {
                    begins.push(((block as u32 + 1, next), state.clone()));
                }
            }
            for (start, begin) in begins {
                self.prove_interval(start, begin, &divergence)?;
            }
        } else {
            self.compare(&all, CommonValues::OfBlock);
            if !self.result.unknown.is_empty() {
                partial.into_iter().for_each(|at| self.add_unknown(at, UnknownReason::Barrier));
            }
        }
        let global: Vec<SymbolicAccess> =
            all.into_iter().filter(|access| access.memory.space() != UnknownSpace::Shared).collect();
        self.compare(&global, CommonValues::OfLaunch);
        Ok(())
    }

    fn prove_interval(
        &mut self,
        start: (u32, BlockId),
        begin: ThreadKnowledge,
        divergence: &BlockDivergence,
    ) -> Result<(), TooManySteps> {
        let part = KernelPart::new(&self.context.flow, start, begin, PartEnd::Barriers);
        let evaluated = evaluate(&mut self.context, &part)?;
        if let Some(accesses) = self.accesses(&part, &evaluated) {
            self.compare(&accesses, CommonValues::SinceBarrier(divergence));
        }
        Ok(())
    }

    /// The accesses of a part, if all of its instructions are known here.
    fn accesses(&mut self, part: &KernelPart, evaluated: &EvaluatedPart) -> Option<Vec<SymbolicAccess>> {
        let found = accesses(&mut self.context, part, evaluated);
        found.map_err(|at| self.add_unknown(at, UnknownReason::Instruction)).ok()
    }

    /// The barriers of the block at which not all of its threads meet, or may not do so.
    fn partial_barriers(&self, divergence: &BlockDivergence) -> Vec<u32> {
        let function = self.context.function();
        let is_of_block = |at: &usize| barrier_of_block(function, *at).is_some();
        let mut partial: Vec<usize> = (0..function.code.len()).filter(is_of_block).collect();
        partial.retain(|at| !is_full_barrier(function, *at));
        let blocks = divergence.blocks.iter().map(|block| &self.context.flow.blocks[*block]);
        partial.extend(blocks.filter(|block| block.ends_at_barrier).map(|block| block.instructions.1 - 1));
        partial.into_iter().map(|at| at as u32).collect()
    }

    /// Compares each access with each other one of a different thread.
    fn compare(&mut self, accesses: &[SymbolicAccess], common: CommonValues) {
        let other_thread = match common {
            CommonValues::SinceBarrier(_) | CommonValues::OfBlock => OtherThread::SameBlock,
            CommonValues::OfLaunch => OtherThread::OtherBlock,
        };
        let distance = match other_thread {
            OtherThread::SameBlock => ThreadDistance::SameBlock,
            OtherThread::OtherBlock => ThreadDistance::OtherBlock,
        };
        for (number, one) in accesses.iter().enumerate() {
            for other in &accesses[number..] {
                if !one.races_with(other, distance) || !one.memory.may_be(other.memory) {
                    continue;
                }
                self.result.pairs += 1;
                self.compared.insert(other_thread);
                if one.memory != other.memory {
                    self.suppose_distinct(one, other);
                    continue;
                }
                if self.effort.systems == 0 || self.effort.pivots == 0 {
                    self.add_unknown(one.at, UnknownReason::Limit);
                    return;
                }
                match exclude(&mut self.context, common, [one, other], &mut self.effort) {
                    PairAnswer::Excluded(assumed) => self.suppose(assumed, one.memory),
                    PairAnswer::Open => self.add_unknown(one.at, UnknownReason::Overlap(other.at, other_thread)),
                }
            }
        }
    }

    /// Adds what was supposed to exclude two accesses to some memory.
    fn suppose(&mut self, assumed: Vec<PairAssumption>, memory: SymbolicMemory) {
        for assumption in assumed {
            let new = match assumption {
                PairAssumption::InBounds => LaunchAssumption::InBounds(memory),
                PairAssumption::NoWrap(new) => {
                    let is_same = |old: &LaunchAssumption| matches!(old, LaunchAssumption::NoWrap(old) if (&old.number, old.ty) == (&new.number, new.ty));
                    if self.result.assumptions.iter().any(is_same) {
                        continue;
                    }
                    LaunchAssumption::NoWrap(new)
                }
            };
            self.result.assumptions.insert(new);
        }
    }

    /// Supposes that accesses are within their own memory, if it is known.
    fn suppose_distinct(&mut self, one: &SymbolicAccess, other: &SymbolicAccess) {
        match (one.memory, other.memory) {
            (SymbolicMemory::Unknown(_), _) => self.add_unknown(one.at, UnknownReason::Address),
            (_, SymbolicMemory::Unknown(_)) => self.add_unknown(other.at, UnknownReason::Address),
            (SymbolicMemory::Pointer(one), SymbolicMemory::Pointer(other)) => {
                self.result.assumptions.insert(LaunchAssumption::Distinct(one.min(other), one.max(other)));
            }
            (SymbolicMemory::Shared(one), SymbolicMemory::Shared(other)) => {
                self.result
                    .assumptions
                    .extend([one, other].map(|at| LaunchAssumption::InBounds(SymbolicMemory::Shared(at))));
            }
            (SymbolicMemory::Shared(_), SymbolicMemory::Pointer(_))
            | (SymbolicMemory::Pointer(_), SymbolicMemory::Shared(_)) => {}
        }
    }

    /// Notes by how much rows are longer than elements, and tiles than rows.
    fn note_widths(&mut self, accesses: &[SymbolicAccess]) {
        let indices = [Atom::ThreadIndex(0), Atom::ThreadIndex(1), Atom::ThreadIndex(2)];
        let tiles = [Atom::CtaIndex(0), Atom::CtaIndex(1), Atom::CtaIndex(2)];
        let terms = &self.context.terms;
        let found = |atom: &Atom| terms.find(atom);
        let rows = indices.iter().zip(&indices[1..]).enumerate();
        let pairs = rows.chain(indices.iter().zip(&tiles).enumerate());
        let pairs = pairs.filter_map(|(axis, (one, other))| Some((axis, found(one)?, found(other)?)));
        let pairs: Vec<_> = pairs.collect();
        for access in accesses {
            let number = terms.without_types(&access.offset);
            for (axis, index, next) in &pairs {
                for width in number.ratios(*index, *next) {
                    let most = self.context.sizes.block[*axis].1;
                    if width > 1 && width < most && self.context.sizes.block[*axis].0 <= width {
                        let known = self.widths.entry(*axis).or_insert(width);
                        *known = width.min(*known);
                    }
                }
            }
        }
    }
}

/// The sizes that launches may have; dimensions that the kernel does not read have one thread or block.
fn sizes(kernel: &BlockKernel, given: &LaunchSizes, assumptions: &mut BTreeSet<LaunchAssumption>) -> LaunchSizes {
    let mut sizes = given.clone();
    let reads = |wanted: [SpecialValue; 2]| {
        let mut computations = kernel.function.code.iter().map(|instruction| instruction.action.computation());
        computations.any(|one| matches!(one, Some(RegisterComputation::Special(value)) if wanted.contains(&value)))
    };
    for axis in 0..3 {
        if let Some(block) = kernel.block {
            let size = block.0[axis].into();
            sizes.block[axis] = (size, size);
        } else if axis > 0 && !reads([SpecialValue::ThreadIndex(axis), SpecialValue::BlockSize(axis)]) {
            if sizes.block[axis].1 > 1 {
                assumptions.insert(LaunchAssumption::BlockSize(axis, 1));
            }
            sizes.block[axis] = (1, 1);
        } else if let Some(most) = kernel.most_threads {
            sizes.block[axis].1 = sizes.block[axis].1.min(most.into());
        }
        if !reads([SpecialValue::CtaIndex(axis), SpecialValue::GridSize(axis)]) && sizes.grid[axis].1 > 1 {
            sizes.grid[axis] = (1, 1);
            assumptions.insert(LaunchAssumption::GridSize(axis));
        }
    }
    sizes
}

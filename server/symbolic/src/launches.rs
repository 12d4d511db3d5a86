//! The launches in which a kernel is tried, and the races that all of them show.

use crate::BlockKernel;
use crate::block::{BlockResult, EvaluatedThreads, IndexedComparison, evaluate};
use crate::code::Code;
use crate::control::successors;
use crate::shadow::ThreadAccess;
use crate::step::ThreadStep;
use crate::trial::{TrialLaunch, blocks, parameter_at};
use program::{Dimensions, SpecialValue};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The values of integer parameters: the second confirms what the first shows.
const INTEGERS: [u64; 2] = [4096, 1000];

/// The steps of an evaluation: for each instruction, and at least.
const STEPS_PER_INSTRUCTION: usize = 128;
const LEAST_STEPS: usize = 1 << 15;

/// Two accesses to a byte of shared memory by threads of a block that nothing orders, one of them a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRace {
    /// The two accesses; the first one comes first in the order of the program.
    pub accesses: [AccessedBy; 2],
    /// How the two follow each other.
    pub order: RaceOrder,
    /// The barrier that is missing.
    pub barrier: MissingBarrier,
    /// The address of the first byte that both access.
    pub address: u64,
    /// The bytes of the smaller access.
    pub bytes: u32,
    /// The variable that it is in, by its index.
    pub variable: Option<usize>,
    /// The size of the block.
    pub block: Dimensions,
    /// The integer parameters that decide, each by its index and its value.
    pub parameters: Vec<(usize, u64)>,
}

/// An access by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessedBy {
    /// The index of the instruction.
    pub instruction: u32,
    /// The position of the thread in its block.
    pub thread: [u32; 3],
    /// Whether it is a write.
    pub is_write: bool,
}

/// How two accesses follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceOrder {
    /// A write, and an access that expects its value or overwrites it.
    AfterWrite,
    /// A read, and a write that overwrites what is read.
    AfterRead,
}

/// A barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingBarrier {
    /// Of all threads of the block.
    Block,
    /// Of the lanes of a warp.
    Warp,
}

/// Two steps whose accesses meet.
type StepPair = (u32, u32);

/// An example of a pair, and whether threads of different warps take part in some.
#[derive(Clone, Copy)]
struct RaceExample {
    accesses: [ThreadAccess; 2],
    threads: [u32; 2],
    address: u64,
    crosses_warps: bool,
}

/// The races of a kernel, in the order of the text: one for each barrier that is missing.
///
/// A race is reported if each launch shows it that the kernel is made for, as far as it executes both accesses, and one without any race refutes all: blocks of several sizes for which no access is out of bounds, and two values of
/// the integer parameters. Its witness is what two threads do in one of these launches. Nothing is reported that depends on a loaded value, or on an
/// exchange between threads other than by barriers.
pub fn find_races(kernel: &BlockKernel) -> Vec<SharedRace> {
    let code = Code::of(kernel.function);
    if !code.writes_shared {
        return Vec::new();
    }
    let trial = Trial {
        kernel,
        code: &code,
        steps: LEAST_STEPS.max(STEPS_PER_INSTRUCTION * code.steps.len()),
        compares_indexed: Cell::new(false),
    };
    let blocks = blocks(kernel.block, kernel.most_threads, dimensions(&code));
    let mut waiting = blocks.iter().copied();
    let first = waiting.find_map(|block| Some((block, trial.launch(block, INTEGERS[0], EvaluatedThreads::Sampled)?)));
    let Some((block, first)) = first else { return Vec::new() };
    let mut found = examples(&first);
    if !found.is_empty() {
        trial.confirm(&mut found, (block, !first.parameters.is_empty()), waiting);
    }
    let mut races = SeparateRaces { code: &code, found: Vec::new() };
    let any_crosses = found.values().any(|example| example.crosses_warps);
    let mut ordered: Vec<(StepPair, &RaceExample)> =
        found.values().map(|example| (in_order(&code, example), example)).collect();
    ordered.sort_by_key(|((first, second), _)| (*second, *first));
    for (pair, example) in ordered {
        if races.is_new(pair) {
            races.found.push((pair, *example));
        }
    }
    let parameters = parameters(kernel, &first);
    let found = races.found.iter().map(|(pair, example)| SharedRace {
        barrier: missing(&code, example, block, any_crosses),
        parameters: parameters.clone(),
        ..race(kernel, &code, *pair, example, block)
    });
    found.collect()
}

/// A kernel that is tried.
struct Trial<'p> {
    kernel: &'p BlockKernel<'p>,
    code: &'p Code<'p>,
    steps: usize,
    /// Whether accesses whose index is read from memory are compared with others: once there was one.
    compares_indexed: Cell<bool>,
}

impl Trial<'_> {
    fn launch(&self, block: Dimensions, integer: u64, evaluated: EvaluatedThreads) -> Option<BlockResult> {
        let launch = TrialLaunch { block, integer };
        let evaluate = |comparison| evaluate(self.kernel, self.code, launch, (evaluated, comparison), self.steps);
        // Few kernels have such accesses, and comparing them takes time.
        if self.compares_indexed.get() {
            return evaluate(IndexedComparison::Compared);
        }
        let result = evaluate(IndexedComparison::LeftOut)?;
        if !result.has_indexed {
            return Some(result);
        }
        self.compares_indexed.set(true);
        evaluate(IndexedComparison::Compared)
    }

    /// Keeps the pairs that the other launches show, too, for which the kernel is made.
    fn confirm(
        &self,
        found: &mut BTreeMap<StepPair, RaceExample>,
        (block, has_parameters): (Dimensions, bool),
        others: impl Iterator<Item = Dimensions>,
    ) {
        // The first launch has none: others in which threads read what nobody has written are too small.
        let first = self.launch(block, INTEGERS[0], EvaluatedThreads::All);
        let reads_all_written = first.is_some_and(|first| !first.has_unwritten_reads);
        let is_size = |step: &ThreadStep| matches!(step, ThreadStep::Special(_, SpecialValue::BlockSize(_)));
        let asks_for_size = self.code.steps.iter().any(|step| is_size(&step.step));
        // Blocks of a part of a warp are rare.
        let least = if block.count() < 32 { 2 } else { 32 };
        let others = others.filter(|other| other.count() >= least).map(|other| (other, INTEGERS[0]));
        let further = INTEGERS[1..].iter().filter(|_| has_parameters).map(|integer| (block, *integer));
        for (block, integer) in others.chain(further) {
            let Some(result) = self.launch(block, integer, EvaluatedThreads::All) else { continue };
            if result.is_incomplete || reads_all_written && result.has_unwritten_reads {
                continue;
            }
            let confirmed = examples(&result);
            let is_executed = |pair: &StepPair| result.has_accesses(pair.0) && result.has_accesses(pair.1);
            // A kernel that asks for the size of its block may do without barriers if that is one warp.
            let is_for_launch = confirmed.is_empty() && (block.count() > 32 || !asks_for_size);
            found.retain(|pair, _| confirmed.contains_key(pair) || !is_for_launch && !is_executed(pair));
            if found.is_empty() {
                return;
            }
        }
    }
}

/// Races of which each needs a barrier of its own.
struct SeparateRaces<'c, 'p> {
    code: &'c Code<'p>,
    found: Vec<(StepPair, RaceExample)>,
}

impl SeparateRaces<'_, '_> {
    /// Whether the barriers before the second accesses of the others do not separate two steps.
    fn is_new(&self, (first, second): StepPair) -> bool {
        let is_barrier = |at: u32| self.found.iter().any(|((_, barrier), _)| *barrier == at);
        // Two steps of different branches are separated by a barrier before both.
        let is_ordered = reaches(self.code, first, second, |_| false);
        if is_ordered {
            reaches(self.code, first, second, is_barrier)
        } else {
            !is_barrier(first) && !is_barrier(second)
        }
    }
}

/// The pairs of steps whose accesses meet, each with an example.
fn examples(result: &BlockResult) -> BTreeMap<StepPair, RaceExample> {
    let mut examples: BTreeMap<StepPair, RaceExample> = BTreeMap::new();
    for (conflict, threads) in &result.conflicts {
        let [one, other] = conflict.accesses;
        let crosses_warps = threads[0] / 32 != threads[1] / 32;
        let (accesses, threads) =
            if one.step <= other.step { ([one, other], *threads) } else { ([other, one], [threads[1], threads[0]]) };
        let example = RaceExample { accesses, threads, address: conflict.address, crosses_warps };
        let known = examples.entry((accesses[0].step, accesses[1].step)).or_insert(example);
        if crosses_warps && !known.crosses_warps {
            *known = example;
        }
    }
    examples
}

/// The steps of an example, in the order in which a barrier has to separate them.
fn in_order(code: &Code, example: &RaceExample) -> StepPair {
    let [one, other] = example.accesses;
    let is_before = |from: u32, to: u32| reaches(code, from, to, |_| false);
    // A value is written before it is read, unless only the read leads to the write.
    let follows = |write: u32, read: u32| is_before(write, read) || !is_before(read, write);
    let is_reversed = match (one.kind.writes(), other.kind.writes()) {
        (false, true) => follows(other.step, one.step),
        (true, false) => !follows(one.step, other.step),
        _ => !is_before(one.step, other.step) && is_before(other.step, one.step),
    };
    if is_reversed { (other.step, one.step) } else { (one.step, other.step) }
}

fn race(kernel: &BlockKernel, code: &Code, pair: StepPair, example: &RaceExample, block: Dimensions) -> SharedRace {
    let by = |at: usize| AccessedBy {
        instruction: code.steps[example.accesses[at].step as usize].at,
        thread: block.position(example.threads[at].into()),
        is_write: example.accesses[at].kind.writes(),
    };
    let accesses = if example.accesses[0].step == pair.0 { [by(0), by(1)] } else { [by(1), by(0)] };
    let is_in = |at: &usize| {
        let variable = kernel.variables[*at];
        variable.size == 0 && example.address >= variable.address
            || (variable.address..variable.address + variable.size).contains(&example.address)
    };
    SharedRace {
        accesses,
        order: if accesses[0].is_write { RaceOrder::AfterWrite } else { RaceOrder::AfterRead },
        barrier: MissingBarrier::Block,
        address: example.address,
        bytes: example.accesses[0].bytes.min(example.accesses[1].bytes),
        variable: (0..kernel.variables.len()).find(is_in),
        block,
        parameters: Vec::new(),
    }
}

/// The barrier that is missing: that of the warp if only its lanes meet. In a block of one warp the barriers of the kernel decide.
fn missing(code: &Code, example: &RaceExample, block: Dimensions, any_crosses: bool) -> MissingBarrier {
    let is_volatile = example.accesses.iter().all(|access| access.kind.is_strong());
    let has_barrier = code.steps.iter().any(|step| matches!(step.step, ThreadStep::Barrier(_)));
    let is_one_warp = block.count() <= 32;
    match example.crosses_warps || !is_volatile && (any_crosses || is_one_warp && has_barrier) {
        true => MissingBarrier::Block,
        false => MissingBarrier::Warp,
    }
}

/// Whether a thread may execute a step after another one without a barrier of the block in between, or one of `is_barrier`.
fn reaches(code: &Code, from: u32, to: u32, is_barrier: impl Fn(u32) -> bool) -> bool {
    let mut is_visited = vec![false; code.steps.len() + 1];
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        let Some(step) = code.steps.get(at as usize).filter(|step| !matches!(step.step, ThreadStep::Barrier(_))) else {
            continue;
        };
        let mut is_reached = false;
        successors(step, at, |next| {
            if is_barrier(next) {
                return;
            }
            is_reached |= next == to;
            if !std::mem::replace(&mut is_visited[next as usize], true) {
                waiting.push(next);
            }
        });
        if is_reached {
            return true;
        }
    }
    false
}

/// The integer parameters that were read, with the value in the launch that is shown.
fn parameters(kernel: &BlockKernel, result: &BlockResult) -> Vec<(usize, u64)> {
    let mut found = BTreeMap::new();
    for offset in &result.parameters {
        if let Some((index, 0)) = parameter_at(&kernel.function.parameters, *offset) {
            found.insert(index, INTEGERS[0]);
        }
    }
    found.into_iter().collect()
}

/// The dimensions of a block that the kernel distinguishes.
fn dimensions(code: &Code) -> usize {
    let of_step = |step: &ThreadStep| match step {
        ThreadStep::Special(_, SpecialValue::ThreadIndex(axis) | SpecialValue::BlockSize(axis)) => axis + 1,
        _ => 0,
    };
    code.steps.iter().map(|step| of_step(&step.step)).max().unwrap_or(0)
}

//! Registers of `wgmma` that are used too early, and tensor memory that is not freed.

use analysis::effects::{CopyGroup, ForwardAnalysis, FunctionEffects, MemoryEffect, is_diagnostic_call};
use analysis::values::FunctionValues;
use diagnostics::Diagnostic;
use diagnostics::registry::UNCOMMITTED_ASYNC;
use foldhash::{HashMap, HashSet};

/// The number of commits that are told apart.
const MAX_COMMITS: i64 = 16;

/// Checks matrix operations of warp groups, and allocations of tensor memory.
pub(in crate::rules::asynchronous::uncommitted_async) fn check(
    effects: &FunctionEffects,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let analysis = AccumulatorAnalysis::new(effects);
    if !analysis.lists.is_empty() {
        check_accumulators(effects, &analysis, diagnostics);
    }
    check_allocations(effects, diagnostics);
}

fn check_accumulators(effects: &FunctionEffects, analysis: &AccumulatorAnalysis, diagnostics: &mut Vec<Diagnostic>) {
    let flow = effects.flow;
    let Some(states) = effects.solve(analysis) else { return };
    let mut reported = HashSet::default();
    let mut is_fence_reported = false;
    states.visit(analysis, |at, state| {
        match analysis.events.get(&at) {
            Some(WarpgroupEvent::Multiply(_)) if state.lacks_fence && !is_fence_reported => {
                is_fence_reported = true;
                let message = "missing `wgmma.fence` before the first `wgmma.mma_async`";
                let range = flow.instruction(at).opcode.range();
                let help = "write `wgmma.fence.sync.aligned;` after the last write of its registers";
                return diagnostics.push(Diagnostic::new(&UNCOMMITTED_ASYNC, range, message).help(help));
            }
            None if state.operations.iter().any(|one| one.commits.is_some()) && !is_copy(flow, at) => {}
            _ => return,
        }
        let lists = flow.read_symbols(at).filter_map(|register| analysis.of_registers.get(&register)).flatten();
        let known = lists.filter_map(|list| state.operations.iter().find(|one| one.list == *list));
        for (one, commits) in known.filter_map(|one| Some((one, one.commits?))) {
            if reported.insert(one.multiply) {
                diagnostics.push(early_read(flow, at, one.multiply, commits));
            }
        }
    });
}

fn early_read(flow: &FunctionValues, at: usize, multiply: usize, commits: i64) -> Diagnostic {
    let message = "accumulators of `wgmma.mma_async` are read before the operation is complete";
    let help = match commits {
        0 => "write `wgmma.commit_group` after the operation and `wgmma.wait_group` before the read",
        _ => "write `wgmma.wait_group` with the number of later groups that may be pending before the read",
    };
    let found = Diagnostic::new(&UNCOMMITTED_ASYNC, flow.instruction(at).opcode.range(), message).help(help);
    found.related(flow.instruction(multiply).opcode.range(), "the operation")
}

/// Whether an instruction only copies a register. Compilers write such copies where they like; the assembler moves them after the wait.
fn is_copy(flow: &FunctionValues, at: usize) -> bool {
    flow.mnemonic(at) == "mov" || flow.has(at, "local")
}

/// Checks that a kernel that allocates tensor memory also frees some, and as many columns.
fn check_allocations(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let flow = effects.flow;
    let is = |at: usize, word: &str| flow.mnemonic(at) == "tcgen05" && flow.has(at, word);
    let Some(allocation) = (0..flow.len()).find(|at| is(*at, "alloc")) else { return };
    let calls = effects
        .effects()
        .iter()
        .any(|(at, effect)| *effect == MemoryEffect::Unknown && !is_diagnostic_call(effects, *at));
    if flow.is_entry() && !calls && !(0..flow.len()).any(|at| is(at, "dealloc")) {
        let range = flow.instruction(allocation).opcode.range();
        let found = Diagnostic::new(&UNCOMMITTED_ASYNC, range, "the kernel does not free its tensor memory");
        return diagnostics
            .push(found.help("write `tcgen05.dealloc` with the same number of columns before the kernel ends"));
    }
    let of = |word: &'static str| (0..flow.len()).filter(move |at| is(*at, word));
    let columns = |at: usize| flow.instruction(at).values.get(1).and_then(|value| flow.constant(value, at));
    // With several allocations, the address of each would have to be followed through memory.
    let (Some(allocated), 1) = (columns(allocation), of("alloc").count()) else { return };
    let freed: Option<Vec<(usize, i64)>> = of("dealloc").map(|at| Some((at, columns(at)?))).collect();
    let Some(freed) = freed.filter(|_| !calls) else { return };
    if let Some((at, number)) = freed.first()
        && freed.iter().all(|(_, number)| *number != allocated)
    {
        let message = format!("{number} columns of tensor memory are freed, but {allocated} are allocated");
        let found = Diagnostic::new(&UNCOMMITTED_ASYNC, flow.instruction(*at).opcode.range(), message);
        let found = found.help(format!("free {allocated} columns"));
        diagnostics.push(found.related(flow.instruction(allocation).opcode.range(), "the allocation"));
    }
}

/// What an instruction does to the operations of a warp group.
enum WarpgroupEvent {
    Fence,
    /// `wgmma.mma_async` with the list of its accumulators.
    Multiply(usize),
    Commit,
    /// All but the last groups; `None` if the number is not known.
    Wait(Option<i64>),
    Unknown,
}

/// The analysis: which accumulators are pending on every path from their operation, and whether some path has a fence.
struct AccumulatorAnalysis {
    /// Whether it is a kernel, so that nothing precedes it.
    entry: bool,
    /// The distinct lists of accumulators.
    lists: Vec<Vec<usize>>,
    of_registers: HashMap<usize, Vec<usize>>,
    events: HashMap<usize, WarpgroupEvent>,
}

/// The state of an operation that some path has executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MultiplyState {
    list: usize,
    /// The last operation that writes them.
    multiply: usize,
    /// The number of groups committed since; `None` if some path from it has a wait that covers it.
    commits: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct WarpgroupState {
    /// Whether no path has a fence.
    lacks_fence: bool,
    operations: Vec<MultiplyState>,
}

impl AccumulatorAnalysis {
    fn new(effects: &FunctionEffects) -> Self {
        let flow = effects.flow;
        let (lists, of_registers) = (Vec::new(), HashMap::default());
        let mut analysis =
            AccumulatorAnalysis { entry: flow.is_entry(), lists, of_registers, events: HashMap::default() };
        let mut numbers: HashMap<Vec<usize>, usize> = HashMap::default();
        for (at, effect) in effects.effects() {
            let event = match effect {
                MemoryEffect::Group(CopyGroup::WgmmaFence) => WarpgroupEvent::Fence,
                MemoryEffect::Group(CopyGroup::WgmmaCommit) => WarpgroupEvent::Commit,
                MemoryEffect::Group(CopyGroup::WgmmaWait) => {
                    let last = flow.instruction(*at).values.first().and_then(|value| flow.constant(value, *at));
                    WarpgroupEvent::Wait(last.filter(|_| !flow.is_guarded(*at)))
                }
                MemoryEffect::Unknown if !is_diagnostic_call(effects, *at) => WarpgroupEvent::Unknown,
                MemoryEffect::Access(_) if flow.mnemonic(*at) == "wgmma" => {
                    let mut list = Vec::new();
                    let accumulators = flow.instruction(*at).values.first();
                    accumulators.into_iter().for_each(|value| value.registers(&mut |register| list.push(register)));
                    let number = *numbers.entry(list).or_insert_with_key(|list| {
                        for register in list {
                            analysis.of_registers.entry(*register).or_default().push(analysis.lists.len());
                        }
                        analysis.lists.push(list.clone());
                        analysis.lists.len() - 1
                    });
                    WarpgroupEvent::Multiply(number)
                }
                _ => continue,
            };
            analysis.events.insert(*at, event);
        }
        analysis
    }
}

impl ForwardAnalysis for AccumulatorAnalysis {
    type State = WarpgroupState;

    fn entry(&self) -> WarpgroupState {
        WarpgroupState { lacks_fence: self.entry, operations: Vec::new() }
    }

    fn join(&self, state: &mut WarpgroupState, other: &WarpgroupState) -> bool {
        let before = state.clone();
        state.lacks_fence &= other.lacks_fence;
        for one in &other.operations {
            match state.operations.iter_mut().find(|known| known.list == one.list) {
                Some(known) => known.commits = known.commits.zip(one.commits).map(|(known, one)| known.max(one)),
                None => state.operations.push(*one),
            }
        }
        state.operations.sort_unstable_by_key(|one| one.list);
        *state != before
    }

    fn transfer(&self, at: usize, state: &mut WarpgroupState) {
        match self.events.get(&at) {
            Some(WarpgroupEvent::Fence) => state.lacks_fence = false,
            Some(WarpgroupEvent::Multiply(list)) => {
                state.operations.retain(|one| one.list != *list);
                state.operations.push(MultiplyState { list: *list, multiply: at, commits: Some(0) });
                state.operations.sort_unstable_by_key(|one| one.list);
            }
            Some(WarpgroupEvent::Commit) => {
                let commits = state.operations.iter_mut().filter_map(|one| one.commits.as_mut());
                commits.for_each(|commits| *commits = (*commits + 1).min(MAX_COMMITS));
            }
            Some(WarpgroupEvent::Wait(last)) => {
                let covers = |commits: i64| last.is_none_or(|last| commits > last) || commits == MAX_COMMITS;
                let is_pending = |commits: &i64| *commits == 0 || !covers(*commits);
                state.operations.iter_mut().for_each(|one| one.commits = one.commits.filter(is_pending));
            }
            Some(WarpgroupEvent::Unknown) => {
                state.lacks_fence = false;
                state.operations.iter_mut().for_each(|one| one.commits = None);
            }
            None => {}
        }
    }
}

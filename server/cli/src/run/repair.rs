//! The search for the weakest change of orders, scopes and fences with which a kernel is proved.

use super::at_source::{ModuleLines, insertions};
use super::execution;
use super::orders::{
    ChangedKernel, FirstProblem, KernelRepair, OrderSearch, RepairResult, RepairStep, all_sites, verdict,
};
use explorer::FoundProblem;
use isa::types::Scope;
use kernel::Kernel;
use kernel::execution::CauseKind;
use kernel::repairs::fence_insertions::MissingFence;
use kernel::repairs::order_changes::{OrderChange, OrderSite, launch_scope};
use program::{InstructionMemory, ProblemKind, RaceCause};
use std::collections::HashSet;
use std::ops::Range;

/// The most kernels that a search for a repair checks.
const MAX_TRIES: usize = 800;
/// Those of one and two changes.
const MAX_PAIR_TRIES: usize = 650;
/// The most states that these have together: kernels with many are tried less often.
const MAX_STATES: usize = 400_000;
/// The most changes that more are added to.
const MAX_STEPS: usize = 8;

/// What can be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// Orders and scopes of accesses.
    Orders,
    /// Ordinary fences.
    OrderFences,
    /// Fences of a kind.
    Fence(MissingFence),
}

const ASYNC_FENCES: [Missing; 3] = [
    Missing::Fence(MissingFence::AsyncOfShared),
    Missing::Fence(MissingFence::AsyncOfGlobal),
    Missing::Fence(MissingFence::AsyncOfAll),
];

type PossibleChange<'c> = (&'c OrderSite, OrderChange);

/// Changes of different instructions.
type Changes<'c> = Vec<&'c PossibleChange<'c>>;

struct RepairSearch<'s> {
    search: OrderSearch<'s>,
    text: String,
    /// The problems that kernels so far had first.
    seen: HashSet<String>,
    tries: usize,
    states: usize,
    /// The bound that ended a part of the search, if one did.
    limit: Option<String>,
}

/// What a part of the search found.
enum Found<'c> {
    /// Changes with which the kernel is proved.
    Repair(Changes<'c>),
    /// Changes that leave a problem which is not that of the kernels before.
    Steps(Vec<Changes<'c>>),
}

/// The weakest changes with which the kernel is proved: of one instruction, else of two or three.
pub fn repair(search: OrderSearch, problems: &[(usize, FoundProblem)]) -> RepairResult {
    let prepared = search.prepared;
    let text = prepared.snapshot.file.text().to_string();
    let module = prepared.module;
    if let Some(found) = missing_barrier(search, problems) {
        let tried = found.len();
        return RepairResult { found: Some(found), tried, limit: None };
    }
    let scopes = prepared.stream().into_iter().map(|one| launch_scope(one.launch));
    let scope = scopes.max().unwrap_or_else(|| launch_scope(&prepared.launch));
    // What another kernel has done is not of the same CTA.
    let is_of_earlier = |(_, found): &(usize, FoundProblem)| is_of_earlier_map(found);
    let scope = if problems.iter().any(is_of_earlier) { scope.max(Scope::Gpu) } else { scope };
    let sites = all_sites(prepared);
    let changes = |site: &OrderSite, missing| match missing {
        Missing::Orders => site.stronger(&text, &module, scope),
        Missing::OrderFences => site.order_fences(&text, &module, scope),
        Missing::Fence(fence) => site.fences(&text, &module, fence, scope),
    };
    let of_sites = |missing| {
        let all = sites.iter().flat_map(|site| changes(site, missing).into_iter().map(move |one| (site, one)));
        let mut all: Vec<PossibleChange> = all.collect();
        if missing == Missing::Fence(MissingFence::KernelWait) {
            // The latest wait that suffices: what is before it can overlap the earlier kernel.
            all.reverse();
        }
        all
    };
    let candidates: Vec<PossibleChange> = missing(search, problems).into_iter().flat_map(of_sites).collect();
    let first = problems.first().map(|first| FirstProblem::new(first, prepared).identity);
    let seen = HashSet::from_iter(first);
    let mut search = RepairSearch { search, text: text.clone(), seen, tries: 0, states: 0, limit: None };
    let found = search.find(&candidates).map(|found| {
        let mut found: KernelRepair =
            found.into_iter().map(|(site, change)| step(&site.range, change.title.clone())).collect();
        found.sort_by_key(|one| one.range.start);
        found
    });
    RepairResult { found, tried: search.tries, limit: search.limit }
}

fn step(range: &Range<usize>, title: String) -> RepairStep {
    RepairStep { range: range.clone(), title }
}

/// The barrier that the threads of the first race lack, if they pass none between its accesses: one of the CTA where all of its threads come by, or one
/// of a warp.
fn missing_barrier(search: OrderSearch, problems: &[(usize, FoundProblem)]) -> Option<KernelRepair> {
    let is_race = |(_, found): &&(usize, FoundProblem)| {
        matches!(found.problem.as_ref().map(|problem| &problem.kind), Some(ProblemKind::DataRace { .. }))
    };
    let race = problems.iter().find(is_race)?;
    let execution = execution::of_problem(race, search.prepared);
    let lacks_barrier = [CauseKind::NoBarrier, CauseKind::NoWarpBarrier, CauseKind::OtherBarriers];
    execution.cause.as_ref().filter(|cause| lacks_barrier.contains(&cause.kind))?;
    let found = insertions(search, &ModuleLines(&search.prepared.snapshot.file), race, &execution)?;
    let module = search.prepared.module;
    let steps = found.iter().flat_map(|one| {
        let title = one.statement.ptx(&module).map(|ptx| format!("insert `{ptx};` before it")).unwrap_or_default();
        one.changes.iter().map(move |change| instruction_at(search, change.edit.0.start, title.clone()))
    });
    Some(steps.collect())
}

/// The step at the instruction that begins at an offset.
fn instruction_at(search: OrderSearch, offset: usize, title: String) -> RepairStep {
    let kernels = search.prepared.stream();
    let mut places = kernels.iter().flat_map(|one| one.kernel.places.iter().flatten());
    let range = places.find(|range| range.start == offset).cloned().unwrap_or(offset..offset);
    step(&range, title)
}

impl RepairSearch<'_> {
    /// One change, else two, else a third with two that leave another problem. What leaves one is tried with others first.
    fn find<'c>(&mut self, all: &'c [PossibleChange<'c>]) -> Option<Changes<'c>> {
        let singles = all.iter().map(|one| vec![one]);
        let steps = match self.first_that_suffices(singles, MAX_PAIR_TRIES) {
            Found::Repair(changes) => return Some(changes),
            Found::Steps(steps) => steps,
        };
        let extended = |steps: Vec<Changes<'c>>| {
            steps
                .into_iter()
                .flat_map(move |step| all.iter().map(move |one| step.iter().copied().chain([one]).collect()))
        };
        let others = all.iter().enumerate().flat_map(|(at, one)| all[at + 1..].iter().map(move |two| vec![one, two]));
        let steps = match self.first_that_suffices(extended(steps).chain(others), MAX_PAIR_TRIES) {
            Found::Repair(changes) => return Some(changes),
            Found::Steps(steps) => steps,
        };
        match self.first_that_suffices(extended(steps), MAX_TRIES) {
            Found::Repair(changes) => Some(changes),
            Found::Steps(_) => None,
        }
    }

    /// The first changes with which the kernel is proved, before so many tries.
    fn first_that_suffices<'c>(&mut self, all: impl Iterator<Item = Changes<'c>>, most: usize) -> Found<'c> {
        let mut steps = Vec::new();
        let are_apart = |changes: &Changes| {
            let is_new =
                |(at, one): (usize, &&PossibleChange)| changes[..at].iter().all(|other| other.0.range != one.0.range);
            changes.iter().enumerate().all(is_new)
        };
        for changes in all.filter(are_apart) {
            let limit = match () {
                () if self.tries >= most => Some(format!("{most} changes")),
                () if self.states > MAX_STATES => Some(format!("{MAX_STATES} states")),
                () if (self.search.question.is_late)() => Some("the time limit".to_owned()),
                () => None,
            };
            if limit.is_some() {
                self.limit = limit;
                break;
            }
            self.tries += 1;
            let edits: Vec<&OrderChange> = changes.iter().map(|(_, change)| change).collect();
            match verdict((self.search, &mut self.states), &self.text, &edits) {
                ChangedKernel::Proved => return Found::Repair(changes),
                ChangedKernel::Refuted(problem)
                    if steps.len() < MAX_STEPS && self.seen.insert(problem.identity.clone()) =>
                {
                    steps.push(changes);
                }
                _ => {}
            }
        }
        Found::Steps(steps)
    }
}

/// What can be missing, what the problems speak of first.
fn missing(search: OrderSearch, problems: &[(usize, FoundProblem)]) -> Vec<Missing> {
    let stream = search.prepared.stream();
    let is_of_map = |(number, found): &(usize, FoundProblem)| is_of_tensor_map(stream[*number].kernel, found);
    let has = |is_it: fn(&ProblemKind) -> bool| {
        problems.iter().any(|(_, found)| found.problem.as_ref().is_some_and(|problem| is_it(&problem.kind)))
    };
    let mut all = Vec::new();
    if has(is_race_with_earlier) {
        all.push(Missing::Fence(MissingFence::KernelWait));
    }
    // Other fences may be missing, too, and a race of a map is reported first.
    if problems.iter().any(is_of_map) {
        all.push(Missing::Fence(MissingFence::TensorMap));
    }
    if has(|kind| matches!(kind, ProblemKind::DataRace { cause: RaceCause::NoProxyFence, .. })) {
        all.extend(ASYNC_FENCES);
    }
    if has(|kind| matches!(kind, ProblemKind::TensorRace { .. })) {
        all.push(Missing::Fence(MissingFence::TensorMemory));
    }
    let others = [Missing::Orders, Missing::Fence(MissingFence::MbarrierInit), Missing::OrderFences];
    let others = others.into_iter().chain(ASYNC_FENCES);
    all.extend(others.filter(|one| !all.contains(one)).collect::<Vec<_>>());
    all
}

/// Whether a problem is a race with a kernel that may still run.
const fn is_race_with_earlier(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::DataRace { cause: RaceCause::EarlierKernel | RaceCause::KernelBeforeEarlier, .. })
}

/// Whether a problem is a tensor map that a kernel before has changed.
fn is_of_earlier_map(found: &FoundProblem) -> bool {
    let kind = found.problem.as_ref().map(|problem| &problem.kind);
    matches!(kind, Some(ProblemKind::DataRace { cause: RaceCause::EarlierTensorMap, .. }))
}

/// Whether a problem is a race of a tensor copy, which reads its map, with a change of that: fences of its proxy order them, and no order of an
/// ordinary access does.
fn is_of_tensor_map(kernel: &Kernel, found: &FoundProblem) -> bool {
    let Some(problem) = &found.problem else { return false };
    let ProblemKind::DataRace { cause, .. } = &problem.kind else { return false };
    let places = || problem.related.iter().map(|(_, place)| *place).chain([problem.place]);
    let has = |is_it: fn(InstructionMemory) -> bool| {
        let mut code = places().filter_map(|place| {
            let function = kernel.program.functions.get(place.function as usize)?;
            function.code.get(place.instruction as usize)
        });
        code.any(|one| is_it(one.action.memory()))
    };
    let is_change = has(|memory| matches!(memory, InstructionMemory::TensorMap(_)));
    let is_copy = has(|memory| matches!(memory, InstructionMemory::TensorCopy(_)));
    let is_of_map = matches!(
        cause,
        RaceCause::UnorderedTensorMap
            | RaceCause::NoTensorMapFence
            | RaceCause::NoTensorMapRelease
            | RaceCause::EarlierTensorMap
    );
    is_of_map || is_change && is_copy
}

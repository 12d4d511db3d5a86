//! Repairs: the weakest change to a program that makes an outcome impossible.

use crate::code::instruction::{Access, FenceKind, ModelInstruction};
use crate::code::program::{IssueOrder, Program, Scope, Sem};
use crate::code::proxy::{ModelProxyFence, Proxy};
use crate::search::condition::Condition;
use crate::search::explore::{Budget, explore};

/// The search limits for each change.
const BUDGET: Budget = Budget { steps: 20_000, loop_iterations: 6, outcomes: 2_000 };

/// The most changes that are tried.
const MAX_TRIES: usize = 600;

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
const ORDERS: [Sem; 4] = [Sem::Relaxed, Sem::Release, Sem::Acquire, Sem::AcqRel];

/// Instructions (thread and index) that can only be changed together, because they come from the same line of code.
pub type RepairSite = Vec<(usize, usize)>;

/// A change at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairChange {
    /// Sets the order and scope of the accesses.
    Access(Sem, Scope),
    /// Inserts a fence before the first of the instructions.
    Fence(FenceKind),
}

/// A change at a site, by the index of the site.
pub type SiteChange = (usize, RepairChange);

/// A change and its cost.
#[derive(Clone, Copy)]
struct RankedChange {
    cost: usize,
    change: SiteChange,
}

/// The weakest changes that make a condition unreachable: the scope of one access, else its order, else a proxy fence before an asynchronous
/// operation, else a fence before an access, else the orders of two accesses. `None` if no legal change suffices.
pub fn repair(
    program: &Program,
    condition: &Condition,
    sites: &[RepairSite],
    is_legal: &dyn Fn(SiteChange) -> bool,
) -> Option<Vec<SiteChange>> {
    let mut tries = 0;
    let mut suffices = |changes: &[SiteChange]| {
        tries += 1;
        tries <= MAX_TRIES
            && changes.iter().all(|change| is_legal(*change))
            && is_impossible(&changed(program, sites, changes), condition)
    };
    let mut ranked: Vec<RankedChange> = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        ranked.extend(changes_at(program, site).map(|(cost, change)| RankedChange { cost, change: (at, change) }));
    }
    ranked.sort_by_key(|ranked| ranked.cost);
    if let Some(one) = ranked.iter().find(|ranked| suffices(&[ranked.change])) {
        return Some(vec![one.change]);
    }
    let accesses: Vec<_> = ranked.iter().filter(|ranked| matches!(ranked.change.1, RepairChange::Access(..))).collect();
    let pairs = accesses.iter().enumerate().flat_map(|(at, a)| accesses[at + 1..].iter().map(move |b| (a, b)));
    let mut pairs: Vec<_> = pairs.filter(|(a, b)| a.change.0 != b.change.0).collect();
    pairs.sort_by_key(|(a, b)| a.cost.max(b.cost));
    pairs.into_iter().map(|(a, b)| vec![a.change, b.change]).find(|changes| suffices(changes))
}

/// The possible changes at a site, each with its cost.
fn changes_at(program: &Program, site: &RepairSite) -> impl Iterator<Item = (usize, RepairChange)> {
    let instructions = site.iter().filter_map(|at| program.instruction(*at));
    let access = instructions.filter_map(|instruction| Some((instruction, *instruction.access()?))).next();
    let accesses = access.into_iter().flat_map(|(instruction, access)| stronger_accesses(instruction, access));
    let fences = SCOPES.into_iter().enumerate().flat_map(|(width, scope)| {
        [
            (30 + width, RepairChange::Fence(FenceKind::AcqRel(scope))),
            (40 + width, RepairChange::Fence(FenceKind::Sc(scope))),
        ]
    });
    let asynchronous =
        site.iter().filter_map(|at| program.instruction(*at)?.access()).any(|one| one.proxy == Proxy::Async);
    let proxy_fence = (25, RepairChange::Fence(FenceKind::Proxy(ModelProxyFence::of(Proxy::Async))));
    let proxy_fence = asynchronous.then_some(proxy_fence);
    accesses.chain(proxy_fence).chain(fences.filter(move |_| access.is_some()))
}

/// The orders and scopes that are stronger than those of an access, each with its cost.
fn stronger_accesses(instruction: &ModelInstruction, now: Access) -> Vec<(usize, RepairChange)> {
    let weak = now.order == Sem::Weak;
    let mut all = Vec::new();
    for (width, scope) in SCOPES.into_iter().enumerate() {
        let narrower = SCOPES.iter().position(|known| *known == now.scope).is_some_and(|known| width < known);
        if narrower && !weak {
            continue;
        }
        for order in ORDERS.into_iter().filter(|order| allows(instruction, *order) && is_as_strong(now.order, *order)) {
            // Widening a scope costs less than strengthening an order.
            let cost_of_order = if order == now.order { 0 } else { 10 };
            let cost_of_both = if order == Sem::AcqRel { 4 } else { 0 };
            if weak || (order, scope) != (now.order, now.scope) {
                all.push((cost_of_order + cost_of_both + width, RepairChange::Access(order, scope)));
            }
        }
    }
    all
}

/// Whether an instruction may have an order.
fn allows(instruction: &ModelInstruction, order: Sem) -> bool {
    match instruction {
        ModelInstruction::Load { .. } | ModelInstruction::TestPhase { .. } => {
            matches!(order, Sem::Relaxed | Sem::Acquire)
        }
        ModelInstruction::Store { .. } | ModelInstruction::Update { reduction: true, .. } => {
            matches!(order, Sem::Relaxed | Sem::Release)
        }
        _ => true,
    }
}

/// Whether an order is at least as strong as the current one.
fn is_as_strong(now: Sem, order: Sem) -> bool {
    match now {
        Sem::Weak | Sem::Relaxed => true,
        Sem::Acquire | Sem::Release => order == now || order == Sem::AcqRel,
        Sem::AcqRel => order == Sem::AcqRel,
    }
}

fn changed(program: &Program, sites: &[RepairSite], changes: &[SiteChange]) -> Program {
    let mut program = program.clone();
    for (site, change) in changes {
        let site = &sites[*site];
        match *change {
            RepairChange::Access(order, scope) => {
                for (thread, index) in site {
                    let instruction = program.threads[*thread].code.get_mut(*index);
                    if let Some(access) = instruction.and_then(ModelInstruction::access_mut) {
                        (access.order, access.scope) = (order, scope);
                    }
                }
            }
            RepairChange::Fence(kind) => {
                for thread in 0..program.threads.len() {
                    let first = site.iter().filter(|(of, _)| *of == thread).map(|(_, index)| *index).min();
                    // An asynchronous operation is one instruction: the fence comes before its issue.
                    if let Some(first) = first.filter(|_| program.threads[thread].issuer.is_none()) {
                        insert(&mut program, thread, first, ModelInstruction::Fence(kind));
                    }
                }
            }
        }
    }
    program
}

/// Inserts an instruction of a thread before another. Branches to the other execute it too.
fn insert(program: &mut Program, thread: usize, before: usize, new: ModelInstruction) {
    for instruction in &mut program.threads[thread].code {
        if let ModelInstruction::Branch { target, .. } = instruction
            && *target > before
        {
            *target += 1;
        }
    }
    program.threads[thread].code.insert(before, new);
    for operation in &mut program.threads {
        let Some((_, at)) = operation.issuer.as_mut().filter(|(issuer, _)| *issuer == thread) else { continue };
        let fence = match &mut operation.issue_order {
            IssueOrder::Fence(Some(fence)) => Some(fence),
            _ => None,
        };
        std::iter::once(at).chain(fence).filter(|at| **at >= before).for_each(|at| *at += 1);
    }
}

fn is_impossible(program: &Program, condition: &Condition) -> bool {
    let observed = condition.observables();
    let found = explore(program, &observed, BUDGET);
    found.complete && found.not_modelled.is_empty() && !found.all().any(|outcome| condition.holds(&observed, outcome))
}

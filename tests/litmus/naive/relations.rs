//! The relations of the model, as literal as possible.

use super::event::{Event, What};
use super::grid::{Grid, acyclic, and, grid, or, plus, then};
use super::mutant::Mutant;
use memory_model::{
    AwaitedOperation, AwaitedPart, BarrierLevel, BarrierMode, ModelInstruction, ModelOperand, ModelProxyFence,
    OperationFence, Program, Proxy, ProxyDirection,
};

/// The events of an execution, and the relations that do not depend on reads-from and fence orders.
pub struct FixedRelations {
    pub events: Vec<Event>,
    /// Program order.
    pub po: Grid,
    /// Program order of events with the same address and proxy.
    pub near: Grid,
    /// Morally strong.
    pub ms: Grid,
    /// Atomic to each other: morally strong, or operations on one mbarrier.
    pub atomic: Grid,
    /// The read and the write of an atomic.
    pub rmw: Grid,
    /// Dependency.
    pub dep: Grid,
    /// From arrivals to waits, where they order memory.
    pub barrier: Grid,
    /// From asynchronous operations to the ends of waits for them.
    pub completion: Grid,
    /// From the issue of an asynchronous operation to its events.
    pub issue: Grid,
}

impl FixedRelations {
    /// `None` if the events cannot happen together: a thread waits forever, or barriers contradict program order.
    pub fn new(program: &Program, events: Vec<Event>, mutant: Mutant) -> Option<Self> {
        let (n, e) = (events.len(), &events);
        let po = grid(n, |a, b| a < b && e[a].thread.is_some() && e[a].thread == e[b].thread);
        let near = grid(n, |a, b| po[a][b] && same_address(&e[a], &e[b]) && e[a].proxy == e[b].proxy);
        let ms = morally_strong(program, e, mutant);
        let atomic = grid(n, |a, b| {
            let mbarrier = e[a].mbarrier && e[b].mbarrier && same_address(&e[a], &e[b]) && a != b;
            ms[a][b] || mbarrier && mutant != Mutant::MbarrierScopes
        });
        let (meetings, ends) = meet(program, e, mutant)?;
        if !acyclic(&or(&or(&po, &meetings), &ends)) {
            return None;
        }
        // In place of a relaxed arrival or wait, fences of its thread order.
        let fence = |f: usize, other: usize| {
            e[f].what == What::Fence
                && e[f].place.includes(e[f].scope, e[other].place)
                && mutant != Mutant::RelaxedBarriersIgnoreFences
        };
        let starts = |s: usize, a: usize, b: usize| match e[a].orders {
            true => s == a,
            false => po[s][a] && e[s].release && fence(s, b),
        };
        let ends = |s: usize, b: usize, a: usize| match e[b].orders {
            true => s == b,
            false => po[b][s] && e[s].acquire && fence(s, a),
        };
        let met: Vec<(usize, usize)> =
            (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| meetings[*a][*b]).collect();
        let barrier = grid(n, |s, t| {
            let can_end = e[t].operation_fence != Some(OperationFence::Acquire)
                || e[s].operation_fence == Some(OperationFence::Release);
            mutant != Mutant::NoBarrier && can_end && met.iter().any(|(a, b)| starts(s, *a, *b) && ends(t, *b, *a))
        });
        let rmw = grid(n, |a, b| e[a].what == What::Read && e[a].half == Some(b));
        let dep = grid(n, |a, b| {
            e[b].needs.contains(&a) && (mutant != Mutant::NoData || e[b].what != What::Write || e[b].half.is_some())
        });
        let completion = grid(n, |a, b| {
            let part = |awaited: &AwaitedOperation| {
                let all = awaited.part == AwaitedPart::All || mutant == Mutant::ReadsAwaitedAreAll;
                let read =
                    (0..a).all(|x| e[x].thread != e[a].thread || e[x].what != What::Write) && e[a].what != What::Write;
                // The read of a reduction's own target is part of its write.
                e[a].thread == Some(awaited.thread) && (all || read && e[a].half.is_none())
            };
            // What a fence releases, its thread has waited for.
            let awaited = e[b].operation_fence.is_none()
                || (0..n).any(|w| po[w][b] && e[w].what == What::Await && e[w].awaits.iter().any(part));
            mutant != Mutant::NoCompletion && awaited && e[b].awaits.iter().any(part)
        });
        let issue = grid(n, |a, b| {
            e[b].thread.is_some_and(|thread| e[a].orders_before.contains(&thread)) && mutant != Mutant::NoIssueOrder
        });
        let po = match mutant {
            Mutant::IssueIsProgramOrder => plus(&or(&po, &issue)),
            _ => po,
        };
        Some(FixedRelations { events, po, near, ms, atomic, rmw, dep, barrier, completion, issue })
    }

    /// The pairs of `fence.sc` that have an order, in either direction.
    pub fn sc_pairs(&self, mutant: Mutant) -> Vec<(usize, usize)> {
        let (n, e) = (self.events.len(), &self.events);
        (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .filter(|(a, b)| e[*a].sc && e[*b].sc && self.ms[*a][*b] && mutant != Mutant::NoSc)
            .collect()
    }
}

/// Whether two events access the same memory; `false` for events without memory.
pub fn same_memory(a: &Event, b: &Event) -> bool {
    a.memory == b.memory && a.memory != usize::MAX
}

fn same_address(a: &Event, b: &Event) -> bool {
    same_memory(a, b) && a.address == b.address
}

fn morally_strong(program: &Program, e: &[Event], mutant: Mutant) -> Grid {
    // The completion of an operation is one in the CTA of the mbarrier, which is that of whoever waits.
    let completes = |a: usize| {
        let is_of_operation = e[a].thread.is_some_and(|thread| program.threads[thread].issuer.is_some());
        e[a].mbarrier && e[a].what == What::Write && is_of_operation && mutant != Mutant::CompletionScopes
    };
    let includes = |a: usize, b: usize| match mutant {
        Mutant::ScopeIgnored => true,
        _ => completes(b) && !completes(a) || e[a].place.includes(e[a].scope, e[b].place),
    };
    grid(e.len(), |a, b| {
        let same_thread = e[a].thread.is_some() && e[a].thread == e[b].thread;
        let both = match mutant {
            Mutant::ScopeOneSided => includes(a, b) || includes(b, a),
            Mutant::NothingIsStrong => false,
            Mutant::ScIgnoresScope if e[a].sc && e[b].sc => true,
            _ => includes(a, b) && includes(b, a),
        };
        let threads = e[a].thread.is_some() && e[b].thread.is_some();
        let memory = e[a].memory != usize::MAX && e[b].memory != usize::MAX;
        a != b
            && (same_thread || threads && e[a].strong && e[b].strong && both)
            && e[a].proxy == e[b].proxy
            && (!memory || same_address(&e[a], &e[b]))
    })
}

/// The order by barriers, and which waits end only once which threads have; `None` if a thread waits forever.
fn meet(program: &Program, e: &[Event], mutant: Mutant) -> Option<(Grid, Grid)> {
    let n = e.len();
    let together = |a: usize, b: usize| match e[a].round {
        Some((BarrierLevel::Cta, ..)) if mutant != Mutant::BarrierIgnoresCta => e[a].place == e[b].place,
        Some((BarrierLevel::Cta, ..)) => true,
        _ => e[a].place.gpu == e[b].place.gpu && e[a].place.cluster == e[b].place.cluster,
    };
    // A barrier does not wait for threads that have ended.
    let ended = |thread: usize| {
        mutant != Mutant::EndedThreadsAreAwaited && e.iter().all(|x| x.thread != Some(thread) || !x.endless)
    };
    let mut ends = grid(n, |_, _| false);
    for a in (0..n).filter(|at| e[*at].what == What::Wait) {
        let Some((level, instance, id, _)) = e[a].round else { continue };
        let mut complete = true;
        for (thread, other) in program.threads.iter().enumerate() {
            let uses = other.code.iter().any(|instruction| match instruction {
                ModelInstruction::Barrier {
                    level: l, instance: i, id: ModelOperand::Constant(known), mode, ..
                } => (*l, *i, *known) == (level, instance, id) && *mode != BarrierMode::Wait,
                _ => false,
            });
            let near = match level {
                BarrierLevel::Cta => other.place == e[a].place,
                BarrierLevel::Cluster => other.place.gpu == e[a].place.gpu && other.place.cluster == e[a].place.cluster,
            };
            let comes = e.iter().any(|x| x.what == What::Arrive && x.thread == Some(thread) && x.round == e[a].round);
            complete &= !uses || !near || comes || ended(thread);
            let last = (0..n).rev().find(|x| e[*x].thread == Some(thread));
            if let Some(last) = last.filter(|_| uses && near && !comes && !e[a].blocked && ended(thread)) {
                ends[last][a] = true;
            }
        }
        let may_wait = !complete || mutant == Mutant::CompleteBarrierWaits;
        if if e[a].blocked { !may_wait } else { !complete } {
            return None;
        }
    }
    let meetings = grid(n, |a, b| {
        e[a].what == What::Arrive
            && e[b].what == What::Wait
            && e[a].thread != e[b].thread
            && e[a].round == e[b].round
            && together(a, b)
    });
    Some((meetings, ends))
}

/// The orders of an execution.
pub struct Orders {
    pub observation: Grid,
    pub base: Grid,
    /// From reads to the writes of asynchronous operations that are issued after them.
    pub overwrites: Grid,
}

/// Observation and base causality order, from reads-from and the order of `fence.sc`.
pub fn causality(fixed: &FixedRelations, rf: &Grid, sc: &Grid, mutant: Mutant) -> Orders {
    let FixedRelations { events: e, po, near, ms, atomic, rmw, barrier, completion, issue, .. } = fixed;
    let n = e.len();
    let strong_rf = if mutant == Mutant::ObservationIsRf { rf.clone() } else { and(atomic, rf) };
    let mut obs = strong_rf.clone();
    match mutant {
        Mutant::NoObservationThroughRmw => {}
        Mutant::ObservationStartsAtRmw => obs = plus(&or(&strong_rf, rmw)),
        _ => loop {
            let more = or(&obs, &then(&then(&obs, rmw), &obs));
            if more == obs {
                break;
            }
            obs = more;
        },
    }
    let release = grid(n, |a, b| {
        let end = e[b].what == What::Write && e[b].strong;
        let through = near[a][b] && mutant != Mutant::NoReleaseThroughLocation;
        let write = e[a].what == What::Write && e[a].release && (a == b || through);
        let fence = e[a].what == What::Fence && e[a].release && po[a][b] && mutant != Mutant::NoReleaseFence;
        end && (write || fence)
    });
    let may = |at: usize| !e[at].red || mutant == Mutant::RedAcquires;
    let acquire = grid(n, |a, b| {
        let strong = e[a].strong || mutant == Mutant::WeakReadAcquires;
        let start = e[a].what == What::Read && strong && may(a);
        let through = near[a][b] && mutant != Mutant::NoAcquireThroughLocation;
        let read = e[b].what == What::Read && e[b].acquire && may(b) && (a == b || through);
        let fence = e[b].what == What::Fence && e[b].acquire && po[a][b] && mutant != Mutant::NoAcquireFence;
        start && (read || fence)
    });
    let can_synchronize = |a: usize, b: usize| {
        e[b].operation_fence != Some(OperationFence::Acquire)
            || e[a].operation_fence == Some(OperationFence::Release)
            || mutant == Mutant::TensorFenceAcquiresAll
    };
    let patterns = then(&then(&release, &obs), &acquire);
    let patterns = grid(n, |a, b| patterns[a][b] && can_synchronize(a, b));
    let patterns = if mutant == Mutant::EndsNotStrong { patterns } else { and(&patterns, ms) };
    let sync = or(&or(&or(&patterns, sc), barrier), completion);
    let is_ordered = |a: usize, b: usize| {
        let releases_operations = e[b].operation_fence == Some(OperationFence::Release);
        !e[b].mbarrier_init
            && (!releases_operations || e[a].operation_fence.is_some() || mutant == Mutant::TensorFenceReleasesAll)
    };
    let base = plus(&or(&grid(n, |a, b| po[a][b] && is_ordered(a, b)), &sync));
    let signals = grid(n, |a, b| obs[a][b] && e[a].mbarrier && mutant != Mutant::OverwritesNeedScopes);
    let signalled = then(&then(&release, &signals), &acquire);
    let order = plus(&or(&base, &grid(n, |a, b| signalled[a][b] && can_synchronize(a, b))));
    let overwritten = |a: usize, b: usize| {
        mutant != Mutant::OverwritesNeedFences && e[a].what == What::Read && same_memory(&e[a], &e[b])
    };
    let overwrites = grid(n, |a, b| overwritten(a, b) && (0..n).any(|i| order[a][i] && issue[i][b]));
    Orders { observation: obs, base, overwrites }
}

/// Proxy-preserved base causality order.
pub fn preserved(e: &[Event], base: &Grid, issue: &Grid, mutant: Mutant) -> Grid {
    let n = e.len();
    // Base causality order that ends at an access.
    let to = or(base, &then(base, issue));
    let memory = |at: usize| matches!(e[at].what, What::Read | What::Write);
    let generic = |at: usize| e[at].proxy == Proxy::Generic;
    let same_address = |a: usize, b: usize| e[a].memory == e[b].memory && e[a].address == e[b].address;
    let is_fence = |f: usize| {
        let implicit = issue.iter().any(|after| after[f]);
        e[f].what == What::ProxyFence
            && mutant != Mutant::NoProxyFence
            && !(implicit && mutant == Mutant::NoImplicitProxyFence)
    };
    let serves = |f: usize, at: usize| {
        let near = e[f].place == e[at].place || mutant == Mutant::ProxyFenceEverywhere || e[at].proxy == Proxy::Async;
        let space =
            |fence: ModelProxyFence| fence.space.is_none() || e[at].space.is_none() || fence.space == e[at].space;
        let place = |fence: ModelProxyFence| fence.location.is_none() || fence.location == Some(e[at].memory);
        let restricted = mutant != Mutant::ProxyFenceUnrestricted;
        if e[f].fence.is_some_and(|fence| fence.direction == ProxyDirection::Release) {
            return false;
        }
        let all = e[f].fence.is_some_and(|fence| space(fence) && place(fence)) || !restricted;
        is_fence(f) && e[f].proxy == e[at].proxy && near && all
    };
    // A tensor map of another thread needs two fences of its proxy, the first one in a release.
    let handed = |a: usize, x: usize, f: usize| {
        let issues = |i: usize| e[i].issues.is_some() && e[i].issues == e[a].thread && e[i].thread == e[f].thread;
        let own = e[a].thread.is_none() || e[a].thread == e[f].thread || (0..n).any(issues);
        let released = |g: usize| {
            e[g].fence.is_some_and(|fence| fence.direction == ProxyDirection::Release) && base[x][g] && base[g][f]
        };
        let any = e[f].proxy != Proxy::Tensormap || own || mutant == Mutant::AnyReleaseOfMaps;
        base[x][f] && (any || (0..n).any(released))
    };
    let joint = |f: usize| e[f].what == What::AliasFence && mutant != Mutant::NoAliasFence;
    grid(n, |a, b| {
        if !memory(a) || !memory(b) || e[a].memory != e[b].memory {
            return false;
        }
        let both = |f: usize| {
            let one_way = e[f].fence.is_some_and(|fence| fence.direction == ProxyDirection::FromGeneric);
            !one_way || mutant == Mutant::ProxyFenceBothWays
        };
        let starts: Vec<usize> = (0..n).filter(|f| serves(*f, a) && both(*f) && base[a][*f]).collect();
        let ends: Vec<usize> = (0..n).filter(|f| serves(*f, b) && to[*f][b]).collect();
        if same_address(a, b) {
            (generic(a) && generic(b) && to[a][b])
                || (e[a].proxy == e[b].proxy && e[a].place == e[b].place && to[a][b])
                || (generic(b) && starts.iter().any(|f| to[*f][b]))
                || (generic(a) && ends.iter().any(|f| handed(a, a, *f)))
                || starts.iter().any(|f| ends.iter().any(|g| f == g || handed(a, *f, *g)))
        } else {
            (0..n).filter(|j| joint(*j)).any(|j| {
                let into = generic(a) && base[a][j] || starts.iter().any(|f| base[*f][j]);
                let out = generic(b) && to[j][b] || ends.iter().any(|f| handed(a, j, *f));
                into && out
            })
        }
    })
}

/// From the initialization of an mbarrier to what is after a fence for that.
pub fn initialized(fixed: &FixedRelations, base: &Grid) -> Grid {
    let FixedRelations { events: e, po, .. } = fixed;
    let n = e.len();
    let initializes =
        |w: usize| e[w].what == What::Write && !e[w].mbarrier && e.iter().any(|x| x.mbarrier && same_memory(x, &e[w]));
    grid(n, |w, x| {
        initializes(w)
            && same_address(&e[w], &e[x])
            && e[w].proxy == e[x].proxy
            && (0..n).any(|f| e[f].mbarrier_init && po[w][f] && base[f][x])
    })
}

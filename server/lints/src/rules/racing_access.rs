//! `racing-access`: accesses to the same memory by different threads that the function's locks and flags do not order.

use crate::dataflow::{
    AccessKind, DataFlow, FenceOrder, ForwardAnalysis, MemoryEffect, SiteSet, SyncAccess, SyncProxy, Trigger,
};
use crate::flow::{AtomicLoop, Provenance, Root, SpinLock, ThreadRoles};
use diagnostics::Diagnostic;
use diagnostics::registry::RACING_ACCESS;
use isa::types::Scope;

/// The maximum number of accesses to compare with each other.
const MAX_ACCESSES: usize = 64;

/// Checks functions with a lock or a flag, and without barriers.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    if !dataflow.triggers.has(Trigger::STRONG) || dataflow.effects().iter().any(|(_, effect)| is_other_order(effect)) {
        return;
    }
    let sections = Sections::new(dataflow);
    if sections.locks.is_empty() && sections.waits.is_empty() {
        return;
    }
    let Some((states, roles)) = dataflow.solve(&sections).zip(ThreadRoles::new(dataflow.flow)) else { return };
    let mut accesses = Vec::new();
    states.visit(&sections, |at, state| {
        let found = dataflow.effects_in(at..at + 1).iter().filter_map(|(_, effect)| sections.data(at, effect, state));
        accesses.extend(found);
    });
    if accesses.len() <= MAX_ACCESSES {
        check_accesses(dataflow, &accesses, &roles, diagnostics);
    }
    check_fences(dataflow, &sections, &roles, diagnostics);
}

/// A wait until another thread changes a flag.
struct FlagWait {
    at: usize,
    address: Provenance,
}

/// An access to data at a fixed address.
struct DataAccess {
    at: usize,
    address: Provenance,
    is_write: bool,
    state: SectionState,
}

/// The analysis: which locks may be held, and which flags have been waited for or set.
struct Sections<'d, 'f, 'a> {
    dataflow: &'d DataFlow<'f, 'a>,
    locks: Vec<(SpinLock, Provenance)>,
    waits: Vec<FlagWait>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct SectionState {
    held: SiteSet,
    waited: SiteSet,
    signalled: SiteSet,
}

impl ForwardAnalysis for Sections<'_, '_, '_> {
    type State = SectionState;

    fn entry(&self) -> SectionState {
        let none = SiteSet::default();
        SectionState { held: none, waited: none, signalled: none }
    }

    fn join(&self, state: &mut SectionState, other: &SectionState) -> bool {
        let before = *state;
        state.held.extend(&other.held);
        state.waited.extend(&other.waited);
        state.signalled.extend(&other.signalled);
        *state != before
    }

    fn transfer(&self, at: usize, state: &mut SectionState) {
        for (number, (lock, address)) in self.locks.iter().enumerate() {
            if lock.at == at {
                state.held.insert(number);
            } else if self.dataflow.flow.is_unlock(at, address, lock.free) {
                state.held.retain(|held| !self.locks[held].1.same(address));
            }
        }
        for (number, wait) in self.waits.iter().enumerate() {
            if wait.at == at {
                state.waited.insert(number);
            } else if self.signals(at, wait) {
                state.signalled.insert(number);
            }
        }
    }
}

impl<'d, 'f, 'a> Sections<'d, 'f, 'a> {
    fn new(dataflow: &'d DataFlow<'f, 'a>) -> Self {
        let flow = dataflow.flow;
        let address = |at: usize| flow.address_provenance(flow.instruction(at));
        let locks: Vec<_> = flow.spin_locks().filter_map(|lock| Some((address(lock.at)?, lock))).collect();
        let locks: Vec<_> = locks.into_iter().map(|(address, lock)| (lock, address)).collect();
        let loops = flow.atomics().filter(|(at, ..)| AtomicLoop::around(flow, *at).is_some()).map(|(at, ..)| at);
        let polls = dataflow.polls().iter().map(|poll| poll.at);
        let is_lock = |wait: &FlagWait| locks.iter().any(|(_, lock)| lock.same(&wait.address));
        let mut waits: Vec<FlagWait> =
            loops.chain(polls).filter_map(|at| Some(FlagWait { at, address: address(at)? })).collect();
        waits.retain(|wait| !is_lock(wait));
        Sections { dataflow, locks, waits }
    }

    /// Whether an instruction sets the flag of a wait.
    fn signals(&self, at: usize, wait: &FlagWait) -> bool {
        let effects = self.dataflow.effects_in(at..at + 1).iter();
        let is_strong = |access: &SyncAccess| access.kind != AccessKind::Read && access.order.is_some();
        self.waits.iter().all(|wait| wait.at != at) && { effects }.any(|(_, effect)| match effect {
            MemoryEffect::Access(access) if is_strong(access) => {
                let address = access.operand.and_then(|operand| self.dataflow.address(at, operand));
                address.is_some_and(|address| address.same(&wait.address))
            }
            _ => false,
        })
    }

    /// The access to data that an effect is.
    fn data(&self, at: usize, effect: &MemoryEffect, state: &SectionState) -> Option<DataAccess> {
        let MemoryEffect::Access(access) = effect else { return None };
        if access.kind == AccessKind::Update || access.proxy != SyncProxy::Generic {
            return None;
        }
        let address = self.dataflow.address(at, access.operand?)?;
        let is_fixed = address.offset().is_some() && matches!(address.root, Root::Variable(_) | Root::Parameter(..));
        let mut synchronising =
            self.locks.iter().map(|(_, lock)| lock).chain(self.waits.iter().map(|wait| &wait.address));
        let is_data = is_fixed && !synchronising.any(|other| other.same(&address));
        is_data.then_some(DataAccess { at, address, is_write: access.kind == AccessKind::Write, state: *state })
    }
}

/// Reports accesses outside of a lock, or after a signal, that other threads do not expect.
fn check_accesses(
    dataflow: &DataFlow,
    accesses: &[DataAccess],
    roles: &ThreadRoles,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for access in accesses {
        let races = |other: &&DataAccess| {
            let unlocked = access.state.held.is_empty() && !other.state.held.is_empty();
            let passed_on = access.state.signalled.iter().any(|flag| other.state.waited.contains(flag));
            (access.is_write || other.is_write)
                && (unlocked || passed_on && access.state.waited.is_empty())
                && access.address.same(&other.address)
                && roles.of(access.at).excludes(&roles.of(other.at))
        };
        let Some(other) = accesses.iter().find(races) else { continue };
        let flow = dataflow.flow;
        let (message, help) = match other.state.held.is_empty() {
            false => (
                "access without the lock that another thread holds for the same memory",
                "acquire the lock before the access",
            ),
            true => (
                "access after the flag is set: the thread that waits for the flag may already use the memory",
                "move the access before the release of the flag",
            ),
        };
        diagnostics.push(
            Diagnostic::new(&RACING_ACCESS, flow.instruction(access.at).opcode.range(), message)
                .help(help)
                .related(flow.instruction(other.at).opcode.range(), "accessed by another thread here"),
        );
    }
}

/// Reports fences with `.cta` scope before a flag that only threads of other CTAs wait for.
fn check_fences(dataflow: &DataFlow, sections: &Sections, roles: &ThreadRoles, diagnostics: &mut Vec<Diagnostic>) {
    let flow = dataflow.flow;
    for pair in dataflow.effects().windows(2) {
        let [(fence, MemoryEffect::Fence(order, Scope::Cta)), (signal, MemoryEffect::Access(access))] = pair else {
            continue;
        };
        let waits: Vec<&FlagWait> = sections.waits.iter().filter(|wait| sections.signals(*signal, wait)).collect();
        let role = roles.of(*signal);
        let is_elsewhere = waits.iter().all(|wait| roles.of(wait.at).is_in_other_cta(&role));
        if *order == FenceOrder::Acquire || access.scope == Scope::Cta || waits.is_empty() || !is_elsewhere {
            continue;
        }
        let message =
            "fence with `.cta` scope before a flag that another CTA waits for: the data is not ordered before the flag";
        diagnostics.push(
            Diagnostic::new(&RACING_ACCESS, flow.instruction(*fence).opcode.range(), message)
                .help("write `.gpu` (before sm_70: `membar.gl`)")
                .related(flow.instruction(waits[0].at).opcode.range(), "waits for the flag here"),
        );
    }
}

/// Whether an effect may order the accesses of different threads in another way.
fn is_other_order(effect: &MemoryEffect) -> bool {
    matches!(
        effect,
        MemoryEffect::CtaBarrier
            | MemoryEffect::CtaArrive
            | MemoryEffect::WarpBarrier
            | MemoryEffect::ClusterWait(_)
            | MemoryEffect::Mbarrier(..)
            | MemoryEffect::GridWait
            | MemoryEffect::Unknown
    )
}

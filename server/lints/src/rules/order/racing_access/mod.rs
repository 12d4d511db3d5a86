//! `racing-access`: accesses to the same memory by different threads that the function's locks and flags do not order.

mod order;
mod unordered;

use crate::rules::order::racing_access::order::{Race, RaceFinder};
use analysis::effects::{
    AccessKind, FenceOrder, ForwardAnalysis, FunctionEffects, MemoryEffect, SiteSet, SyncAccess, SyncProxy, Trigger,
};
use analysis::values::control::spin_lock;
use analysis::values::{AtomicLoop, FunctionValues, Provenance, Root, SpinLock, ThreadRole, ThreadRoles};
use diagnostics::Diagnostic;
use diagnostics::registry::RACING_ACCESS;
use foldhash::HashSet;
use isa::types::{Scope, Sem};

/// The maximum number of accesses to compare with each other.
const MAX_ACCESSES: usize = 64;

/// Checks functions without barriers: those with a lock or a flag, and those in which nothing orders threads.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !effects.triggers.has(Trigger::STRONG) || effects.effects().iter().any(|(_, effect)| is_other_order(effect)) {
        return;
    }
    let sections = Sections::new(effects);
    if sections.locks.is_empty() && sections.waits.is_empty() {
        return unordered::check(effects, diagnostics);
    }
    let Some((states, roles)) = effects.solve(&sections).zip(ThreadRoles::new(effects.flow)) else { return };
    let races = RaceFinder::new(effects, &sections, &roles);
    let mut accesses = Vec::new();
    states.visit(&sections, |at, state| {
        let data = |effect: &MemoryEffect| Some((sections.data(at, effect)?, is_write(effect)));
        let found = effects.effects_in(at..at + 1).iter().filter_map(|(_, effect)| data(effect));
        accesses.extend(found.map(|(address, is_write)| races.access((at, address, is_write), state)));
    });
    if accesses.len() <= MAX_ACCESSES {
        check_accesses(&races, &accesses, diagnostics);
    }
    check_fences(effects, &sections, &roles, diagnostics);
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
    role: ThreadRole,
    /// What its own threads may have done before.
    state: SectionState,
}

/// The analysis: which locks may be held, and which flags have been waited for or set.
struct Sections<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    locks: Vec<(SpinLock, Provenance)>,
    waits: Vec<FlagWait>,
    /// The strong reads of what is neither a lock nor awaited.
    reads: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct SectionState {
    held: SiteSet,
    waited: SiteSet,
    signalled: SiteSet,
    /// The flags that have been read without a loop, and those of them that acquire patterns have read.
    read: SiteSet,
    acquired: SiteSet,
}

impl ForwardAnalysis for Sections<'_, '_, '_> {
    type State = SectionState;

    fn entry(&self) -> SectionState {
        let none = SiteSet::default();
        SectionState { held: none, waited: none, signalled: none, read: none, acquired: none }
    }

    fn join(&self, state: &mut SectionState, other: &SectionState) -> bool {
        let before = *state;
        state.held.extend(&other.held);
        state.waited.extend(&other.waited);
        state.signalled.extend(&other.signalled);
        state.read.extend(&other.read);
        state.acquired.extend(&other.acquired);
        *state != before
    }

    fn transfer(&self, at: usize, state: &mut SectionState) {
        for (number, (lock, address)) in self.locks.iter().enumerate() {
            if lock.at == at {
                state.held.insert(number);
            } else if spin_lock::is_unlock(self.effects.flow, at, address, lock.free) {
                state.held.retain(|held| !self.locks[held].1.same(address));
            }
        }
        if let Some(number) = self.waits.iter().position(|wait| wait.at == at) {
            state.waited.insert(number);
        }
        self.signalled(at).for_each(|number| state.signalled.insert(number));
        let read = self.reads.iter().position(|read| *read == at);
        for (_, effect) in self.effects.effects_in(at..at + 1) {
            match (effect, read) {
                (MemoryEffect::Access(access), Some(read)) => {
                    state.read.insert(read);
                    if matches!(access.order, Some(Sem::Acquire | Sem::AcqRel)) {
                        state.acquired.insert(read);
                    }
                }
                (MemoryEffect::Fence(order, _), _) if *order != FenceOrder::Release => {
                    let read = state.read;
                    state.acquired.extend(&read);
                }
                _ => {}
            }
        }
    }
}

impl<'d, 'f, 'a> Sections<'d, 'f, 'a> {
    fn new(effects: &'d FunctionEffects<'f, 'a>) -> Self {
        let flow = effects.flow;
        let address = |at: usize| flow.address_provenance(flow.instruction(at));
        let locks: Vec<_> = spin_lock::spin_locks(flow).filter_map(|lock| Some((address(lock.at)?, lock))).collect();
        let locks: Vec<_> = locks.into_iter().map(|(address, lock)| (lock, address)).collect();
        let loops = flow.atomics().filter(|(at, ..)| AtomicLoop::around(flow, *at).is_some()).map(|(at, ..)| at);
        let polls = effects.polls().iter().map(|poll| poll.at);
        let is_lock = |wait: &FlagWait| locks.iter().any(|(_, lock)| lock.same(&wait.address));
        let mut waits: Vec<FlagWait> =
            loops.chain(polls).filter_map(|at| Some(FlagWait { at, address: address(at)? })).collect();
        waits.retain(|wait| !is_lock(wait));
        waits.truncate(SiteSet::MAX_SITES);
        let mut sections = Sections { effects, locks, waits, reads: Vec::new() };
        let reads = effects.accesses().filter(|(at, access)| sections.is_other_read(*at, access)).map(|(at, _)| at);
        let reads = reads.take(SiteSet::MAX_SITES).collect::<Vec<_>>();
        let compared = if reads.is_empty() { HashSet::default() } else { compared_registers(flow) };
        let is_compared = |at: &usize| written(flow, *at).iter().any(|register| compared.contains(register));
        sections.reads = reads.into_iter().filter(is_compared).collect();
        sections
    }

    /// The waits whose flag an instruction sets.
    fn signalled(&self, at: usize) -> impl Iterator<Item = usize> {
        let writes = self.effects.effects_in(at..at + 1).iter().filter_map(move |(_, effect)| match effect {
            MemoryEffect::Access(access) if access.kind != AccessKind::Read && access.order.is_some() => {
                self.effects.address(at, access.operand?)
            }
            _ => None,
        });
        let set = |address: Provenance| {
            let numbered = self.waits.iter().enumerate();
            numbered.filter(move |(_, wait)| address.same(&wait.address)).map(|(number, _)| number)
        };
        { writes }.filter(move |_| self.waits.iter().all(|wait| wait.at != at)).flat_map(set)
    }

    /// Whether it is a strong read of what is neither a lock nor awaited.
    fn is_other_read(&self, at: usize, access: &SyncAccess) -> bool {
        access.kind != AccessKind::Write
            && access.order.is_some()
            && self.locks.iter().all(|(lock, address)| {
                lock.at != at && !spin_lock::is_unlock(self.effects.flow, at, address, lock.free)
            })
            && self.waits.iter().all(|wait| wait.at != at)
            && self.signalled(at).next().is_none()
    }

    /// The address of the access to data that an effect is.
    fn data(&self, at: usize, effect: &MemoryEffect) -> Option<Provenance> {
        let MemoryEffect::Access(access) = effect else { return None };
        if access.kind == AccessKind::Update || access.proxy != SyncProxy::Generic {
            return None;
        }
        let address = self.effects.address(at, access.operand?)?;
        let is_fixed = address.offset().is_some() && matches!(address.root, Root::Variable(_) | Root::Parameter(..));
        let mut synchronising =
            self.locks.iter().map(|(_, lock)| lock).chain(self.waits.iter().map(|wait| &wait.address));
        (is_fixed && !synchronising.any(|other| other.same(&address))).then_some(address)
    }
}

/// The registers on which a comparison may depend: a flag is compared, data often is not.
fn compared_registers(flow: &FunctionValues) -> HashSet<usize> {
    let mut compared = HashSet::default();
    // Registers are mostly written before they are read, so few rounds are needed.
    let mut known = usize::MAX;
    while known != compared.len() {
        known = compared.len();
        for at in (0..flow.len()).rev().filter(|at| flow.fills_registers(*at)) {
            if flow.mnemonic(at) == "setp" || written(flow, at).iter().any(|register| compared.contains(register)) {
                compared.extend(flow.read_symbols(at));
            }
        }
    }
    compared
}

/// The registers that an instruction writes.
fn written(flow: &FunctionValues, at: usize) -> Vec<usize> {
    let mut registers = Vec::new();
    if let Some(first) = flow.instruction(at).values.first() {
        first.registers(&mut |register| registers.push(register));
    }
    registers
}

/// Reports accesses that nothing orders with an access of another thread to the same memory.
fn check_accesses(races: &RaceFinder, accesses: &[DataAccess], diagnostics: &mut Vec<Diagnostic>) {
    let mut found: Vec<(&DataAccess, &DataAccess)> = Vec::new();
    for access in accesses {
        let Some((other, race)) = accesses.iter().find_map(|other| Some((other, races.between(access, other)?))) else {
            continue;
        };
        // One report for two accesses.
        if found.iter().any(|(one, with)| one.at == other.at && with.at == access.at) {
            continue;
        }
        found.push((access, other));
        let (message, help) = race.describe();
        let flow = races.effects.flow;
        diagnostics.push(
            Diagnostic::new(&RACING_ACCESS, flow.instruction(access.at).opcode.range(), message)
                .help(help)
                .related(flow.instruction(other.at).opcode.range(), "accessed by another thread here"),
        );
    }
}

impl Race {
    /// The message and the help.
    fn describe(self) -> (&'static str, &'static str) {
        match self {
            Race::Unlocked => (
                "access without the lock that another thread holds for the same memory",
                "acquire the lock before the access",
            ),
            Race::OtherLock => (
                "access with another lock than the one that another thread holds for the same memory",
                "acquire the same lock in both threads",
            ),
            Race::AfterSignal => (
                "access after the flag is set: the thread that waits for the flag may already use the memory",
                "move the access before the release of the flag",
            ),
            Race::BeforeWait => (
                "access before the wait for the flag: the thread that sets the flag may still use the memory",
                "move the access after the wait for the flag",
            ),
        }
    }
}

/// Reports fences with `.cta` scope before a flag that only threads of other CTAs wait for.
fn check_fences(
    effects: &FunctionEffects,
    sections: &Sections,
    roles: &ThreadRoles,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let flow = effects.flow;
    for pair in effects.effects().windows(2) {
        let [(fence, MemoryEffect::Fence(order, Scope::Cta)), (signal, MemoryEffect::Access(access))] = pair else {
            continue;
        };
        let waits: Vec<&FlagWait> = sections.signalled(*signal).map(|wait| &sections.waits[wait]).collect();
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

fn is_write(effect: &MemoryEffect) -> bool {
    matches!(effect, MemoryEffect::Access(access) if access.kind == AccessKind::Write)
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

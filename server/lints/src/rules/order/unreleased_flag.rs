//! `unreleased-flag`: a flag that is set without release ordering after the data that it guards.

use analysis::effects::answers;
use analysis::effects::{
    AccessKind, FunctionEffects, MemoryEffect, OpenSites, Poll, SiteSet, SyncAccess, SyncProxy, Trigger,
};
use analysis::values::{AtomicLoop, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::UNRELEASED_FLAG;
use foldhash::{HashMap, HashSet};
use isa::types::Sem;

/// The maximum number of instructions to visit per store that may set the first value of a flag.
const STEP_BUDGET: usize = 20_000;

/// The maximum number of bytes between the flags of neighbours.
const MAX_DISTANCE: u64 = 256;

/// Checks every store to a flag that the same function polls.
pub(crate) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !function.triggers.has(Trigger::STRONG | Trigger::FENCE) {
        return;
    }
    let polls = function.polls();
    if polls.is_empty() {
        return;
    }
    let writes = WritesBeforeFlags::new(function, polls);
    if writes.sites.is_empty() {
        return;
    }
    let unreleased =
        OpenSites { effects: function, sites: &writes.writes, settles: |_, effect: &MemoryEffect| effect.releases() };
    let Some(states) = function.solve(&unreleased) else { return };
    states.visit(&unreleased, |at, state| {
        for (_, effect) in function.effects_in(at..at + 1) {
            let MemoryEffect::Access(access) = effect else { continue };
            let Some(site) = writes.unordered(at, access, state) else { continue };
            let flow = function.flow;
            diagnostics.push(
                Diagnostic::new(
                    &UNRELEASED_FLAG,
                    flow.instruction(at).opcode.range(),
                    "flag set without release ordering: data may be written after the flag",
                )
                .help("write `.release` with a scope, or add `fence.acq_rel.gpu` (before sm_70: `membar.gl`) before it")
                .related(flow.instruction(site).opcode.range(), "data written here"),
            );
        }
    });
}

/// The writes of data that the function also reads.
struct WritesBeforeFlags<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    polls: &'d [Poll],
    /// The first write of each variable or parameter.
    sites: Vec<usize>,
    /// The number of the variable or parameter that each instruction writes.
    writes: HashMap<usize, usize>,
}

impl<'d, 'f, 'a> WritesBeforeFlags<'d, 'f, 'a> {
    fn new(function: &'d FunctionEffects<'f, 'a>, polls: &'d [Poll]) -> Self {
        let mut found = WritesBeforeFlags { effects: function, polls, sites: Vec::new(), writes: HashMap::default() };
        let read = roots(function, AccessKind::Read);
        let mut numbers: HashMap<Root, usize> = HashMap::default();
        for (at, access) in function.accesses().filter(|(_, access)| is_weak(access, AccessKind::Write)) {
            let Some(address) = access.operand.and_then(|operand| function.address(at, operand)) else { continue };
            if found.is_flag(access, &address) || !read.contains(&address.root) {
                continue;
            }
            let next = found.sites.len();
            let site = *numbers.entry(address.root).or_insert(next);
            if site == next {
                found.sites.push(at);
            }
            found.writes.insert(at, site);
        }
        found
    }

    /// The first write of data that a flag is set before.
    fn unordered(&self, at: usize, access: &SyncAccess, state: &SiteSet) -> Option<usize> {
        let is_relaxed = matches!(access.order, None | Some(Sem::Relaxed)) && access.kind != AccessKind::Read;
        // A compare-and-swap that waits is no signal.
        let flow = self.effects.flow;
        let waits =
            access.kind == AccessKind::Update && (flow.has(at, "cas") || AtomicLoop::around(flow, at).is_some());
        if !is_relaxed || state.is_empty() || access.asynchronous || waits {
            return None;
        }
        let address = self.effects.address(at, access.operand?)?;
        let is_shared = |at: usize| {
            let mut accesses = self.effects.effects_in(at..at + 1).iter();
            accesses.any(|(_, effect)| matches!(effect, MemoryEffect::Access(access) if access.is_shared(None)))
        };
        let shared = access.is_shared(Some(&address));
        let is_open =
            |site: &usize| is_shared(self.sites[*site]) == shared && !self.is_continued(at, access, &address, *site);
        let found = state.iter().find(is_open).map(|site| self.sites[site]);
        let is_signal = || self.is_flag(access, &address) && !answers::is_answer(self.effects, at, &address);
        found.filter(|_| is_signal() && !(shared && self.initialises(at)))
    }

    /// Whether an atomic continues what a release of the same thread to the same flag begins, after all writes of a variable.
    fn is_continued(&self, at: usize, access: &SyncAccess, address: &Provenance, site: usize) -> bool {
        let function = self.effects;
        let releases = |next: usize| {
            function.effects_in(next..next + 1).iter().any(|(_, effect)| match effect {
                MemoryEffect::Access(access) if matches!(access.order, Some(Sem::Release | Sem::AcqRel)) => {
                    let released = access.operand.and_then(|operand| function.address(next, operand));
                    released.is_some_and(|released| released.same(address))
                }
                _ => false,
            })
        };
        let is_covered = |write: usize| {
            let mut budget = STEP_BUDGET;
            let path = function.flow.find_reachable(write, &mut budget, |next| next == at, releases);
            path.is_none() && budget > 0
        };
        let mut writes = self.writes.iter().filter(|(_, number)| **number == site).map(|(write, _)| *write);
        access.kind == AccessKind::Update && access.order.is_some() && writes.all(is_covered)
    }

    /// Whether a store only sets the first value of a flag in shared memory: a barrier comes before all polls, and no loop leads back to the store.
    fn initialises(&self, at: usize) -> bool {
        let flow = self.effects.flow;
        let is_poll = |at: usize| self.polls.iter().any(|poll| poll.at == at);
        let is_barrier = |at: usize| {
            let mut effects = self.effects.effects_in(at..at + 1).iter();
            effects.any(|(_, effect)| matches!(effect, MemoryEffect::CtaBarrier | MemoryEffect::ClusterWait(_)))
        };
        let mut budget = STEP_BUDGET;
        let ends_or_polls = |at: usize| is_poll(at) || matches!(flow.mnemonic(at), "ret" | "exit");
        let is_early = flow.find_reachable(at, &mut budget, ends_or_polls, is_barrier).is_some();
        let awaited = flow.find_reachable(at, &mut budget, is_poll, |_| false);
        let is_repeated = flow.find_reachable(at, &mut budget, |next| next == at, |_| false).is_some();
        !is_early && awaited.is_some() && !is_repeated && budget > 0
    }

    /// Whether a loop polls an address.
    fn is_flag(&self, access: &SyncAccess, address: &Provenance) -> bool {
        self.polls.iter().any(|poll| {
            let meets = poll.address.base == address.base && poll.address.stride == address.stride;
            let is_traced = matches!(address.root, Root::Variable(_) | Root::Parameter(..));
            let same_space = poll.access.is_shared(Some(&poll.address)) == access.is_shared(Some(address));
            let is_root = is_traced && poll.address.root == address.root;
            same_space && (poll.address.same(address) || is_root && (meets || is_neighbour(poll, access, address)))
        })
    }
}

/// Whether a strong store writes another element of the array whose elements a loop polls: each thread waits for the one before it.
fn is_neighbour(poll: &Poll, access: &SyncAccess, address: &Provenance) -> bool {
    let element = i64::try_from(address.stride).unwrap_or_default();
    let distance = address.distance_from(&poll.address);
    let is_strong = access.order.is_some() && poll.access.order.is_some();
    is_strong
        && poll.address.stride == address.stride
        && element > 1
        && distance.unsigned_abs() <= MAX_DISTANCE
        && distance % element == 0
}

fn is_weak(access: &SyncAccess, kind: AccessKind) -> bool {
    access.kind == kind && access.order.is_none() && access.proxy == SyncProxy::Generic && !access.asynchronous
}

/// The variables and parameters of weak accesses.
fn roots(function: &FunctionEffects, kind: AccessKind) -> HashSet<Root> {
    let accesses = function.accesses().filter(|(_, access)| is_weak(access, kind));
    let roots = accesses.filter_map(|(at, access)| Some(function.address(at, access.operand?)?.root));
    roots.filter(|root| matches!(root, Root::Variable(_) | Root::Parameter(..))).collect()
}

//! `missing-proxy-fence` and `unfenced-mbarrier`: asynchronous operations that access memory written through the generic proxy, without
//! a fence.

mod tensor_maps;

use analysis::effects::descriptors;
use analysis::effects::{
    AccessKind, AddressSpace, ByteRange, ForwardAnalysis, FunctionEffects, MbarrierOperation, MemoryEffect, ProxyFence,
    SiteSet, SyncAccess, SyncProxy, ThreadSets, Trigger,
};
use analysis::values::{Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::{MISSING_PROXY_FENCE, UNFENCED_MBARRIER};
use foldhash::{HashMap, HashSet};

/// Checks every asynchronous operation on memory of this CTA.
pub(crate) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !function.triggers.has(Trigger::ASYNC) || function.triggers.has(Trigger::ILLEGAL) {
        return;
    }
    tensor_maps::check(function, diagnostics);
    let fences = ProxyFences::new(function);
    if fences.targets.is_empty() || fences.writes.is_empty() {
        return;
    }
    let Some(fences) = fences.with_handed() else { return };
    let Some(states) = function.solve(&fences) else { return };
    let mut reported = SiteSet::default();
    states.visit(&fences, |at, state| {
        let targets = fences.targets.get(&at).into_iter().flatten();
        let Some((target, site)) = targets.filter_map(|target| Some((target, fences.missing(target, state)?))).next()
        else {
            return;
        };
        if !reported.contains(site) {
            (0..fences.sites.len())
                .filter(|site| state.unfenced.contains(*site))
                .for_each(|site| reported.insert(site));
            diagnostics.push(fences.report(at, target, &fences.sites[site]));
        }
    });
}

/// The bytes at the address in a matrix descriptor that the tensor cores certainly read.
const MIN_OPERAND: i64 = 16;

/// A write through the generic proxy.
struct WriteSite {
    at: usize,
    /// The operand of the address.
    operand: Option<usize>,
    /// The address; `None` for shared memory at an unknown address.
    start: Option<Provenance>,
    /// Whether it initializes an mbarrier.
    is_barrier: bool,
}

/// Where threads wait for others that have arrived.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// An mbarrier: the variable and the offset.
    Mbarrier(usize, i64),
    /// A barrier of the CTA.
    Barrier(i64),
}

/// What an asynchronous operation accesses through the async proxy.
enum AsyncTarget {
    Data(ByteRange),
    /// Shared memory at an address in a descriptor, or at an address that depends on more than a thread.
    UnknownShared,
    Barrier(Provenance),
}

/// The analysis: which writes have no proxy fence after them.
struct ProxyFences<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    sites: Vec<WriteSite>,
    /// The sites of the instructions that write.
    writes: HashMap<usize, usize>,
    targets: HashMap<usize, Vec<AsyncTarget>>,
    /// Whether all shared memory that the function reads is written by its own stores.
    has_only_stores: bool,
    /// The writes without a fence of threads that arrive at a barrier, by the instructions that wait for it.
    handed: HashMap<usize, SiteSet>,
}

/// The writes that some path does not fence, and whether a fence may have executed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FenceState {
    unfenced: SiteSet,
    may_be_fenced: bool,
}

impl ForwardAnalysis for ProxyFences<'_, '_, '_> {
    type State = FenceState;

    fn entry(&self) -> FenceState {
        FenceState { unfenced: SiteSet::default(), may_be_fenced: false }
    }

    fn join(&self, state: &mut FenceState, other: &FenceState) -> bool {
        let fenced = state.may_be_fenced | other.may_be_fenced;
        let changed = std::mem::replace(&mut state.may_be_fenced, fenced) != fenced;
        state.unfenced.extend(&other.unfenced) || changed
    }

    fn transfer(&self, at: usize, state: &mut FenceState) {
        if let Some(handed) = self.handed.get(&at) {
            state.unfenced.extend(handed);
        }
        if let Some(site) = self.writes.get(&at) {
            state.unfenced.insert(*site);
        }
        for (_, effect) in self.effects.effects_in(at..at + 1) {
            match effect {
                MemoryEffect::ProxyFence(ProxyFence::Async) | MemoryEffect::Unknown => {
                    *state = FenceState { unfenced: SiteSet::default(), may_be_fenced: true };
                }
                MemoryEffect::ProxyFence(ProxyFence::MbarrierInit) => {
                    state.unfenced.retain(|site| !self.sites[site].is_barrier);
                }
                _ => {}
            }
        }
    }
}

impl<'d, 'f, 'a> ProxyFences<'d, 'f, 'a> {
    fn new(function: &'d FunctionEffects<'f, 'a>) -> Self {
        let mut fences = ProxyFences {
            effects: function,
            sites: Vec::new(),
            writes: HashMap::default(),
            targets: HashMap::default(),
            has_only_stores: has_only_stores(function),
            handed: HashMap::default(),
        };
        for (at, effect) in function.effects() {
            let found = fences.target(*at, effect);
            found.into_iter().for_each(|target| fences.targets.entry(*at).or_default().push(target));
        }
        if !fences.targets.is_empty() {
            fences.add_sites();
        }
        fences
    }

    /// Adds what threads without a fence hand to those that wait for the same mbarrier or named barrier, on paths of their own; `None` if the control flow is
    /// too complex.
    fn with_handed(mut self) -> Option<Self> {
        let arrivals = self.meetings(|effect| {
            matches!(effect, MemoryEffect::Mbarrier(MbarrierOperation::Arrive(_), _) | MemoryEffect::CtaArrive)
        });
        let waits = self.meetings(|effect| {
            let waits = |operation: &MbarrierOperation| {
                matches!(operation, MbarrierOperation::Test(..) | MbarrierOperation::Try(..))
            };
            matches!(effect, MemoryEffect::Mbarrier(operation, _) if waits(operation))
                || *effect == MemoryEffect::CtaBarrier
        });
        if arrivals.is_empty() || waits.is_empty() {
            return Some(self);
        }
        let states = self.effects.solve(&self)?;
        let mut handed: HashMap<usize, SiteSet> = HashMap::default();
        states.visit(&self, |at, state| {
            for (_, barrier) in arrivals.iter().filter(|(arrival, _)| *arrival == at) {
                for (wait, _) in waits.iter().filter(|(_, awaited)| awaited == barrier) {
                    handed.entry(*wait).or_default().extend(&state.unfenced);
                }
            }
        });
        self.handed = handed;
        Some(self)
    }

    /// The effects of a kind on mbarriers at known addresses in variables, and on barriers with a constant number.
    fn meetings(&self, is_kind: impl Fn(&MemoryEffect) -> bool) -> Vec<(usize, Meeting)> {
        let (function, flow) = (self.effects, self.effects.flow);
        let known = |(at, effect): &(usize, MemoryEffect)| {
            let meeting = match effect {
                MemoryEffect::Mbarrier(_, operand) => {
                    let address = function.address(*at, *operand)?;
                    let Root::Variable(variable) = address.root else { return None };
                    Meeting::Mbarrier(variable, address.offset()?)
                }
                _ => Meeting::Barrier(flow.constant(flow.instruction(*at).values.first()?, *at)?),
            };
            Some((*at, meeting))
        };
        self.effects.effects().iter().filter(|(_, effect)| is_kind(effect)).filter_map(known).collect()
    }

    /// What an effect accesses through the async proxy.
    fn target(&self, at: usize, effect: &MemoryEffect) -> Vec<AsyncTarget> {
        let MemoryEffect::Access(SyncAccess { operand: None, proxy: SyncProxy::Async, kind: AccessKind::Read, .. }) =
            effect
        else {
            return self.addressed(at, effect).into_iter().collect();
        };
        // What the tensor cores read by a descriptor begins at its address.
        let described = descriptors::descriptor_addresses(self.effects, at).into_iter();
        let described = described.map(|start| AsyncTarget::Data(ByteRange { start, size: Some(MIN_OPERAND) }));
        described.chain([AsyncTarget::UnknownShared]).collect()
    }

    /// What an effect accesses through the async proxy at the address in an operand.
    fn addressed(&self, at: usize, effect: &MemoryEffect) -> Option<AsyncTarget> {
        match effect {
            MemoryEffect::Access(access) if access.proxy == SyncProxy::Async && access.kind == AccessKind::Read => {
                let operand = access.operand?;
                match self.effects.address(at, operand) {
                    Some(start) if is_traced(&start) => {
                        let flow = self.effects.flow;
                        let size = flow.instruction(at).values.get(2).and_then(|size| flow.constant(size, at));
                        let size = size.filter(|_| !flow.has(at, "tensor"));
                        Some(AsyncTarget::Data(ByteRange { start, size }))
                    }
                    _ => (access.space != AddressSpace::Global).then_some(AsyncTarget::UnknownShared),
                }
            }
            MemoryEffect::Mbarrier(MbarrierOperation::AsyncArrive, operand)
                if self.effects.flow.has(at, "bulk") || self.effects.flow.mnemonic(at) == "tcgen05" =>
            {
                self.effects.address(at, *operand).map(AsyncTarget::Barrier)
            }
            _ => None,
        }
    }

    /// Numbers the writes that may meet an asynchronous operation, one number for all with the same address.
    fn add_sites(&mut self) {
        let roots: HashSet<Root> = self.targets.values().flatten().filter_map(AsyncTarget::root).collect();
        let mut known: HashMap<(Option<Root>, i64, u64, bool), usize> = HashMap::default();
        for (at, effect) in self.effects.effects() {
            let (operand, access) = match effect {
                MemoryEffect::Access(access) if is_generic_write(access) => (access.operand, Some(access)),
                MemoryEffect::Mbarrier(MbarrierOperation::Init, operand) => (Some(*operand), None),
                _ => continue,
            };
            let is_barrier = access.is_none();
            let start = operand.and_then(|operand| self.effects.address(*at, operand));
            let is_shared = access.is_none_or(|access| access.is_shared(start.as_ref()));
            let start = start.filter(|start| roots.contains(&start.root));
            if start.is_none() && !is_shared {
                continue;
            }
            let place = start.as_ref().map_or((0, 0), |start| (start.base, start.stride));
            let key = (start.as_ref().map(|start| start.anchor.0), place.0, place.1, is_barrier);
            let next = self.sites.len();
            let site = *known.entry(key).or_insert(next);
            if site == next {
                self.sites.push(WriteSite { at: *at, operand, start, is_barrier });
            }
            self.writes.insert(*at, site);
        }
    }

    /// A write that an asynchronous operation accesses without a fence.
    fn missing(&self, target: &AsyncTarget, state: &FenceState) -> Option<usize> {
        let mut unfenced = state.unfenced.iter().map(|site| (site, &self.sites[site]));
        let found = match target {
            AsyncTarget::Data(range) => unfenced.find(|(_, site)| {
                let is_hit = |start| range.is_hit_by(&start, self.effects) || self.is_first_of_range(site, range);
                !site.is_barrier && site.start.is_some_and(is_hit)
            }),
            AsyncTarget::Barrier(barrier) => unfenced.find(|(_, site)| {
                // The first of an array of mbarriers is enough.
                let is_same = |start: Provenance| {
                    start.same(barrier)
                        || is_traced(barrier) && start.root == barrier.root && start.base == barrier.base
                };
                site.is_barrier && site.start.is_some_and(is_same)
            }),
            AsyncTarget::UnknownShared => None,
        };
        let is_data = !matches!(target, AsyncTarget::Barrier(_));
        let other = || {
            let mut unfenced = state.unfenced.iter();
            let certain = is_data && self.has_only_stores && !state.may_be_fenced;
            certain.then(|| unfenced.find(|site| self.is_shared_data(*site))).flatten()
        };
        found.map(|(site, _)| site).or_else(other)
    }

    /// Whether the first thread of the CTA writes the first bytes of a range: nothing but indices of threads is added to a constant offset.
    fn is_first_of_range(&self, site: &WriteSite, range: &ByteRange) -> bool {
        let function = self.effects;
        let (Some(start), Some(operand)) = (site.start, site.operand) else { return false };
        let is_at_start = start.root == range.start.root && range.start.offset() == Some(start.base);
        let is_of_first = || {
            ThreadSets::new(function.flow).and_then(|sets| sets.of(site.at)).is_some_and(|threads| threads.has_first())
        };
        is_at_start
            && function.is_indexed_by_thread(site.at, operand, start.root)
            && !function.hides_constant(site.at, operand, start.root)
            && is_of_first()
    }

    fn is_shared_data(&self, site: usize) -> bool {
        let WriteSite { at, start, is_barrier, .. } = &self.sites[site];
        let mut effects = self.effects.effects_in(*at..*at + 1).iter();
        let is_shared =
            |effect: &MemoryEffect| matches!(effect, MemoryEffect::Access(access) if access.is_shared(start.as_ref()));
        !is_barrier && effects.any(|(_, effect)| is_shared(effect))
    }

    fn report(&self, at: usize, target: &AsyncTarget, site: &WriteSite) -> Diagnostic {
        let flow = self.effects.flow;
        let opcode = flow.instruction(at).opcode.range();
        let (name, written) = (flow.mnemonic(at), flow.instruction(site.at).opcode.range());
        match target {
            AsyncTarget::Barrier(_) => Diagnostic::new(
                &UNFENCED_MBARRIER,
                opcode,
                format!("missing fence between the initialization of an mbarrier and its use by an asynchronous `{name}`"),
            )
            .help("add `fence.mbarrier_init.release.cluster` or `fence.proxy.async` after `mbarrier.init`, before the barrier")
            .related(written, "initialized here"),
            AsyncTarget::Data(_) | AsyncTarget::UnknownShared => Diagnostic::new(
                &MISSING_PROXY_FENCE,
                opcode,
                format!("missing `fence.proxy.async` between a store and the asynchronous `{name}` that reads the memory"),
            )
            .help("add `fence.proxy.async` after the stores, before the barrier")
            .related(written, "written here through the generic proxy"),
        }
    }
}

impl AsyncTarget {
    fn root(&self) -> Option<Root> {
        match self {
            AsyncTarget::Data(range) => Some(range.start.root),
            AsyncTarget::Barrier(start) => Some(start.root),
            AsyncTarget::UnknownShared => None,
        }
    }
}

/// Whether an address has a known root.
fn is_traced(address: &Provenance) -> bool {
    matches!(address.root, Root::Variable(_) | Root::Parameter(..))
}

/// Whether the only writes to shared memory in a kernel are stores.
fn has_only_stores(function: &FunctionEffects) -> bool {
    let is_other = |effect: &MemoryEffect| match effect {
        MemoryEffect::Unknown => true,
        MemoryEffect::Access(access) => {
            access.asynchronous
                && access.kind != AccessKind::Read
                && access.space != AddressSpace::Global
                && !is_generic_write(access)
        }
        _ => false,
    };
    function.flow.is_entry() && !function.effects().iter().any(|(_, effect)| is_other(effect))
}

/// Whether it is a write through the generic proxy; that of `cp.async` is one, too.
fn is_generic_write(access: &SyncAccess) -> bool {
    let is_remote = access.asynchronous && access.space == AddressSpace::SharedCluster;
    access.proxy == SyncProxy::Generic && access.kind != AccessKind::Read && !is_remote
}

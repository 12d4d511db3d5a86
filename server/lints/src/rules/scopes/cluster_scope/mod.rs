//! `cluster-scope`: signals to another CTA with `.cta` scope or without order, after stores to its memory or to memory that it reads.

mod own_stores;

use analysis::effects::{
    AccessKind, AddressSpace, FenceOrder, FunctionEffects, MbarrierOperation, MemoryEffect, OpenSites, SyncAccess,
    SyncProxy, Trigger, is_of_other_cta,
};
use analysis::values::DecodedInstruction;
use diagnostics::registry::CLUSTER_SCOPE;
use diagnostics::{Diagnostic, insert, replace};
use foldhash::HashMap;
use isa::types::{Scope, Sem};

/// Checks every signal to other CTAs of the cluster.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    if !effects.triggers.has(Trigger::ASYNC | Trigger::CLUSTER)
        || !effects.effects().iter().any(|(_, effect)| is_narrow(effect))
    {
        return;
    }
    own_stores::check(effects, diagnostics);
    let stores = RemoteStores::new(effects);
    if stores.sites.is_empty() {
        return;
    }
    let unreleased =
        OpenSites { effects, sites: &stores.numbers, settles: |_, effect: &MemoryEffect| releases(effect) };
    let Some(states) = effects.solve(&unreleased) else { return };
    states.visit(&unreleased, |at, state| {
        let Some(site) = state.iter().next() else { return };
        if effects.effects_in(at..at + 1).iter().any(|(_, effect)| is_narrow(effect)) {
            diagnostics.push(stores.report(at, stores.sites[site]));
        }
    });
}

/// Whether it signals another CTA with release ordering in the CTA only, or without: an arrival at an mbarrier, a store of a flag, a cluster barrier.
fn is_narrow(effect: &MemoryEffect) -> bool {
    match effect {
        MemoryEffect::Mbarrier(MbarrierOperation::Arrive(arrival), _) => {
            arrival.cluster && arrival.scope == Scope::Cta && arrival.order == Sem::Release
        }
        MemoryEffect::Access(access) => {
            access.space == AddressSpace::SharedCluster
                && access.kind != AccessKind::Read
                && access.scope == Scope::Cta
                && matches!(access.order, Some(Sem::Release | Sem::AcqRel))
        }
        MemoryEffect::ClusterArrive(order) => *order == Sem::Relaxed,
        _ => false,
    }
}

/// Whether it releases the stores before it to the cluster.
fn releases(effect: &MemoryEffect) -> bool {
    match effect {
        MemoryEffect::Fence(order, scope) => *order != FenceOrder::Acquire && *scope >= Scope::Cluster,
        MemoryEffect::ClusterArrive(order) => *order == Sem::Release,
        MemoryEffect::Unknown => true,
        _ => false,
    }
}

/// The stores to other CTAs.
struct RemoteStores<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    sites: Vec<usize>,
    numbers: HashMap<usize, usize>,
}

impl<'d, 'f, 'a> RemoteStores<'d, 'f, 'a> {
    fn new(effects: &'d FunctionEffects<'f, 'a>) -> Self {
        let mut found = RemoteStores { effects, sites: Vec::new(), numbers: HashMap::default() };
        let stores: Vec<usize> =
            effects.accesses().filter(|(at, access)| found.is_remote(*at, access)).map(|(at, _)| at).collect();
        for at in stores {
            found.numbers.insert(at, found.sites.len());
            found.sites.push(at);
        }
        found
    }

    /// Whether an access is a store to shared memory that may be of another CTA.
    fn is_remote(&self, at: usize, access: &SyncAccess) -> bool {
        let is_store = access.kind == AccessKind::Write && access.proxy == SyncProxy::Generic && !access.asynchronous;
        let address = || access.operand.and_then(|operand| self.effects.address(at, operand));
        is_store
            && match access.space {
                AddressSpace::SharedCluster => true,
                AddressSpace::Generic => address().is_some_and(|address| is_of_other_cta(self.effects.flow, &address)),
                AddressSpace::Global | AddressSpace::Shared => false,
            }
    }

    fn report(&self, at: usize, store: usize) -> Diagnostic {
        let flow = self.effects.flow;
        let signal = flow.instruction(at);
        let message = match flow.mnemonic(at) {
            "mbarrier" => {
                "arrival at an mbarrier of another CTA with `.cta` scope: stores to that CTA are not ordered before it"
            }
            "barrier" => "relaxed arrival at the cluster barrier: stores to other CTAs are not ordered before it",
            _ => "flag of another CTA is set with `.cta` scope: stores to that CTA are not ordered before it",
        };
        let found = Diagnostic::new(&CLUSTER_SCOPE, signal.opcode.range(), message)
            .related(flow.instruction(store).opcode.range(), "stored here");
        match flow.mnemonic(at) {
            "barrier" => strengthen(found, signal),
            _ => widen(found.help("write `.release.cluster`"), signal),
        }
    }
}

/// Adds the fix that makes an arrival at the cluster barrier a release.
fn strengthen(found: Diagnostic, signal: &DecodedInstruction) -> Diagnostic {
    let fix = [replace(signal.modifier("relaxed"), ".release")];
    found.help("write `.release`").fix("Replace with `.release`", fix)
}

/// Adds the fix that gives a signal the scope of the cluster.
fn widen(found: Diagnostic, signal: &DecodedInstruction) -> Diagnostic {
    if signal.has("cta") {
        return found.fix("Replace with `.cluster`", [replace(signal.modifier("cta"), ".cluster")]);
    }
    let before = ["expect_tx", "arrive", "arrive_drop"].into_iter().find(|word| signal.has(word));
    let place = before.filter(|_| !signal.has("release")).map(|word| signal.modifier(word).end);
    match place {
        Some(place) => found.fix("Add `.release.cluster`", [insert(place, ".release.cluster")]),
        None => found,
    }
}

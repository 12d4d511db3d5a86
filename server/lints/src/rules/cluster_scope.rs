//! `cluster-scope`: arrivals with `.cta` scope at an mbarrier of another CTA, after stores to its memory.

use crate::dataflow::{
    AccessKind, AddressSpace, DataFlow, FenceOrder, MbarrierOperation, MemoryEffect, OpenSites, SyncAccess, SyncProxy,
    Trigger,
};
use crate::flow::{Definition, DefinitionSite, FlowInstruction, Root};
use diagnostics::registry::CLUSTER_SCOPE;
use diagnostics::{Diagnostic, insert, replace};
use foldhash::HashMap;
use isa::types::{Scope, Sem};

/// Checks every arrival at an mbarrier of the cluster.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    if !dataflow.triggers.has(Trigger::ASYNC) || !dataflow.effects().iter().any(|(_, effect)| is_narrow(effect)) {
        return;
    }
    let stores = RemoteStores::new(dataflow);
    if stores.sites.is_empty() {
        return;
    }
    let unreleased =
        OpenSites { dataflow, sites: &stores.numbers, settles: |_, effect: &MemoryEffect| releases(effect) };
    let Some(states) = dataflow.solve(&unreleased) else { return };
    states.visit(&unreleased, |at, state| {
        let arrives = dataflow.effects_in(at..at + 1).iter().any(|(_, effect)| is_narrow(effect));
        if let Some(site) = state.iter().next().filter(|_| arrives) {
            diagnostics.push(stores.report(at, stores.sites[site]));
        }
    });
}

/// Whether it is an arrival with release ordering in the CTA only, at an mbarrier that may be in another CTA.
fn is_narrow(effect: &MemoryEffect) -> bool {
    let MemoryEffect::Mbarrier(MbarrierOperation::Arrive(arrival), _) = effect else { return false };
    arrival.cluster && arrival.scope == Scope::Cta && arrival.order == Sem::Release
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
    dataflow: &'d DataFlow<'f, 'a>,
    sites: Vec<usize>,
    numbers: HashMap<usize, usize>,
}

impl<'d, 'f, 'a> RemoteStores<'d, 'f, 'a> {
    fn new(dataflow: &'d DataFlow<'f, 'a>) -> Self {
        let mut found = RemoteStores { dataflow, sites: Vec::new(), numbers: HashMap::default() };
        let stores: Vec<usize> =
            dataflow.accesses().filter(|(at, access)| found.is_remote(*at, access)).map(|(at, _)| at).collect();
        for at in stores {
            found.numbers.insert(at, found.sites.len());
            found.sites.push(at);
        }
        found
    }

    /// Whether an access is a store to shared memory that may be of another CTA.
    fn is_remote(&self, at: usize, access: &SyncAccess) -> bool {
        let is_store = access.kind == AccessKind::Write && access.proxy == SyncProxy::Generic && !access.asynchronous;
        let is_mapped = || {
            let address = access.operand.and_then(|operand| self.dataflow.address(at, operand));
            address.is_some_and(|address| match address.root {
                Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) => {
                    self.dataflow.flow.mnemonic(at) == "mapa"
                }
                _ => false,
            })
        };
        is_store
            && match access.space {
                AddressSpace::SharedCluster => true,
                AddressSpace::Generic => is_mapped(),
                AddressSpace::Global | AddressSpace::Shared => false,
            }
    }

    fn report(&self, at: usize, store: usize) -> Diagnostic {
        let flow = self.dataflow.flow;
        let arrival = flow.instruction(at);
        let message =
            "arrival at an mbarrier of another CTA with `.cta` scope: stores to that CTA are not ordered before it";
        let found = Diagnostic::new(&CLUSTER_SCOPE, arrival.opcode.range.clone(), message)
            .help("write `.release.cluster`")
            .related(flow.instruction(store).opcode.range.clone(), "stored here");
        widen(found, arrival)
    }
}

/// Adds the fix that gives an arrival the scope of the cluster.
fn widen(found: Diagnostic, arrival: &FlowInstruction) -> Diagnostic {
    if arrival.has("cta") {
        return found.fix("Replace with `.cluster`", [replace(arrival.modifier("cta"), ".cluster")]);
    }
    let before = ["expect_tx", "arrive", "arrive_drop"].into_iter().find(|word| arrival.has(word));
    let place = before.filter(|_| !arrival.has("release")).map(|word| arrival.modifier(word).end);
    match place {
        Some(place) => found.fix("Add `.release.cluster`", [insert(place, ".release.cluster")]),
        None => found,
    }
}

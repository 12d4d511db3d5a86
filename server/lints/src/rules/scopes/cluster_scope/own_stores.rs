//! Relaxed arrivals at the cluster barrier between stores to shared memory of this CTA and accesses to it by other CTAs.

use crate::rules::scopes::cluster_scope::{releases, strengthen};
use analysis::effects::{
    AccessKind, ForwardAnalysis, FunctionEffects, MemoryEffect, OpenSites, SiteSet, SyncAccess, SyncProxy,
    is_of_other_cta,
};
use analysis::values::{Definition, DefinitionSite, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::CLUSTER_SCOPE;
use foldhash::HashMap;
use isa::types::Sem;

/// Checks every relaxed arrival that no release precedes.
pub(in crate::rules::scopes::cluster_scope) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let stores = stores(function);
    let remote = remote_accesses(function);
    if stores.is_empty() || remote.is_empty() {
        return;
    }
    let Some(arrivals) = Arrivals::new(function, &stores) else { return };
    let Some(states) = function.solve(&arrivals) else { return };
    let mut reported = SiteSet::default();
    states.visit(&arrivals, |at, state| {
        let Some(accessed) = remote.get(&at) else { return };
        for arrival in state.waited.iter().filter(|arrival| !reported.contains(*arrival)).collect::<Vec<_>>() {
            let (signal, open) = &arrivals.open[arrival];
            if let Some(store) = open.iter().find(|store| accessed.meets(&stores[*store].1)) {
                reported.insert(arrival);
                diagnostics.push(report(function, *signal, stores[store].0, at));
            }
        }
    });
}

/// The weak stores to variables in shared memory of this CTA.
fn stores(function: &FunctionEffects) -> Vec<(usize, Provenance)> {
    let store = |(at, access): (usize, &SyncAccess)| {
        let is_store = access.kind != AccessKind::Read && access.order.is_none() && is_plain(access);
        let address = access.operand.filter(|_| is_store).and_then(|operand| function.address(at, operand))?;
        (matches!(address.root, Root::Variable(_)) && access.is_shared(Some(&address))).then_some((at, address))
    };
    function.accesses().filter_map(store).collect()
}

/// The reads and atomics at addresses of other CTAs, with the address of the same variable in this one.
fn remote_accesses(function: &FunctionEffects) -> HashMap<usize, OwnAddress> {
    let flow = function.flow;
    let own = |(at, access): (usize, &SyncAccess)| {
        let is_access = access.kind != AccessKind::Write && is_plain(access);
        let address = access.operand.filter(|_| is_access).and_then(|operand| function.address(at, operand))?;
        let Root::Value(Definition { site: DefinitionSite::Instruction(mapa), .. }) = address.root else { return None };
        if !is_of_other_cta(flow, &address) {
            return None;
        }
        let mapped = flow.provenance(flow.instruction(mapa).values.get(1)?, mapa)?;
        Some((at, OwnAddress { root: mapped.root, base: mapped.base.checked_add(address.base)? }))
    };
    function.accesses().filter_map(own).collect()
}

fn is_plain(access: &SyncAccess) -> bool {
    access.proxy == SyncProxy::Generic && !access.asynchronous
}

/// The address in this CTA that an access to another CTA corresponds to.
struct OwnAddress {
    root: Root,
    base: i64,
}

impl OwnAddress {
    /// Whether a store may be to the same bytes: the constant offsets are equal, whatever the indices.
    fn meets(&self, store: &Provenance) -> bool {
        self.root == store.root && self.base == store.base
    }
}

/// The analysis: which relaxed arrivals with stores before them a thread has passed, and which it has waited for.
struct Arrivals<'d, 'f, 'a> {
    effects: &'d FunctionEffects<'f, 'a>,
    /// The relaxed arrivals with the stores that nothing releases before them.
    open: Vec<(usize, SiteSet)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct ArrivalState {
    arrived: SiteSet,
    waited: SiteSet,
}

impl<'d, 'f, 'a> Arrivals<'d, 'f, 'a> {
    fn new(function: &'d FunctionEffects<'f, 'a>, stores: &[(usize, Provenance)]) -> Option<Self> {
        let numbers: HashMap<usize, usize> = stores.iter().enumerate().map(|(number, (at, _))| (*at, number)).collect();
        let unreleased =
            OpenSites { effects: function, sites: &numbers, settles: |_, effect: &MemoryEffect| releases(effect) };
        let mut open = Vec::new();
        function.solve(&unreleased)?.visit(&unreleased, |at, state| {
            if !state.is_empty() && is_relaxed_arrival(function, at) {
                open.push((at, *state));
            }
        });
        Some(Arrivals { effects: function, open })
    }
}

impl ForwardAnalysis for Arrivals<'_, '_, '_> {
    type State = ArrivalState;

    fn entry(&self) -> ArrivalState {
        ArrivalState { arrived: SiteSet::default(), waited: SiteSet::default() }
    }

    fn join(&self, state: &mut ArrivalState, other: &ArrivalState) -> bool {
        let arrived = state.arrived.extend(&other.arrived);
        state.waited.extend(&other.waited) || arrived
    }

    fn transfer(&self, at: usize, state: &mut ArrivalState) {
        for (_, effect) in self.effects.effects_in(at..at + 1) {
            match effect {
                effect if releases(effect) => *state = self.entry(),
                MemoryEffect::ClusterWait(_) => {
                    let arrived = state.arrived;
                    state.waited.extend(&arrived);
                    state.arrived = SiteSet::default();
                }
                _ => {}
            }
        }
        if let Some(arrival) = self.open.iter().position(|(arrival, _)| *arrival == at) {
            state.arrived.insert(arrival);
        }
    }
}

fn is_relaxed_arrival(function: &FunctionEffects, at: usize) -> bool {
    let mut effects = function.effects_in(at..at + 1).iter();
    effects.any(|(_, effect)| *effect == MemoryEffect::ClusterArrive(Sem::Relaxed))
}

fn report(function: &FunctionEffects, signal: usize, store: usize, access: usize) -> Diagnostic {
    let flow = function.flow;
    let message =
        "relaxed arrival at the cluster barrier: stores that other CTAs read after it are not ordered before it";
    let found = Diagnostic::new(&CLUSTER_SCOPE, flow.instruction(signal).opcode.range(), message)
        .related(flow.instruction(store).opcode.range(), "stored here")
        .related(flow.instruction(access).opcode.range(), "read by another CTA here");
    strengthen(found, flow.instruction(signal))
}

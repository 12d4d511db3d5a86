//! `partial-arrival`: one lane that arrives or releases for the stores of its warp, without a barrier of the warp.

use analysis::effects::{
    AccessKind, AddressSpace, FenceOrder, FunctionEffects, LaneChoice, LaneCondition, MbarrierOperation, MemoryEffect,
    OpenSites, SyncAccess, SyncProxy, Trigger,
};
use analysis::values::{Definition, DefinitionSite, Provenance, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::PARTIAL_ARRIVAL;
use foldhash::HashMap;
use isa::types::Sem;

/// The maximum number of basic blocks between a fence and the access that it makes a release.
const MAX_BLOCKS: usize = 8;

/// Checks every arrival and release of one lane.
pub(crate) fn check(function: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let flow = function.flow;
    // There the lanes of a warp execute in lockstep, and older versions of PTX have no `bar.warp.sync`.
    let is_lockstep = flow.module.target.is_some_and(|target| target.number() < 70);
    if is_lockstep || !function.triggers.has(Trigger::ASYNC | Trigger::STRONG) {
        return;
    }
    let effects = function.effects().iter();
    let arrivals: Vec<(usize, StoredMemory)> =
        effects.filter_map(|(at, effect)| Some((*at, is_arrival(function, *at, effect)?))).collect();
    if arrivals.is_empty() || flow.has_broken_statement() {
        return;
    }
    let Some(mut lanes) = LaneChoice::new(flow) else { return };
    let chosen: HashMap<usize, StoredMemory> =
        arrivals.into_iter().filter(|(at, _)| lanes.condition(*at) == LaneCondition::Divergent).collect();
    if chosen.is_empty() {
        return;
    }
    let stores = WarpStores::new(function, &mut lanes);
    let settles = |at: usize, effect: &MemoryEffect| joins_lanes(effect, flow.mnemonic(at));
    let unjoined = OpenSites { effects: function, sites: &stores.numbers, settles };
    let Some(states) = function.solve(&unjoined) else { return };
    states.visit(&unjoined, |at, state| {
        let Some(released) = chosen.get(&at) else { return };
        let site = state.iter().map(|site| &stores.sites[site]).find(|(_, stored)| stored == released);
        if let Some((store, _)) = site {
            diagnostics.push(
                Diagnostic::new(
                    &PARTIAL_ARRIVAL,
                    flow.instruction(at).opcode.range(),
                    format!(
                        "one lane executes `{}` for the stores of its warp without a barrier before",
                        flow.mnemonic(at)
                    ),
                )
                .help("add `bar.warp.sync` between the stores and the condition")
                .related(flow.instruction(*store).opcode.range(), "all lanes store here"),
            );
        }
    });
}

/// The memory that stores write, or that an arrival releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredMemory {
    Global,
    Shared,
    /// Shared memory of another CTA of the cluster.
    Cluster,
}

impl StoredMemory {
    fn of(access: &SyncAccess, address: Option<&Provenance>) -> Self {
        match access.is_shared(address) {
            true if access.space == AddressSpace::SharedCluster => StoredMemory::Cluster,
            true => StoredMemory::Shared,
            false => StoredMemory::Global,
        }
    }
}

/// The memory that an effect releases; `None` if it does not release.
fn is_arrival(function: &FunctionEffects, at: usize, effect: &MemoryEffect) -> Option<StoredMemory> {
    match effect {
        MemoryEffect::Mbarrier(MbarrierOperation::Arrive(arrival), _) => {
            // An arrival that expects bytes is for an asynchronous copy.
            let memory = if arrival.cluster { StoredMemory::Cluster } else { StoredMemory::Shared };
            (arrival.order == Sem::Release && !arrival.expects).then_some(memory)
        }
        MemoryEffect::Access(access) => {
            let releases = match access.order {
                Some(Sem::Release | Sem::AcqRel) => true,
                Some(Sem::Relaxed) => follows_fence(function, at),
                _ => false,
            };
            (releases && access.kind != AccessKind::Read).then(|| StoredMemory::of(access, None))
        }
        _ => None,
    }
}

/// Whether the last effect before a relaxed access is a fence that makes it a release, on the only path to it.
fn follows_fence(function: &FunctionEffects, at: usize) -> bool {
    let Some(blocks) = function.flow.blocks() else { return false };
    let (mut block, mut end) = (blocks.of(at), at);
    for _ in 0..MAX_BLOCKS {
        if let Some((_, effect)) = function.effects_in(blocks.start(block)..end).last() {
            return matches!(effect, MemoryEffect::Fence(order, _) if *order != FenceOrder::Acquire);
        }
        let mut before = blocks.predecessors(block);
        let (Some(only), None) = (before.next(), before.next()) else { return false };
        (block, end) = (only, blocks.end(only, function.flow.len()));
    }
    false
}

/// Whether the lanes of the warp, or more threads, meet at an instruction.
fn joins_lanes(effect: &MemoryEffect, mnemonic: &str) -> bool {
    match effect {
        MemoryEffect::WarpOperation => !matches!(mnemonic, "elect" | "activemask"),
        MemoryEffect::WarpBarrier
        | MemoryEffect::CtaBarrier
        | MemoryEffect::ClusterArrive(_)
        | MemoryEffect::Mbarrier(MbarrierOperation::Test(..) | MbarrierOperation::Try(..), _)
        | MemoryEffect::Unknown => true,
        _ => false,
    }
}

/// The stores of all lanes.
#[derive(Default)]
struct WarpStores {
    /// The stores, and the memory that each writes.
    sites: Vec<(usize, StoredMemory)>,
    numbers: HashMap<usize, usize>,
}

impl WarpStores {
    fn new(function: &FunctionEffects, lanes: &mut LaneChoice) -> Self {
        let mut found = WarpStores::default();
        for (at, access) in function.accesses().filter(|(_, access)| is_store(access)) {
            let Some(address) = access.operand.and_then(|operand| function.address(at, operand)) else { continue };
            // Lanes that store to different addresses.
            let is_of_all = own_address(function, address).offset().is_none()
                && matches!(lanes.first_condition(at), LaneCondition::Uniform | LaneCondition::Bounded);
            if is_of_all {
                found.numbers.insert(at, found.sites.len());
                let memory = match mapped(function, &address) {
                    Some(_) => StoredMemory::Cluster,
                    None => StoredMemory::of(access, Some(&address)),
                };
                found.sites.push((at, memory));
            }
        }
        found
    }
}

/// The address in this CTA that an address in another one corresponds to.
fn own_address(function: &FunctionEffects, address: Provenance) -> Provenance {
    let flow = function.flow;
    let own = |at: usize| flow.provenance(flow.instruction(at).values.get(1)?, at);
    mapped(function, &address).and_then(own).unwrap_or(address)
}

/// The `mapa` that computes an address in another CTA.
fn mapped(function: &FunctionEffects, address: &Provenance) -> Option<usize> {
    match address.root {
        Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) => {
            (function.flow.mnemonic(at) == "mapa").then_some(at)
        }
        _ => None,
    }
}

/// Whether it is a weak store through the generic proxy.
fn is_store(access: &SyncAccess) -> bool {
    access.kind == AccessKind::Write
        && access.proxy == SyncProxy::Generic
        && access.order.is_none()
        && !access.asynchronous
}

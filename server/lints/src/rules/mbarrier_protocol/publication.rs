//! Mbarriers that other threads use before a barrier follows their initialisation.

use super::{MbarrierUse, MbarrierUses};
use crate::dataflow::{LaneChoice, LaneCondition, MbarrierOperation, MemoryEffect, OpenSites};
use crate::flow::{Definition, DefinitionSite, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;
use foldhash::{HashMap, HashSet};
use isa::types::Sem;

/// Checks every mbarrier that one thread initialises.
pub(super) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.dataflow.flow;
    let inits: Vec<&MbarrierUse> =
        uses.uses.iter().filter(|one| one.operation == MbarrierOperation::Init && one.fixed().is_some()).collect();
    if inits.is_empty() {
        return;
    }
    check_clusters(uses, &inits, diagnostics);
    let Some(mut lanes) = LaneChoice::new(flow) else { return };
    let of_one = |init: &&&MbarrierUse| lanes.condition(init.at) == LaneCondition::Divergent;
    let sites: HashMap<usize, usize> =
        inits.iter().filter(of_one).enumerate().map(|(number, init)| (init.at, number)).collect();
    if sites.is_empty() {
        return;
    }
    let open = OpenSites { dataflow: uses.dataflow, sites: &sites, settles: |_, effect: &MemoryEffect| meets(effect) };
    let Some(states) = uses.dataflow.solve(&open) else { return };
    let operations: HashMap<usize, &MbarrierUse> = uses.uses.iter().map(|one| (one.at, one)).collect();
    let mut reported = HashSet::default();
    states.visit(&open, |at, state| {
        let Some(one) = operations.get(&at).filter(|one| one.operation != MbarrierOperation::Init) else { return };
        let is_open = |init: &&&MbarrierUse| sites.get(&init.at).is_some_and(|site| state.contains(*site));
        let Some(init) = open_init(uses, &inits, one, is_open) else { return };
        // Lanes that the same condition chooses have initialised it themselves.
        if lanes.first_condition(at) == LaneCondition::Uniform && reported.insert(init.fixed()) {
            let message =
                "mbarrier is used by other threads than the one that initialises it, without a barrier between";
            diagnostics.push(report(
                uses,
                one,
                init,
                message,
                "add `bar.sync` between the initialisation and the first use",
            ));
        }
    });
}

/// The initialisation that no barrier follows yet of the mbarrier that an operation uses: with an unknown index, one of its variable's, if that is so of all.
fn open_init<'i, 'u>(
    uses: &MbarrierUses,
    inits: &'i [&'u MbarrierUse],
    one: &MbarrierUse,
    is_open: impl Fn(&&&'u MbarrierUse) -> bool,
) -> Option<&'i &'u MbarrierUse> {
    if one.fixed().is_some() {
        return inits.iter().find(|init| init.fixed() == one.fixed() && is_open(init));
    }
    let Root::Variable(variable) = one.address?.root else { return None };
    let of_variable = |init: &&&MbarrierUse| init.fixed().is_some_and(|(of, _)| of == variable);
    let all = uses.uses.iter().filter(|one| one.operation == MbarrierOperation::Init).count();
    // An initialisation at an unknown address may be of this mbarrier, too.
    let is_certain = all == inits.len() && inits.iter().filter(of_variable).all(|init| is_open(&init));
    inits.iter().find(of_variable).filter(|_| is_certain)
}

/// Checks arrivals at the mbarriers of other CTAs.
fn check_clusters(uses: &MbarrierUses, inits: &[&MbarrierUse], diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.dataflow.flow;
    let waits = |from: usize, to: usize| {
        let effects = uses.dataflow.effects_in(from..to).iter();
        { effects }.any(|(_, effect)| matches!(effect, MemoryEffect::ClusterWait(_) | MemoryEffect::Unknown))
    };
    let remote = uses.uses.iter().find(|one| {
        let root = one.address.map(|address| address.root);
        let Some(Root::Value(Definition { site: DefinitionSite::Instruction(at), .. })) = root else { return false };
        flow.mnemonic(at) == "mapa" && matches!(one.operation, MbarrierOperation::Arrive(_))
    });
    let Some(remote) = remote else { return };
    let first = inits.iter().find(|init| init.at < remote.at && !waits(0, remote.at));
    if let Some(init) = first {
        let message = "mbarrier of another CTA is used before all CTAs of the cluster have initialised theirs";
        let help = "add `barrier.cluster.arrive` and `barrier.cluster.wait` after the initialisation";
        diagnostics.push(report(uses, remote, init, message, help));
    }
}

fn report(uses: &MbarrierUses, one: &MbarrierUse, init: &MbarrierUse, message: &str, help: &str) -> Diagnostic {
    let flow = uses.dataflow.flow;
    Diagnostic::new(&MBARRIER_PROTOCOL, flow.instruction(one.at).opcode.range(), message)
        .help(help)
        .related(flow.instruction(init.at).range.clone(), "initialised here")
}

/// Whether other threads may learn at an instruction that the mbarrier is initialised.
fn meets(effect: &MemoryEffect) -> bool {
    match effect {
        MemoryEffect::Access(access) => matches!(access.order, Some(Sem::Acquire | Sem::AcqRel)),
        MemoryEffect::CtaBarrier
        | MemoryEffect::CtaArrive
        | MemoryEffect::WarpBarrier
        | MemoryEffect::WarpOperation
        | MemoryEffect::ClusterArrive(_)
        | MemoryEffect::ClusterWait(_)
        | MemoryEffect::Unknown => true,
        _ => false,
    }
}

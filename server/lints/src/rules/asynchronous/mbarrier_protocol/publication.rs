//! Mbarriers that other threads use before a barrier follows their initialization.

use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::{
    LaneChoice, LaneCondition, MbarrierOperation, MemoryEffect, OpenSites, SiteSet, ThreadSets, is_of_other_cta,
    may_be_alone,
};
use analysis::values::Root;
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;
use foldhash::HashMap;
use isa::types::Sem;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 50_000;

/// Checks every mbarrier that one thread initializes.
pub(in crate::rules::asynchronous::mbarrier_protocol) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
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
    let of_cta =
        OpenSites { effects: uses.effects, sites: &sites, settles: |_, effect: &MemoryEffect| meets_cta(effect) };
    let Some((states, open_in_warp)) = uses.effects.solve(&of_cta).zip(open_in_warp(uses, &sites)) else { return };
    let operations: HashMap<usize, &MbarrierUse> = uses.uses.iter().map(|one| (one.at, one)).collect();
    let threads = ThreadSets::new(flow);
    // One missing barrier is one report, whatever the number of mbarriers.
    let mut reported = SiteSet::default();
    let mut budget = STEP_BUDGET;
    states.visit(&of_cta, |at, state| {
        let Some(one) = operations.get(&at).filter(|one| one.operation != MbarrierOperation::Init) else { return };
        let open_of = |state: &SiteSet| {
            open_init(uses, &inits, one, |init| sites.get(&init.at).is_some_and(|site| state.contains(*site)))
        };
        let Some(init) = open_of(state).or_else(|| unseen_init(uses, &inits, one, &sites, &mut budget)) else { return };
        if sites.get(&init.at).is_some_and(|site| reported.contains(*site)) {
            return;
        }
        // Lanes that the same condition chooses have initialized it themselves.
        let is_of_all = open_in_warp.get(&at).is_some_and(|state| open_of(state).is_some())
            && lanes.first_condition(at) == LaneCondition::Uniform;
        let is_of_other_warps = || {
            let sets = threads.as_ref().and_then(|threads| threads.of(at).zip(threads.of(init.at)));
            sets.is_some_and(|(one, other)| one.is_in_other_warps(&other))
        };
        if is_of_all || is_of_other_warps() {
            reported.extend(state);
            if let Some(site) = sites.get(&init.at) {
                reported.insert(*site);
            }
            let message =
                "mbarrier is used by other threads than the one that initializes it, without a barrier between";
            let help = "add `bar.sync` between the initialization and the first use";
            diagnostics.push(report(uses, one, init, message, help));
        }
    });
}

/// The initializations that no barrier follows yet, not even one of the warp, by instruction.
///
/// What joins the lanes of a warp tells other warps nothing.
fn open_in_warp(uses: &MbarrierUses, sites: &HashMap<usize, usize>) -> Option<HashMap<usize, SiteSet>> {
    let function = uses.effects;
    let settles =
        |at: usize, effect: &MemoryEffect| meets_cta(effect) || meets_warp(effect, function.flow.mnemonic(at));
    let of_warp = OpenSites { effects: function, sites, settles };
    let mut open = HashMap::default();
    function.solve(&of_warp)?.visit(&of_warp, |at, state| {
        if !state.is_empty() {
            open.insert(at, *state);
        }
    });
    Some(open)
}

/// The initialization that no barrier follows yet of the mbarrier that an operation uses: with an unknown index, one of its variable's, if that is so of all.
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
    // An initialization at an unknown address may be of this mbarrier, too.
    let is_certain = all == inits.len() && inits.iter().filter(of_variable).all(|init| is_open(&init));
    inits.iter().find(of_variable).filter(|_| is_certain)
}

/// The initialization of the mbarrier of an operation that no barrier at all precedes: other threads initialize it on a path of their own.
fn unseen_init<'i, 'u>(
    uses: &MbarrierUses,
    inits: &'i [&'u MbarrierUse],
    one: &MbarrierUse,
    sites: &HashMap<usize, usize>,
    budget: &mut usize,
) -> Option<&'i &'u MbarrierUse> {
    let flow = uses.effects.flow;
    let mut same = inits.iter().filter(|init| one.fixed().is_some() && init.fixed() == one.fixed());
    let (init, None) = (same.next()?, same.next()) else { return None };
    let mut reaches = |from: usize| flow.find_reachable(from, budget, |at| at == one.at, |_| false).is_some();
    let is_late = sites.contains_key(&init.at) && !reaches(init.at);
    let mut meetings = uses.effects.effects().iter().filter(|(at, effect)| meets_cta(effect) && *at != one.at);
    let is_first = is_late && !meetings.any(|(at, _)| reaches(*at));
    (is_first && *budget > 0).then_some(init)
}

/// Checks arrivals at the mbarriers of other CTAs.
fn check_clusters(uses: &MbarrierUses, inits: &[&MbarrierUse], diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
    let waits = |from: usize, to: usize| {
        let effects = uses.effects.effects_in(from..to).iter();
        { effects }.any(|(_, effect)| matches!(effect, MemoryEffect::ClusterWait(_) | MemoryEffect::Unknown))
    };
    let remote = uses.uses.iter().find(|one| {
        let is_mapped = one.address.is_some_and(|address| is_of_other_cta(flow, &address));
        is_mapped && matches!(one.operation, MbarrierOperation::Arrive(_))
    });
    let Some(remote) = remote else { return };
    let first = inits.iter().find(|init| init.at < remote.at && !waits(0, remote.at));
    if let Some(init) = first.filter(|_| !may_be_alone(flow)) {
        let message = "mbarrier of another CTA is used before all CTAs of the cluster have initialized theirs";
        let help = "add `barrier.cluster.arrive` and `barrier.cluster.wait` after the initialization";
        diagnostics.push(report(uses, remote, init, message, help));
    }
}

fn report(uses: &MbarrierUses, one: &MbarrierUse, init: &MbarrierUse, message: &str, help: &str) -> Diagnostic {
    let flow = uses.effects.flow;
    Diagnostic::new(&MBARRIER_PROTOCOL, flow.instruction(one.at).opcode.range(), message)
        .help(help)
        .related(flow.instruction(init.at).range.clone(), "initialized here")
}

/// Whether threads of other warps may learn at an instruction that the mbarrier is initialized.
fn meets_cta(effect: &MemoryEffect) -> bool {
    match effect {
        MemoryEffect::Access(access) => matches!(access.order, Some(Sem::Acquire | Sem::AcqRel)),
        MemoryEffect::CtaBarrier
        | MemoryEffect::CtaArrive
        | MemoryEffect::ClusterArrive(_)
        | MemoryEffect::ClusterWait(_)
        | MemoryEffect::Mbarrier(MbarrierOperation::Test(..) | MbarrierOperation::Try(..), _)
        | MemoryEffect::Unknown => true,
        _ => false,
    }
}

/// Whether the lanes of a warp meet at an instruction. `elect.sync` begins a role; it waits for nothing that other lanes wrote.
fn meets_warp(effect: &MemoryEffect, mnemonic: &str) -> bool {
    match effect {
        MemoryEffect::WarpOperation => !matches!(mnemonic, "elect" | "activemask"),
        effect => *effect == MemoryEffect::WarpBarrier,
    }
}

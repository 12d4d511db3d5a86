//! Mbarriers that are used before they are initialized, after they are invalidated, or initialized twice.

use crate::rules::asynchronous::mbarrier_protocol::{MbarrierUse, MbarrierUses};
use analysis::effects::{ForwardAnalysis, LaneChoice, LaneCondition, MbarrierOperation, MemoryEffect, SiteSet};
use analysis::values::{PostDominators, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::MBARRIER_PROTOCOL;
use foldhash::{HashMap, HashSet};

/// The maximum number of instructions to visit between an invalidation and a use.
const STEP_BUDGET: usize = 20_000;

/// Checks every mbarrier at a constant offset in a variable of a kernel.
pub(in crate::rules::asynchronous::mbarrier_protocol) fn check(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let analysis = LifetimeAnalysis::new(uses);
    // A kernel that initializes none is an excerpt.
    if analysis.has_unknown_address || analysis.initialized.is_empty() {
        return;
    }
    check_phases(uses, diagnostics);
    let Some(states) = uses.effects.solve(&analysis) else { return };
    let mut reported = HashSet::default();
    states.visit(&analysis, |at, state| {
        let Some(one) = analysis.operations.get(&at).map(|place| &uses.uses[*place]) else { return };
        let Some(barrier) = analysis.barrier(one) else { return };
        if let Some((message, help)) = analysis.mistake(one, barrier, state)
            && reported.insert((barrier, message))
        {
            let range = uses.effects.flow.instruction(at).opcode.range();
            diagnostics.push(Diagnostic::new(&MBARRIER_PROTOCOL, range, message).help(help));
        }
    });
}

/// Checks mbarriers that one thread initializes and invalidates in parts of the kernel that barriers separate.
fn check_phases(uses: &MbarrierUses, diagnostics: &mut Vec<Diagnostic>) {
    let flow = uses.effects.flow;
    let kinds = [MbarrierOperation::Init, MbarrierOperation::Invalidate];
    let count = |operation: &MbarrierOperation| uses.uses.iter().filter(|one| one.operation == *operation).count();
    if count(&kinds[0]) < 2 && count(&kinds[1]) == 0 {
        return;
    }
    let Some((mut lanes, post_dominators)) = LaneChoice::new(flow).zip(PostDominators::new(flow)) else { return };
    let Some(blocks) = flow.blocks() else { return };
    let is_common = |at: usize| post_dominators.deciding(blocks.of(at)).next().is_none() && !flow.is_guarded(at);
    // Instructions that a barrier of all threads separates.
    let separated = |first: usize, second: usize| {
        let mut between = uses.effects.effects_in(first..second.max(first)).iter();
        between.any(|(at, effect)| *effect == MemoryEffect::CtaBarrier && is_common(*at))
    };
    // A use in all threads after the invalidation, also in the one that invalidates.
    let inits: HashSet<usize> =
        uses.uses.iter().filter(|one| one.operation == MbarrierOperation::Init).map(|one| one.at).collect();
    let mut budget = STEP_BUDGET;
    let mut follows = |lanes: &mut LaneChoice, first: usize, at: usize| {
        let [of_first, of_use] = [first, at].map(|at| blocks.of(at));
        if lanes.first_condition(at) != LaneCondition::Uniform || blocks.dominates(of_use, of_first) {
            return false;
        }
        // The next round of a loop around both initializes it again, though a branch around that seems to be a path without it.
        let begins_round = |block: usize| {
            ![of_first, of_use].contains(&block) && blocks.dominates(block, of_first) && blocks.dominates(block, of_use)
        };
        let ends = |at: usize| inits.contains(&at) || begins_round(blocks.of(at));
        flow.find_reachable(first, &mut budget, |next| next == at, ends).is_some() && budget > 0
    };
    let mut reported = HashSet::default();
    for first in uses.uses.iter().filter(|one| kinds.contains(&one.operation) && one.fixed().is_some()) {
        let same = |one: &&MbarrierUse| one.fixed() == first.fixed() && separated(first.at, one.at);
        let others =
            |operation| uses.uses.iter().filter(move |one| one.operation == operation && !one.is_distinct(first));
        let (mistake, message, help) = match first.operation {
            MbarrierOperation::Init if others(MbarrierOperation::Invalidate).next().is_none() => (
                others(MbarrierOperation::Init).find(same),
                "mbarrier is initialized again without `mbarrier.inval`",
                "initialize it once, or write `mbarrier.inval` before",
            ),
            MbarrierOperation::Invalidate if others(MbarrierOperation::Init).all(|init| init.at < first.at) => (
                uses.uses.iter().find(|one| {
                    let is_use = one.operation != MbarrierOperation::Invalidate;
                    let is_known = one.fixed().is_some() && !one.is_distinct(first);
                    is_use && (same(one) || is_known && follows(&mut lanes, first.at, one.at))
                }),
                "mbarrier is used after `mbarrier.inval`",
                "write `mbarrier.init` before, or `mbarrier.inval` later",
            ),
            _ => continue,
        };
        if let Some(mistake) = mistake
            && lanes.condition(first.at) == LaneCondition::Divergent
            && reported.insert(first.fixed())
        {
            let range = flow.instruction(mistake.at).opcode.range();
            diagnostics.push(Diagnostic::new(&MBARRIER_PROTOCOL, range, message).help(help));
        }
    }
}

/// The analysis: which mbarriers may be initialized, and which may not.
struct LifetimeAnalysis<'u, 'd, 'f, 'a> {
    uses: &'u MbarrierUses<'d, 'f, 'a>,
    /// The numbers of the mbarriers.
    barriers: HashMap<(usize, i64), usize>,
    /// The variables with an mbarrier that is initialized in the function.
    initialized: HashSet<usize>,
    /// The operations by their instructions.
    operations: HashMap<usize, usize>,
    /// Whether some mbarrier at an unknown address is initialized or invalidated.
    has_unknown_address: bool,
}

/// What may be true of each mbarrier.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LifetimeState {
    /// It may have been initialized.
    started: SiteSet,
    /// It may be usable: initialized or not, but not invalidated.
    usable: SiteSet,
    /// It may not be initialized.
    fresh: SiteSet,
}

impl<'u, 'd, 'f, 'a> LifetimeAnalysis<'u, 'd, 'f, 'a> {
    fn new(uses: &'u MbarrierUses<'d, 'f, 'a>) -> Self {
        let (mut barriers, mut initialized) = (HashMap::default(), HashSet::default());
        let mut has_unknown_address = false;
        let mut operations = HashMap::default();
        for (place, one) in uses.uses.iter().enumerate() {
            operations.entry(one.at).or_insert(place);
            if let Some(barrier) = one.fixed() {
                let number = barriers.len();
                barriers.entry(barrier).or_insert(number);
            }
            if matches!(one.operation, MbarrierOperation::Init | MbarrierOperation::Invalidate) {
                match one.address.map(|address| address.root) {
                    Some(Root::Variable(variable)) => _ = initialized.insert(variable),
                    _ => has_unknown_address = true,
                }
            }
        }
        LifetimeAnalysis { uses, barriers, initialized, operations, has_unknown_address }
    }

    fn barrier(&self, one: &MbarrierUse) -> Option<usize> {
        self.barriers.get(&one.fixed()?).copied()
    }

    /// The message and the help for an operation in a state. Threads with other roles may initialize and invalidate on other paths.
    fn mistake(
        &self,
        one: &MbarrierUse,
        barrier: usize,
        state: &LifetimeState,
    ) -> Option<(&'static str, &'static str)> {
        let (variable, _) = one.fixed()?;
        match one.operation {
            MbarrierOperation::Init
                if !state.fresh.contains(barrier) && !self.has_other(one, MbarrierOperation::Invalidate) =>
            {
                Some((
                    "mbarrier is initialized again without `mbarrier.inval`",
                    "initialize it once, or write `mbarrier.inval` before",
                ))
            }
            MbarrierOperation::Init => None,
            _ if !state.usable.contains(barrier) && self.all_inits(one, |init| self.dominates(init, one.at)) => Some((
                "mbarrier is used after `mbarrier.inval`",
                "write `mbarrier.init` before, or `mbarrier.inval` later",
            )),
            MbarrierOperation::Invalidate => None,
            _ if state.started.contains(barrier) => None,
            _ if !self.initialized.contains(&variable) => Some((
                "mbarrier is never initialized",
                "write `mbarrier.init` in one thread and a barrier before the first use",
            )),
            _ if self.all_inits(one, |init| self.dominates(one.at, init)) => Some((
                "mbarrier is used before it is initialized",
                "write `mbarrier.init` in one thread and a barrier before the first use",
            )),
            _ => None,
        }
    }

    /// Whether some operation of a kind may be on the same mbarrier.
    fn has_other(&self, one: &MbarrierUse, operation: MbarrierOperation) -> bool {
        self.uses.uses.iter().any(|other| other.operation == operation && !other.is_distinct(one))
    }

    /// Whether a condition holds for all initializations that may be of the same mbarrier.
    fn all_inits(&self, one: &MbarrierUse, condition: impl Fn(usize) -> bool) -> bool {
        let mut inits = self.uses.uses.iter().filter(|init| init.operation == MbarrierOperation::Init);
        inits.all(|init| init.is_distinct(one) || condition(init.at))
    }

    /// Whether every path to an instruction crosses another one.
    fn dominates(&self, above: usize, at: usize) -> bool {
        let flow = self.uses.effects.flow;
        flow.blocks().is_some_and(|blocks| match (blocks.of(above), blocks.of(at)) {
            (one, other) if one == other => above < at,
            (one, other) => blocks.dominates(one, other),
        })
    }
}

impl ForwardAnalysis for LifetimeAnalysis<'_, '_, '_, '_> {
    type State = LifetimeState;

    fn entry(&self) -> LifetimeState {
        let mut all = SiteSet::default();
        self.barriers.values().for_each(|barrier| all.insert(*barrier));
        LifetimeState { started: SiteSet::default(), usable: all, fresh: all }
    }

    fn join(&self, state: &mut LifetimeState, other: &LifetimeState) -> bool {
        let started = state.started.extend(&other.started);
        let usable = state.usable.extend(&other.usable);
        state.fresh.extend(&other.fresh) | usable | started
    }

    fn transfer(&self, at: usize, state: &mut LifetimeState) {
        let Some(one) = self.operations.get(&at).map(|place| &self.uses.uses[*place]) else { return };
        let is_certain = !self.uses.effects.flow.is_guarded(at);
        let barrier = self.barrier(one);
        let Some(Root::Variable(variable)) = one.address.map(|address| address.root) else { return };
        // An index that is not known may be that of any mbarrier of the variable.
        let affected = self.barriers.iter().filter(|((of, _), number)| match barrier {
            Some(barrier) => **number == barrier,
            None => *of == variable,
        });
        for (_, number) in affected {
            match one.operation {
                MbarrierOperation::Init => {
                    state.started.insert(*number);
                    state.usable.insert(*number);
                    if is_certain && barrier.is_some() {
                        state.fresh.retain(|fresh| fresh != *number);
                    }
                }
                MbarrierOperation::Invalidate => {
                    state.fresh.insert(*number);
                    if is_certain && barrier.is_some() {
                        state.usable.retain(|usable| usable != *number);
                    }
                }
                _ => {}
            }
        }
    }
}

//! Whether the locks and flags of a function order the accesses of two threads.

use crate::rules::order::racing_access::{DataAccess, SectionState, Sections};
use analysis::effects::{FunctionEffects, SiteSet};
use analysis::values::{Provenance, Root, ThreadRole, ThreadRoles};
use std::cell::Cell;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 50_000;

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules::order::racing_access) enum Race {
    /// The other thread holds a lock.
    Unlocked,
    /// The threads hold different locks.
    OtherLock,
    /// The thread has set a flag that the other one has waited for.
    AfterSignal,
    /// The thread waits later for a flag that the other one sets after its access.
    BeforeWait,
}

/// Finds the accesses that race.
pub(in crate::rules::order::racing_access) struct RaceFinder<'s, 'd, 'f, 'a> {
    pub effects: &'d FunctionEffects<'f, 'a>,
    sections: &'s Sections<'d, 'f, 'a>,
    roles: &'s ThreadRoles<'f, 'a>,
    /// The instructions that set the flag of each wait, with their threads.
    signals: Vec<Vec<(usize, ThreadRole)>>,
    budget: Cell<usize>,
}

impl<'s, 'd, 'f, 'a> RaceFinder<'s, 'd, 'f, 'a> {
    pub fn new(
        effects: &'d FunctionEffects<'f, 'a>,
        sections: &'s Sections<'d, 'f, 'a>,
        roles: &'s ThreadRoles<'f, 'a>,
    ) -> Self {
        let mut signals = vec![Vec::new(); sections.waits.len()];
        for (at, _) in effects.accesses() {
            sections.signalled(at).for_each(|wait| signals[wait].push((at, roles.of(at))));
        }
        RaceFinder { effects, sections, roles, signals, budget: Cell::new(STEP_BUDGET) }
    }

    /// An access with what its own threads may have done before: a path through the code of other threads is none of theirs.
    pub fn access(&self, (at, address, is_write): (usize, Provenance, bool), state: &SectionState) -> DataAccess {
        let role = self.roles.of(at);
        let is_own = |at: usize| !self.roles.of(at).excludes(&role);
        let kept = |mut set: SiteSet, keep: &dyn Fn(usize) -> bool| {
            set.retain(keep);
            set
        };
        let is_signalled = |flag: usize| self.signals[flag].iter().any(|(_, signal)| !signal.excludes(&role));
        let state = SectionState {
            held: kept(state.held, &|lock| is_own(self.sections.locks[lock].0.at)),
            waited: kept(state.waited, &|flag| is_own(self.sections.waits[flag].at)),
            signalled: kept(state.signalled, &is_signalled),
            read: kept(state.read, &|read| is_own(self.sections.reads[read])),
            acquired: kept(state.acquired, &|read| is_own(self.sections.reads[read])),
        };
        DataAccess { at, address, is_write, role, state }
    }

    /// Why an access races with one of another thread; `None` if something may order them.
    pub fn between(&self, access: &DataAccess, other: &DataAccess) -> Option<Race> {
        let conflicts = (access.is_write || other.is_write) && access.address.same(&other.address);
        let is_plain = access.state.acquired.is_empty() && other.state.acquired.is_empty();
        if !conflicts || !is_plain || !access.role.excludes(&other.role) {
            return None;
        }
        let race = self.reason(access, other)?;
        let is_ordered = self.may_precede(access, other) || self.may_precede(other, access);
        (!is_ordered && self.budget.get() > 0).then_some(race)
    }

    fn reason(&self, access: &DataAccess, other: &DataAccess) -> Option<Race> {
        let (held, of_other) = (access.state.held, other.state.held);
        let address = |lock: usize| &self.sections.locks[lock].1;
        let is_fixed = |lock: usize| {
            matches!(address(lock).root, Root::Variable(_) | Root::Parameter(..)) && address(lock).offset().is_some()
        };
        match (held.is_empty(), of_other.is_empty()) {
            (true, false) => return Some(Race::Unlocked),
            (false, true) => return None,
            (false, false) => {
                let differs = |lock: usize| of_other.iter().all(|other| !address(lock).same(address(other)));
                let is_known = held.iter().chain(of_other.iter()).all(is_fixed);
                return (is_known && held.iter().all(differs)).then_some(Race::OtherLock);
            }
            (true, true) => {}
        }
        if access.state.signalled.iter().any(|flag| other.state.waited.contains(flag)) {
            return Some(Race::AfterSignal);
        }
        let is_awaited = |flag: &usize| {
            let wait = self.sections.waits[*flag].at;
            self.reaches(access, |at| at == wait) && self.sets_later(other, *flag)
        };
        (0..self.sections.waits.len()).find(is_awaited).map(|_| Race::BeforeWait)
    }

    /// Whether a flag may order an access before another one: its thread, or a third one, sets it later, and the other thread has waited for it.
    fn may_precede(&self, first: &DataAccess, second: &DataAccess) -> bool {
        let is_by_third = |(_, signal): &(usize, ThreadRole)| *signal != second.role && signal.excludes(&first.role);
        let orders = |flag: usize| {
            let signals = &self.signals[flag];
            signals.is_empty() || self.sets_later(first, flag) || signals.iter().any(is_by_third)
        };
        second.state.waited.iter().any(orders)
    }

    /// Whether the thread of an access may set a flag after it.
    fn sets_later(&self, access: &DataAccess, flag: usize) -> bool {
        self.reaches(access, |at| self.signals[flag].iter().any(|(signal, _)| *signal == at))
    }

    /// Whether the thread of an access may execute a wanted instruction after it.
    fn reaches(&self, access: &DataAccess, wanted: impl Fn(usize) -> bool) -> bool {
        let is_own = |at: usize| !self.roles.of(at).excludes(&access.role);
        let mut budget = self.budget.get();
        let found = self.effects.flow.find_reachable(access.at, &mut budget, |at| wanted(at) && is_own(at), |_| false);
        self.budget.set(budget);
        found.is_some()
    }
}

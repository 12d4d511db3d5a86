//! The search for all outcomes that the axioms allow.
//!
//! Reads are decided one after the other; whatever breaks an axiom already is left. Threads go on as soon as the jump that they wait for
//! is decided. A read may be put off to a write that is not there yet, so nothing is missed; what nobody can be the first to decide would
//! come out of thin air. Must not know text.

use crate::Bits;
use crate::barrier::meetings;
use crate::coherence::Memory;
use crate::light::{Light, NONE};
use crate::memo::Memo;
use crate::outcomes::{Found, Outcomes};
use crate::program::{Observable, Program};
use crate::relation::{MOST, members};
use crate::run::{Run, Stop};
use crate::skeleton::Skeleton;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How far is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How many decisions are tried.
    pub steps: u64,
    /// How often a thread may jump back. Laps of a loop that only wait cost nothing of it.
    pub laps: u32,
    /// How many outcomes are kept.
    pub outcomes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { steps: 20_000_000, laps: 8, outcomes: 1 << 20 }
    }
}

/// All outcomes of a program: the values of what is observed.
pub fn explore<'a>(program: &'a Program, observed: &[Observable], budget: Budget) -> Outcomes<'a> {
    explore_unless(program, observed, budget, &|| false)
}

/// All outcomes of a program, or those that were found until somebody cancels.
pub fn explore_unless<'a>(
    program: &'a Program,
    observed: &[Observable],
    budget: Budget,
    cancelled: &dyn Fn() -> bool,
) -> Outcomes<'a> {
    let watched = |location: usize| {
        let is = |observable: &Observable| matches!(observable, Observable::Location(at) if program.physical(*at) == location);
        observed.iter().any(is)
    };
    let mut explorer = Explorer {
        observed,
        watched: (0..program.locations.len()).map(watched).collect(),
        cancelled,
        budget,
        steps: 0,
        found: Found::new(observed.len()),
        outcome: Vec::with_capacity(observed.len()),
        complete: true,
        not_modelled: BTreeSet::new(),
    };
    // Each location begins with an event of its own, and there must be room for others.
    if program.locations.len() > MOST / 2 {
        explorer.not_modelled.insert(format!("{} locations are more than {}", program.locations.len(), MOST / 2));
    } else {
        explorer.go_on(Run::new(program, budget.laps), &[], &Light::empty());
    }
    let Explorer { complete, not_modelled, found, .. } = explorer;
    Outcomes::new(observed, complete, not_modelled, found)
}

pub(crate) struct Explorer<'o, 'a> {
    pub observed: &'o [Observable],
    /// Per location without alias: whether its last value is observed.
    pub watched: Vec<bool>,
    cancelled: &'o dyn Fn() -> bool,
    budget: Budget,
    steps: u64,
    pub found: Found<'a>,
    /// Room for an outcome.
    pub outcome: Vec<Bits>,
    complete: bool,
    not_modelled: BTreeSet<String>,
}

impl<'a> Explorer<'_, 'a> {
    /// Lets the threads of a run go on and decides the rest of each of its continuations.
    fn go_on(&mut self, run: Run<'a>, values: &[Option<Bits>], light: &Light) {
        let mut runs = Vec::new();
        for stop in run.advance(values, &mut runs) {
            match stop {
                Stop::Idle => {}
                Stop::TooLong => self.complete = false,
                Stop::NotModelled(what) => {
                    self.not_modelled.insert(what);
                }
            }
        }
        for run in runs {
            let ways = if run.done() { meetings(&run, &run.constants()) } else { None };
            for way in ways.unwrap_or_else(|| vec![Vec::new()]) {
                let skeleton = Arc::new(Skeleton::new(run.clone(), &way));
                let mut next = Light::resume(&skeleton, light.from.clone(), light.later.clone());
                let mut memo = Memo::default();
                next.force(&skeleton, None);
                if next.follow(&skeleton, &mut Vec::new()) && holds_everywhere(&skeleton, &mut memo, &next) {
                    self.decide(&skeleton, &mut memo, &mut next);
                }
            }
        }
    }

    pub(crate) fn spent(&mut self) -> bool {
        self.steps += 1;
        if self.steps.is_multiple_of(64) && (self.cancelled)() {
            self.budget.steps = 0;
        }
        if self.steps > self.budget.steps || self.found.rows.count() > self.budget.outcomes {
            self.complete = false;
            return true;
        }
        false
    }

    fn decide(&mut self, skeleton: &Arc<Skeleton<'a>>, memo: &mut Memo, light: &mut Light) {
        if self.spent() {
            return;
        }
        if skeleton.more_to_come && skeleton.run.can_go_on(&light.values) {
            return self.go_on(skeleton.run.clone(), &light.values, light);
        }
        let Some(read) = self.next_read(skeleton, light) else {
            if light.decided == skeleton.reads && skeleton.run.done() {
                self.finish(skeleton, memo, light);
            }
            return;
        };
        if self.nothing_new(skeleton, memo, light) {
            return;
        }
        let events = &skeleton.run.events;
        let location = events[read].physical;
        let mut trail = Vec::new();
        for write in members(skeleton.memory[location] & skeleton.writes & !taken(skeleton, light, read)) {
            let too_late = skeleton.po[read] >> write & 1 == 1 && skeleton.ms[read] >> write & 1 == 1;
            let too_early = light.later[read] > 0 && events[write].born <= light.later[read];
            if too_late || too_early || light.depends(skeleton, write, read) {
                continue;
            }
            light.decide(read, write);
            if light.follow_read(skeleton, read, &mut trail) {
                let saved = skeleton.orders_by_reading.then(|| light.base.clone());
                let more = skeleton.orders_by_reading && light.order(skeleton, read);
                let holds = if more {
                    holds_everywhere(skeleton, memo, light)
                } else {
                    holds_at(skeleton, memo, light, location)
                };
                if holds {
                    self.decide(skeleton, memo, light);
                }
                if more && let Some(saved) = saved {
                    light.base = saved;
                }
            }
            light.take_back(read, &mut trail);
        }
        if skeleton.more_to_come && light.later[read] < skeleton.run.generation {
            let before = std::mem::replace(&mut light.later[read], skeleton.run.generation);
            self.decide(skeleton, memo, light);
            light.later[read] = before;
        }
    }

    /// The read that is decided next: one that a waiting thread needs, or what is observed; else the first that is open.
    fn next_read(&self, skeleton: &Skeleton, light: &Light) -> Option<usize> {
        let run = &skeleton.run;
        let may = |read: &usize| light.later[*read] < run.generation || light.later[*read] == 0;
        let mut open = skeleton.placed & !light.decided;
        if skeleton.more_to_come {
            open = members(open).filter(may).fold(0, |all, read| all | 1 << read);
        }
        let waits =
            run.standing.iter().filter_map(|standing| standing.waits).fold(0, |all, node| all | run.needs[node]);
        let told = self.observed.iter().fold(0, |all, observable| match observable {
            Observable::Register(thread, register) => all | run.needs[run.standing[*thread].registers[*register]],
            Observable::Location(_) => all,
        });
        let wanted = light.sources(skeleton, if waits == 0 { told } else { waits });
        members(open & wanted).next().or_else(|| members(open).next())
    }
}

/// The writes that an atomic cannot read because another one has: whichever came first would be between the other's halves.
fn taken(skeleton: &Skeleton, light: &Light, read: usize) -> u128 {
    let events = &skeleton.run.events;
    let Some(own) = events[read].partner else { return 0 };
    let strong = |a: usize, b: usize| skeleton.ms[a] >> b & 1 == 1;
    let mut taken = 0;
    for other in members(skeleton.memory[events[read].physical] & skeleton.reads) {
        let write = usize::from(light.from[other]);
        let Some(theirs) = events[other].partner.filter(|_| other != read && light.from[other] != NONE) else {
            continue;
        };
        let ordered = events[write].thread.is_none() || [read, own, other, theirs].iter().all(|at| strong(write, *at));
        if ordered && strong(read, theirs) && strong(own, theirs) && strong(other, own) {
            taken |= 1 << write;
        }
    }
    taken
}

fn holds_at(skeleton: &Skeleton, memo: &mut Memo, light: &Light, location: usize) -> bool {
    !memo.contradicts(&Memory { skeleton, base: &light.base, from: &light.from, location })
}

fn holds_everywhere(skeleton: &Skeleton, memo: &mut Memo, light: &Light) -> bool {
    skeleton.locations.iter().all(|location| holds_at(skeleton, memo, light, *location))
}

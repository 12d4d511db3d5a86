//! All outcomes that the axioms allow, each with an execution that shows it.
//!
//! Reads are decided one after the other; whatever breaks an axiom already is left. Threads go on as soon as the jump that they wait for
//! is decided. A read may be put off to a write that is not there yet, so nothing is missed; what nobody can be the first to decide would
//! come out of thin air. Must not know text.

use super::Bits;
use super::barrier::{Meetings, meetings};
use super::coherence::{Memory, Scratch};
use super::execution::Execution;
use super::light::{Light, NONE};
use super::memo::{Memo, Quick};
use super::program::{Observable, Program};
use super::relation::{MOST, add_transitive, members};
use super::run::{Run, Stop};
use super::skeleton::Skeleton;
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

/// What an execution is rebuilt from.
#[derive(Clone, Debug)]
pub(super) struct Seed<'a> {
    pub skeleton: Arc<Skeleton<'a>>,
    pub from: Box<[u8]>,
    pub fences: Meetings,
    pub meetings: Meetings,
}

/// The outcomes of a program.
#[derive(Debug)]
pub struct Outcomes<'a> {
    /// What each outcome tells, in this order.
    pub observed: Vec<Observable>,
    /// Whether these are all; if not, some may be missing.
    pub complete: bool,
    /// What the model does not speak of, in sentences for people; where there is one, the outcomes mean nothing.
    pub not_modelled: BTreeSet<String>,
    found: Vec<(Vec<Bits>, usize)>,
    seeds: Vec<Seed<'a>>,
}

impl Outcomes<'_> {
    /// Every outcome once, ordered.
    pub fn all(&self) -> impl Iterator<Item = &[Bits]> {
        self.found.iter().map(|(outcome, _)| &outcome[..])
    }

    /// Every outcome once, ordered, without the executions that show them.
    pub fn into_all(self) -> impl Iterator<Item = Vec<Bits>> {
        self.found.into_iter().map(|(outcome, _)| outcome)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// An execution with the outcome of an index.
    pub fn witness(&self, index: usize) -> Option<Execution> {
        let (outcome, seed) = self.found.get(index)?;
        let seed = self.seeds.get(*seed)?;
        let skeleton = &seed.skeleton;
        let mut light = Light::resume(skeleton, seed.from.to_vec(), Vec::new());
        seed.meetings.iter().chain(&seed.fences).for_each(|(a, b)| {
            add_transitive(&mut light.base, *a, *b);
        });
        let orders = self.orders(outcome, skeleton, &light, &light.base)?;
        Some(Execution::new(skeleton, &light, &seed.meetings, &seed.fences, orders))
    }

    /// An order of writes for each location whose last value is the outcome's.
    fn orders(&self, outcome: &[Bits], skeleton: &Skeleton, light: &Light, base: &[u128]) -> Option<Vec<u128>> {
        let mut scratch = Scratch::default();
        let mut all = vec![0u128; skeleton.run.events.len()];
        for location in 0..skeleton.memory.len() {
            if skeleton.memory[location] == 0 {
                continue;
            }
            let told = self.observed.iter().zip(outcome).find_map(|(observable, value)| match observable {
                Observable::Location(at) if skeleton.run.program.physical(*at) == location => Some(*value),
                _ => None,
            });
            let memory = Memory { skeleton, base, from: &light.from, location };
            let writes = skeleton.memory[location] & skeleton.writes;
            let mut found = None;
            memory.solve(&mut scratch, &mut |order| {
                let mut last = members(writes).filter(|at| order[*at] == 0);
                let fits = told.is_none_or(|value| last.any(|at| light.value(skeleton, at) == Some(value)));
                if fits {
                    found = Some(order.clone());
                }
                fits
            });
            all.iter_mut().zip(found?).for_each(|(row, more)| *row |= more);
        }
        Some(all)
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
    let mut explorer = Explorer {
        observed,
        cancelled,
        budget,
        steps: 0,
        found: Quick::default(),
        seeds: Vec::new(),
        complete: true,
        not_modelled: BTreeSet::new(),
    };
    // Each location begins with an event of its own, and there must be room for others.
    if program.locations.len() > MOST / 2 {
        explorer.not_modelled.insert(format!("{} locations are more than {}", program.locations.len(), MOST / 2));
    } else {
        explorer.go_on(Run::new(program, budget.laps), &[], &Light::empty());
    }
    let mut found: Vec<_> = explorer.found.into_iter().collect();
    found.sort_unstable();
    let Explorer { complete, not_modelled, seeds, .. } = explorer;
    Outcomes { observed: observed.to_vec(), complete, not_modelled, found, seeds }
}

pub(super) struct Explorer<'o, 'a> {
    pub observed: &'o [Observable],
    cancelled: &'o dyn Fn() -> bool,
    budget: Budget,
    steps: u64,
    /// Each outcome with the index of its seed.
    pub found: Quick<Vec<Bits>, usize>,
    pub seeds: Vec<Seed<'a>>,
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
            let ways = if run.done() { meetings(&run, &constants(&run)) } else { None };
            for way in ways.unwrap_or_else(|| vec![Vec::new()]) {
                let skeleton = Arc::new(Skeleton::new(run.clone(), &way));
                let mut next = Light::resume(&skeleton, light.from.clone(), light.later.clone());
                let mut memo = Memo::default();
                if next.follow(&skeleton, &mut Vec::new()) && holds_everywhere(&skeleton, &mut memo, &next) {
                    self.decide(&skeleton, &mut memo, &mut next);
                }
            }
        }
    }

    pub(super) fn spent(&mut self) -> bool {
        self.steps += 1;
        if self.steps.is_multiple_of(64) && (self.cancelled)() {
            self.budget.steps = 0;
        }
        if self.steps > self.budget.steps || self.found.len() > self.budget.outcomes {
            self.complete = false;
            return true;
        }
        false
    }

    fn decide(&mut self, skeleton: &Arc<Skeleton<'a>>, memo: &mut Memo, light: &mut Light) {
        if self.spent() {
            return;
        }
        if skeleton.run.can_go_on(&light.values) {
            return self.go_on(skeleton.run.clone(), &light.values, light);
        }
        let Some(read) = self.next_read(skeleton, light) else {
            let undecided = members(skeleton.reads).any(|read| light.from[read] == NONE);
            if !undecided && skeleton.run.done() {
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
            light.from[read] = write as u8;
            if light.follow_read(skeleton, read, &mut trail) {
                let saved = skeleton.orders_by_reading.then(|| light.base.clone());
                let more = saved.is_some() && light.synchronise(skeleton) | light.force(skeleton);
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
            trail.drain(..).for_each(|node| light.values[node] = None);
            light.from[read] = NONE;
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
        let mut open = 0u128;
        for read in members(skeleton.reads) {
            let known = run.events[read].location.is_some();
            let may = light.later[read] < run.generation || light.later[read] == 0;
            if light.from[read] == NONE && known && may {
                open |= 1 << read;
            }
        }
        let waits =
            run.standing.iter().filter_map(|standing| standing.waits).fold(0, |all, node| all | run.needs[node]);
        let told = self.observed.iter().fold(0, |all, observable| match observable {
            Observable::Register(thread, register) => all | run.needs[run.standing[*thread].registers[*register]],
            Observable::Location(_) => all,
        });
        let wanted = if waits == 0 { told } else { waits };
        let (mut seen, mut todo) = (0u128, wanted);
        while todo != 0 {
            let at = todo.trailing_zeros() as usize;
            seen |= 1 << at;
            todo |= run.events[at].needs;
            if light.from[at] != NONE {
                todo |= run.events[usize::from(light.from[at])].needs;
            }
            todo &= !seen;
        }
        members(open & seen).next().or_else(|| members(open).next())
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
    let locations = (0..skeleton.memory.len()).filter(|at| skeleton.memory[*at] != 0);
    locations.into_iter().all(|location| holds_at(skeleton, memo, light, location))
}

pub(super) fn constants(run: &Run) -> Vec<Option<Bits>> {
    let mut values = Vec::with_capacity(run.nodes.len());
    for node in &run.nodes {
        let value = node.value(|at: usize| values.get(at).copied().flatten());
        values.push(value);
    }
    values
}

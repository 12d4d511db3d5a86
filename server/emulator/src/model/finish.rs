//! The end of a search branch: every read is decided, and what is left are barriers that depended on values, the order of fences, and which
//! writes are the last.
//!
//! Must not know how reads are decided.

use super::Bits;
use super::barrier::{Meetings, meetings};
use super::coherence::Memory;
use super::explore::{Explorer, Seed, constants};
use super::light::Light;
use super::memo::Memo;
use super::program::Observable;
use super::relation::{add_transitive, members};
use super::skeleton::Skeleton;
use std::collections::BTreeSet;
use std::sync::Arc;

impl<'a> Explorer<'_, 'a> {
    /// Keeps every outcome that these reads allow.
    pub(super) fn finish(&mut self, skeleton: &Arc<Skeleton<'a>>, memo: &mut Memo, light: &Light) {
        let run = &skeleton.run;
        let late = !run.barriers.is_empty() && meetings(run, &constants(run)).is_none();
        let ways = if late { meetings(run, &light.values) } else { None };
        for way in ways.unwrap_or_else(|| vec![Vec::new()]) {
            if way.is_empty() && skeleton.sc.is_empty() {
                self.keep(skeleton, memo, light, &way, None);
                continue;
            }
            let mut light = light.clone();
            way.iter().for_each(|(a, b)| {
                add_transitive(&mut light.base, *a, *b);
            });
            if !way.is_empty() {
                light.force(skeleton);
            }
            let Some(last) = self.last(skeleton, memo, &light) else { continue };
            // More order of fences leaves fewer outcomes, so these are all that can come of it.
            let mut missing: BTreeSet<_> = self.outcomes(skeleton, &light, &last).into_iter().collect();
            missing.retain(|outcome| !self.found.contains_key(outcome));
            if missing.is_empty() || skeleton.sc.iter().any(|(a, b)| light.cyclic(*a, *b)) {
                continue;
            }
            // Most often, any order of the fences does that goes with what is known; where not, all are tried.
            let saved = light.base.clone();
            light.line_up(skeleton);
            self.keep(skeleton, memo, &light, &way, Some(&mut missing));
            light.base = saved;
            self.fences(skeleton, memo, &mut light, &way, &mut missing);
        }
    }

    /// Whether nothing can come of these decisions that is not found already: what is observed is known, whatever the other reads read.
    pub(super) fn nothing_new(&self, skeleton: &Skeleton, memo: &mut Memo, light: &Light) -> bool {
        let known = |observable: &Observable| match observable {
            Observable::Register(thread, register) => {
                light.values[skeleton.run.standing[*thread].registers[*register]].is_some()
            }
            Observable::Location(at) => {
                let memory = skeleton.memory[skeleton.run.program.physical(*at)];
                members(memory & skeleton.writes).all(|write| light.value(skeleton, write).is_some())
            }
        };
        if skeleton.more_to_come || self.found.is_empty() || !self.observed.iter().all(known) {
            return false;
        }
        // The fewer reads are decided, the more writes can be the last.
        let Some(last) = self.last(skeleton, memo, light) else { return true };
        let ways = last.iter().map(|(_, writes)| writes.count_ones()).try_fold(1u32, |all, one| all.checked_mul(one));
        ways.is_some_and(|ways| ways <= 64)
            && self.outcomes(skeleton, light, &last).iter().all(|outcome| self.found.contains_key(outcome))
    }

    /// Keeps the outcomes that the order of fences allows, those that are missing or not found yet.
    fn keep(
        &mut self,
        skeleton: &Arc<Skeleton<'a>>,
        memo: &mut Memo,
        light: &Light,
        way: &Meetings,
        mut missing: Option<&mut BTreeSet<Vec<Bits>>>,
    ) {
        let Some(last) = self.last(skeleton, memo, light) else { return };
        let ordered = |(a, b): &(usize, usize)| if light.base[*a] >> b & 1 == 1 { (*a, *b) } else { (*b, *a) };
        for outcome in self.outcomes(skeleton, light, &last) {
            let new = match &mut missing {
                Some(missing) => missing.remove(&outcome),
                None => !self.found.contains_key(&outcome),
            };
            if new {
                let fences = skeleton.sc.iter().map(ordered).collect();
                let from = light.from.clone().into_boxed_slice();
                let meetings = [&skeleton.meetings[..], way].concat();
                let seed = Seed { skeleton: skeleton.clone(), from, fences, meetings };
                self.found.insert(outcome, self.seeds.len());
                self.seeds.push(seed);
            }
        }
    }

    /// Orders the fences that must be ordered, in every way, until no outcome is missing.
    fn fences(
        &mut self,
        skeleton: &Arc<Skeleton<'a>>,
        memo: &mut Memo,
        light: &mut Light,
        way: &Meetings,
        missing: &mut BTreeSet<Vec<Bits>>,
    ) {
        if missing.is_empty() || skeleton.sc.iter().any(|(a, b)| light.cyclic(*a, *b)) {
            return;
        }
        let related = |a: usize, b: usize| light.base[a] >> b & 1 == 1 || light.base[b] >> a & 1 == 1;
        let Some(&(a, b)) = skeleton.sc.iter().find(|(a, b)| !related(*a, *b)) else {
            return self.keep(skeleton, memo, light, way, Some(missing));
        };
        if self.spent() {
            return;
        }
        for (a, b) in [(a, b), (b, a)] {
            let saved = light.base.clone();
            add_transitive(&mut light.base, a, b);
            light.force(skeleton);
            // What these orders cannot have any more need not be looked for behind them.
            if self.last(skeleton, memo, light).is_some() {
                self.fences(skeleton, memo, light, way, missing);
            }
            light.base = saved;
        }
    }

    /// The writes that can be the last of each location that is observed; `None` if those of some location cannot be ordered.
    fn last(&self, skeleton: &Skeleton, memo: &mut Memo, light: &Light) -> Option<Vec<(usize, u128)>> {
        let mut last = Vec::new();
        for location in (0..skeleton.memory.len()).filter(|at| skeleton.memory[*at] != 0) {
            let memory = Memory { skeleton, base: &light.base, from: &light.from, location };
            let physical = |at: usize| skeleton.run.program.physical(at) == location;
            let is = |observable: &Observable| matches!(observable, Observable::Location(at) if physical(*at));
            if self.observed.iter().any(is) {
                match memo.last(&memory) {
                    0 => return None,
                    writes => last.push((location, writes)),
                }
            } else {
                memo.possible(&memory).then_some(())?;
            }
        }
        Some(last)
    }

    /// The values of what is observed, for every combination of last writes.
    fn outcomes(&self, skeleton: &Skeleton, light: &Light, last: &[(usize, u128)]) -> Vec<Vec<Bits>> {
        let values = |writes: u128| {
            let mut values: Vec<_> = members(writes).filter_map(|at| light.value(skeleton, at)).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let last: Vec<(usize, Vec<Bits>)> =
            last.iter().map(|(location, writes)| (*location, values(*writes))).collect();
        let mut all = Vec::new();
        let mut picks = vec![0usize; last.len()];
        loop {
            let outcome = self.observed.iter().map(|observable| match observable {
                Observable::Register(thread, register) => {
                    light.values[skeleton.run.standing[*thread].registers[*register]].unwrap_or_default()
                }
                Observable::Location(at) => {
                    let physical = skeleton.run.program.physical(*at);
                    let place = last.iter().position(|(location, _)| *location == physical);
                    place.and_then(|place| last[place].1.get(picks[place]).copied()).unwrap_or_default()
                }
            });
            all.push(outcome.collect());
            let Some(at) = (0..last.len()).find(|at| picks[*at] + 1 < last[*at].1.len()) else { return all };
            picks[at] += 1;
            picks[..at].fill(0);
        }
    }
}

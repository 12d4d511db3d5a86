//! The end of a search branch: every read is decided, and what is left are barriers that depended on values, the order of fences, and which
//! writes are the last.
//!
//! Must not know how reads are decided.

use crate::Bits;
use crate::barrier::{Meetings, meetings};
use crate::coherence::Memory;
use crate::explore::Explorer;
use crate::light::Light;
use crate::memo::Memo;
use crate::outcomes::Found;
use crate::program::Observable;
use crate::relation::{add_transitive, members};
use crate::skeleton::Skeleton;
use std::sync::Arc;

/// The locations that are observed, each with the writes that can be the last there.
type Last = Vec<(usize, u128)>;

impl<'a> Explorer<'_, 'a> {
    /// Keeps every outcome that these reads allow. Causality is afterwards what it was.
    pub(crate) fn finish(&mut self, skeleton: &Arc<Skeleton<'a>>, memo: &mut Memo, light: &mut Light) {
        let run = &skeleton.run;
        let late = !run.barriers.is_empty() && meetings(run, &run.constants()).is_none();
        let ways = if late { meetings(run, &light.values) } else { None };
        for way in ways.unwrap_or_else(|| vec![Meetings::new()]) {
            let way = Arc::new(way);
            if way.is_empty() && skeleton.sc.is_empty() {
                self.keep(skeleton, memo, light, &way);
                continue;
            }
            if way.is_empty() {
                self.order_fences(skeleton, memo, light, &way);
                continue;
            }
            let saved = light.base.clone();
            way.iter().for_each(|(a, b)| {
                add_transitive(&mut light.base, *a, *b);
            });
            light.force(skeleton, None);
            self.order_fences(skeleton, memo, light, &way);
            light.base = saved;
        }
    }

    /// Keeps what the orders of `fence.sc` allow that go with what is known.
    fn order_fences(&mut self, skeleton: &Arc<Skeleton<'a>>, memo: &mut Memo, light: &mut Light, way: &Arc<Meetings>) {
        let Some(last) = self.last(skeleton, memo, light) else { return };
        // More order of fences leaves fewer outcomes, so these are all that can come of it.
        let mut missing = 0;
        self.each(skeleton, light, &last, |found, outcome| {
            missing += usize::from(!found.rows.has(outcome));
            true
        });
        if missing == 0 || skeleton.sc.iter().any(|(a, b)| light.cyclic(*a, *b)) {
            return;
        }
        // Most often, any order of the fences does that goes with what is known; where not, all are tried.
        let saved = light.base.clone();
        light.line_up(skeleton);
        missing -= self.keep(skeleton, memo, light, way);
        light.base = saved;
        self.fences(skeleton, memo, light, way, &mut missing);
    }

    /// Whether nothing can come of these decisions that is not found already: what is observed is known, whatever the other reads read.
    pub(crate) fn nothing_new(&mut self, skeleton: &Skeleton, memo: &mut Memo, light: &Light) -> bool {
        let known = |observable: &Observable| match observable {
            Observable::Register(thread, register) => {
                light.values[skeleton.run.standing[*thread].registers[*register]].is_some()
            }
            Observable::Location(at) => {
                let memory = skeleton.memory[skeleton.run.program.physical(*at)];
                members(memory & skeleton.writes).all(|write| light.value(skeleton, write).is_some())
            }
        };
        if skeleton.more_to_come || self.found.rows.count() == 0 || !self.observed.iter().all(known) {
            return false;
        }
        // The fewer reads are decided, the more writes can be the last.
        let Some(last) = self.last(skeleton, memo, light) else { return true };
        let ways = last.iter().map(|(_, writes)| writes.count_ones()).try_fold(1u32, |all, one| all.checked_mul(one));
        ways.is_some_and(|ways| ways <= 64)
            && self.each(skeleton, light, &last, |found, outcome| found.rows.has(outcome))
    }

    /// Keeps the outcomes that the order of fences allows; says how many are new.
    fn keep(&mut self, skeleton: &Arc<Skeleton<'a>>, memo: &mut Memo, light: &Light, way: &Arc<Meetings>) -> usize {
        let Some(last) = self.last(skeleton, memo, light) else { return 0 };
        let mut new = 0;
        self.each(skeleton, light, &last, |found, outcome| {
            new += usize::from(found.keep(outcome, skeleton, light, way));
            true
        });
        new
    }

    /// Orders the fences that must be ordered, in every way, until no outcome is missing.
    fn fences(
        &mut self,
        skeleton: &Arc<Skeleton<'a>>,
        memo: &mut Memo,
        light: &mut Light,
        way: &Arc<Meetings>,
        missing: &mut usize,
    ) {
        if *missing == 0 || skeleton.sc.iter().any(|(a, b)| light.cyclic(*a, *b)) {
            return;
        }
        let related = |a: usize, b: usize| light.base[a] >> b & 1 == 1 || light.base[b] >> a & 1 == 1;
        let Some(&(a, b)) = skeleton.sc.iter().find(|(a, b)| !related(*a, *b)) else {
            *missing -= self.keep(skeleton, memo, light, way);
            return;
        };
        if self.spent() {
            return;
        }
        for (a, b) in [(a, b), (b, a)] {
            let saved = light.base.clone();
            add_transitive(&mut light.base, a, b);
            light.force(skeleton, None);
            // What these orders cannot have any more need not be looked for behind them.
            if self.last(skeleton, memo, light).is_some() {
                self.fences(skeleton, memo, light, way, missing);
            }
            light.base = saved;
        }
    }

    /// The writes that can be the last of each location that is observed; `None` if those of some location cannot be ordered.
    fn last(&self, skeleton: &Skeleton, memo: &mut Memo, light: &Light) -> Option<Last> {
        let mut last = Last::new();
        for location in skeleton.locations.iter().copied() {
            let memory = Memory { skeleton, base: &light.base, from: &light.from, location };
            if self.watched[location] {
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

    /// The values of what is observed, for every combination of last writes, until one does not do; says whether all did.
    fn each(
        &mut self,
        skeleton: &Skeleton,
        light: &Light,
        last: &[(usize, u128)],
        mut does: impl FnMut(&mut Found<'a>, &[Bits]) -> bool,
    ) -> bool {
        let values = |writes: u128| {
            let mut values: Vec<_> = members(writes).filter_map(|at| light.value(skeleton, at)).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let last: Vec<(usize, Vec<Bits>)> =
            last.iter().map(|(location, writes)| (*location, values(*writes))).collect();
        let mut picks = vec![0usize; last.len()];
        loop {
            let value = |observable: &Observable| match observable {
                Observable::Register(thread, register) => {
                    light.values[skeleton.run.standing[*thread].registers[*register]].unwrap_or_default()
                }
                Observable::Location(at) => {
                    let physical = skeleton.run.program.physical(*at);
                    let place = last.iter().position(|(location, _)| *location == physical);
                    place.and_then(|place| last[place].1.get(picks[place]).copied()).unwrap_or_default()
                }
            };
            self.outcome.clear();
            self.outcome.extend(self.observed.iter().map(value));
            if !does(&mut self.found, &self.outcome) {
                return false;
            }
            let Some(at) = (0..last.len()).find(|at| picks[*at] + 1 < last[*at].1.len()) else { return true };
            picks[at] += 1;
            picks[..at].fill(0);
        }
    }
}

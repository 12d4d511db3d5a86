//! Why an outcome is forbidden: an execution that would have it, and the axiom that it breaks.
//!
//! Must not know text.

use crate::Bits;
use crate::axioms::{AXIOMS, Violation};
use crate::barrier::meetings;
use crate::execution::Execution;
use crate::light::Light;
use crate::program::{Observable, Program};
use crate::relation::members;
use crate::run::Run;
use crate::skeleton::Skeleton;

/// An execution that would have an outcome, and what forbids it.
#[derive(Clone, Debug)]
pub struct Forbidden {
    /// The execution.
    pub execution: Execution,
    /// The broken axiom; of several, the first of the reference's order.
    pub violation: Violation,
}

/// How many choices of reads, how many orders of writes, and how many executions are tried.
const CHOICES: usize = 50_000;
const LOOKS: usize = 1_000_000;
const TRIES: usize = 2_000;

/// Of the executions with an outcome that a condition holds for, one that breaks the fewest axioms; `None` where none was found, because
/// no choice of what is read has such values, or because there are too many.
pub fn forbidden(program: &Program, observed: &[Observable], holds: &dyn Fn(&[Bits]) -> bool) -> Option<Forbidden> {
    let mut search = Search { observed, holds, choices: 0, looks: 0, tries: 0, best: None };
    search.go_on(Run::new(program, 3), &[], &[]);
    search.best.map(|(_, found)| found)
}

struct Search<'o> {
    observed: &'o [Observable],
    holds: &'o dyn Fn(&[Bits]) -> bool,
    choices: usize,
    looks: usize,
    tries: usize,
    best: Option<((usize, usize), Forbidden)>,
}

impl Search<'_> {
    fn over(&self) -> bool {
        self.choices > CHOICES || self.looks > LOOKS || self.tries > TRIES
    }

    fn go_on(&mut self, run: Run, values: &[Option<Bits>], from: &[u8]) {
        let mut runs = Vec::new();
        run.advance(values, &mut runs);
        for run in runs {
            let skeleton = Skeleton::new(run, &[]);
            let mut light = Light::resume(&skeleton, from.to_vec(), Vec::new());
            if light.follow(&skeleton, &mut Vec::new()) {
                self.decide(&skeleton, &mut light);
            }
        }
    }

    fn decide(&mut self, skeleton: &Skeleton, light: &mut Light) {
        self.choices += 1;
        if self.over() {
            return;
        }
        if skeleton.run.can_go_on(&light.values) {
            return self.go_on(skeleton.run.clone(), &light.values, &light.from);
        }
        let Some(read) = members(skeleton.placed & !light.decided).next() else {
            if skeleton.run.done() {
                self.finish(skeleton, light);
            }
            return;
        };
        let mut trail = Vec::new();
        for write in members(skeleton.memory[skeleton.run.events[read].physical] & skeleton.writes) {
            if light.depends(skeleton, write, read) {
                continue;
            }
            light.decide(read, write);
            if light.follow(skeleton, &mut trail) {
                self.decide(skeleton, light);
            }
            light.take_back(read, &mut trail);
        }
    }

    fn finish(&mut self, skeleton: &Skeleton, light: &Light) {
        let orders = self.orders(skeleton);
        for way in meetings(&skeleton.run, &light.values).unwrap_or_default() {
            let order = |bits: usize| -> Vec<(usize, usize)> {
                let pairs = skeleton.sc.iter().enumerate();
                pairs.map(|(at, (a, b))| if at < 4 && bits >> at & 1 == 1 { (*b, *a) } else { (*a, *b) }).collect()
            };
            for fences in (0..1 << skeleton.sc.len().min(4)).map(order) {
                self.looks += orders.len();
                for rows in &orders {
                    if !self.tells(skeleton, light, rows) {
                        continue;
                    }
                    self.tries += 1;
                    if self.over() {
                        return;
                    }
                    let execution = Execution::new(skeleton, light, &way, &fences, rows.clone());
                    let broken: Vec<_> = AXIOMS.iter().filter_map(|axiom| axiom.broken(&execution)).collect();
                    let Some(violation) = broken.first().cloned() else { continue };
                    let rank = (broken.len(), violation.edges.len());
                    if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
                        self.best = Some((rank, Forbidden { execution, violation }));
                    }
                }
            }
        }
    }

    /// Orders of writes: total ones that follow program order, as many as are worth trying.
    fn orders(&self, skeleton: &Skeleton) -> Vec<Vec<u128>> {
        let mut all = vec![vec![0u128; skeleton.run.events.len()]];
        for memory in &skeleton.memory {
            let mut sequences = vec![Vec::new()];
            let writes: Vec<usize> = members(memory & skeleton.writes).collect();
            for write in &writes {
                let before = |sequence: &Vec<usize>| {
                    sequence
                        .iter()
                        .rposition(|at| skeleton.po[*at] >> write & 1 == 1 || *at == writes[0])
                        .map_or(0, |at| at + 1)
                };
                let with = |sequence: &Vec<usize>| {
                    (before(sequence)..=sequence.len())
                        .rev()
                        .map(|at| {
                            let mut longer = sequence.clone();
                            longer.insert(at, *write);
                            longer
                        })
                        .collect::<Vec<_>>()
                };
                sequences = sequences.iter().flat_map(with).take(24).collect();
            }
            let row = |rows: &Vec<u128>, sequence: &Vec<usize>| {
                let mut rows = rows.clone();
                for (at, a) in sequence.iter().enumerate() {
                    sequence[at + 1..].iter().for_each(|b| rows[*a] |= 1 << b);
                }
                rows
            };
            all = all.iter().flat_map(|rows| sequences.iter().map(|sequence| row(rows, sequence))).take(200).collect();
        }
        all
    }

    fn tells(&self, skeleton: &Skeleton, light: &Light, rows: &[u128]) -> bool {
        let value = |observable: &Observable| match observable {
            Observable::Register(thread, register) => light.values[skeleton.run.standing[*thread].registers[*register]],
            Observable::Location(at) => {
                let writes = skeleton.memory[skeleton.run.program.physical(*at)] & skeleton.writes;
                members(writes).find(|write| rows[*write] == 0).and_then(|write| light.value(skeleton, write))
            }
        };
        let outcome: Option<Vec<Bits>> = self.observed.iter().map(value).collect();
        outcome.is_some_and(|outcome| (self.holds)(&outcome))
    }
}

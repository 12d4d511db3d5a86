//! What a search found: every outcome once, each with the choices that an execution with it is rebuilt from.
//!
//! Must not know how it is searched.

use crate::Bits;
use crate::barrier::Meetings;
use crate::coherence::{Memory, Scratch};
use crate::execution::Execution;
use crate::light::Light;
use crate::program::Observable;
use crate::relation::{add_transitive, members};
use crate::rows::{Ordered, Rows};
use crate::skeleton::Skeleton;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an execution is rebuilt from, besides the choices that are kept elsewhere.
#[derive(Debug)]
struct Seed<'a> {
    skeleton: Arc<Skeleton<'a>>,
    /// Who met whom at barriers, because of values.
    way: Arc<Meetings>,
    /// Where its choices begin: what each event reads, then in which direction each pair of `fence.sc` is ordered.
    choices: usize,
}

/// What is found while a search goes on.
#[derive(Debug, Default)]
pub(crate) struct Found<'a> {
    /// Every outcome once.
    pub rows: Rows,
    /// One for each outcome.
    seeds: Vec<Seed<'a>>,
    /// The choices of one seed behind those of the other.
    choices: Vec<u8>,
}

impl<'a> Found<'a> {
    /// Nothing yet; outcomes will have so many values.
    pub fn new(width: usize) -> Self {
        Found { rows: Rows::new(width), ..Found::default() }
    }

    /// Keeps an outcome with what shows it, if it is new; says whether it is.
    pub fn keep(&mut self, outcome: &[Bits], skeleton: &Arc<Skeleton<'a>>, light: &Light, way: &Arc<Meetings>) -> bool {
        if !self.rows.add(outcome) {
            return false;
        }
        self.seeds.push(Seed { skeleton: skeleton.clone(), way: way.clone(), choices: self.choices.len() });
        self.choices.extend_from_slice(&light.from);
        self.choices.extend(skeleton.sc.iter().map(|(a, b)| (light.base[*a] >> b & 1) as u8));
        true
    }
}

/// The outcomes of a program.
#[derive(Debug)]
pub struct Outcomes<'a> {
    /// Whether these are all; if not, some may be missing.
    pub complete: bool,
    /// What the model does not speak of, in sentences for people; where there is one, the outcomes mean nothing.
    pub not_modelled: BTreeSet<String>,
    observed: Vec<Observable>,
    rows: Ordered,
    seeds: Vec<Seed<'a>>,
    choices: Vec<u8>,
}

impl<'a> Outcomes<'a> {
    pub(crate) fn new(
        observed: &[Observable],
        complete: bool,
        not_modelled: BTreeSet<String>,
        Found { rows, seeds, choices }: Found<'a>,
    ) -> Self {
        Outcomes { observed: observed.to_vec(), complete, not_modelled, rows: rows.ordered(), seeds, choices }
    }

    /// Every outcome once, ordered.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &[Bits]> {
        self.rows.all()
    }

    /// Every outcome once, ordered, without the executions that show them.
    pub fn into_rows(self) -> Ordered {
        self.rows
    }

    /// An execution with the outcome of an index.
    pub fn witness(&self, index: usize) -> Option<Execution> {
        let seed = self.seeds.get(self.rows.number(index)?)?;
        let skeleton = &seed.skeleton;
        let (from, forward) = self.choices.get(seed.choices..)?.split_at_checked(skeleton.run.events.len())?;
        let pairs = skeleton.sc.iter().zip(forward);
        let fences: Meetings = pairs.map(|((a, b), forward)| if *forward == 1 { (*a, *b) } else { (*b, *a) }).collect();
        let meetings = [&skeleton.meetings[..], &seed.way].concat();
        let mut light = Light::resume(skeleton, from.to_vec(), Vec::new());
        meetings.iter().chain(&fences).for_each(|(a, b)| {
            add_transitive(&mut light.base, *a, *b);
        });
        let orders = self.orders(self.rows.get(index), skeleton, &light)?;
        Some(Execution::new(skeleton, &light, &meetings, &fences, orders))
    }

    /// An order of writes for each location whose last value is the outcome's.
    fn orders(&self, outcome: &[Bits], skeleton: &Skeleton, light: &Light) -> Option<Vec<u128>> {
        let mut scratch = Scratch::default();
        let mut all = vec![0u128; skeleton.run.events.len()];
        for location in skeleton.locations.iter().copied() {
            let told = self.observed.iter().zip(outcome).find_map(|(observable, value)| match observable {
                Observable::Location(at) if skeleton.run.program.physical(*at) == location => Some(*value),
                _ => None,
            });
            let memory = Memory { skeleton, base: &light.base, from: &light.from, location };
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

//! Two accesses of two threads: whether they can overlap.

use crate::any_size::accesses::{SymbolicAccess, ThreadDistance};
use crate::any_size::divergence::BlockDivergence;
use crate::any_size::polynomial::{AtomId, Polynomial};
use crate::any_size::state::TermContext;
use crate::any_size::system::{Effort, InequalitySystem};
use crate::any_size::terms::{Atom, NumberType, PlaceKind, TermCondition, ZeroRelation};
use std::collections::{BTreeMap, BTreeSet};

/// Which values two threads have in common.
#[derive(Clone, Copy, Debug)]
pub enum CommonValues<'d> {
    /// Those of a barrier that both have passed last.
    SinceBarrier(&'d BlockDivergence),
    /// Those of the block.
    OfBlock,
    /// Those of the launch.
    OfLaunch,
}

impl CommonValues<'_> {
    /// How far the threads are from each other.
    const fn distance(self) -> ThreadDistance {
        match self {
            Self::SinceBarrier(_) | Self::OfBlock => ThreadDistance::SameBlock,
            Self::OfLaunch => ThreadDistance::OtherBlock,
        }
    }

    /// Whether an atom that is not made of others has one value in both threads.
    fn has(self, context: &TermContext, atom: AtomId) -> bool {
        match context.terms.get(atom) {
            Atom::BlockSize(_) | Atom::GridSize(_) | Atom::Parameter(..) | Atom::SharedVariable(_) => true,
            Atom::CtaIndex(_) => self.distance() == ThreadDistance::SameBlock,
            Atom::Unknown(place, ..) | Atom::Iteration(place, _) => match self {
                Self::SinceBarrier(divergence) => {
                    place.interval == 0
                        && matches!(place.kind, PlaceKind::Join(_))
                        && divergence.is_uniform(context, atom)
                }
                Self::OfBlock | Self::OfLaunch => false,
            },
            _ => false,
        }
    }
}

/// A sum that has to stay within a type so that no two accesses overlap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoWrap {
    /// The instruction of the access that depends on it.
    pub at: u32,
    /// The number.
    pub number: Polynomial,
    /// The type.
    pub ty: NumberType,
}

/// What has to hold so that two accesses do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairAssumption {
    /// A number does not wrap around.
    NoWrap(NoWrap),
    /// The accesses are within their memory.
    InBounds,
}

/// Whether two accesses can overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairAnswer {
    /// They cannot, if something holds.
    Excluded(Vec<PairAssumption>),
    /// They may.
    Open,
}

/// The terms of two accesses in two threads.
struct PairTerms<'c, 'p> {
    context: &'c mut TermContext<'p>,
    common: CommonValues<'c>,
    renamed: BTreeMap<(u8, AtomId), Polynomial>,
    /// The sizes that indices are smaller than.
    sizes: BTreeMap<AtomId, Polynomial>,
    /// What may be supposed, by the atom that then has a value, and the value.
    assumable: BTreeMap<AtomId, (PairAssumption, Polynomial)>,
    /// The instructions of both accesses.
    at: [u32; 2],
}

/// The systems and pivots for a pair.
const PAIR_EFFORT: Effort = Effort { pivots: 6_000, systems: 240 };

/// Whether two accesses to the same memory by different threads can overlap.
pub fn exclude(
    context: &mut TermContext,
    common: CommonValues,
    pair: [&SymbolicAccess; 2],
    total: &mut Effort,
) -> PairAnswer {
    let mut terms = PairTerms {
        context,
        common,
        renamed: BTreeMap::new(),
        sizes: BTreeMap::new(),
        assumable: BTreeMap::new(),
        at: pair.map(|access| access.at),
    };
    let (system, overlap) = terms.system(pair);
    let cases = terms.different_threads(pair[0] == pair[1]);
    let assumable = terms.assumable_of(&system, &overlap);
    let attempt = |terms: &PairTerms, assumed: &BTreeSet<AtomId>, cases: &[Vec<TermCondition>], total: &mut Effort| {
        let mut effort =
            Effort { pivots: PAIR_EFFORT.pivots.min(total.pivots), systems: PAIR_EFFORT.systems.min(total.systems) };
        let begin = effort;
        let is_excluded = cases.iter().all(|case| {
            let mut system = system.clone();
            overlap.iter().chain(case).for_each(|condition| system.add(condition));
            terms.complete(&mut system, assumed);
            system.is_infeasible(&terms.context.terms, &mut effort)
        });
        total.pivots -= begin.pivots - effort.pivots;
        total.systems -= begin.systems - effort.systems;
        is_excluded
    };
    if attempt(&terms, &BTreeSet::new(), &cases, total) {
        return PairAnswer::Excluded(Vec::new());
    }
    let mut assumed = assumable;
    if assumed.is_empty() || !terms.can_happen(&system, &assumed, total) || !attempt(&terms, &assumed, &cases, total) {
        return PairAnswer::Open;
    }
    // Those that are not needed are left out.
    for atom in assumed.clone() {
        if assumed.len() > 1 {
            assumed.remove(&atom);
            if !attempt(&terms, &assumed, &cases, total) {
                assumed.insert(atom);
            }
        }
    }
    let assumptions = assumed.iter().filter_map(|atom| terms.assumable.get(atom));
    PairAnswer::Excluded(assumptions.map(|(assumption, _)| assumption.clone()).collect())
}

impl PairTerms<'_, '_> {
    /// The atoms of a system for which a value may be supposed.
    fn assumable_of(&self, system: &InequalitySystem, overlap: &[TermCondition]) -> BTreeSet<AtomId> {
        let mut all = system.clone();
        overlap.iter().for_each(|condition| all.add(condition));
        self.complete(&mut all, &BTreeSet::new());
        all.atoms().into_iter().filter(|atom| self.assumable.contains_key(atom)).collect()
    }

    /// What holds for both accesses, and that they overlap.
    fn system(&mut self, pair: [&SymbolicAccess; 2]) -> (InequalitySystem, Vec<TermCondition>) {
        let mut system = InequalitySystem::default();
        let offsets = [self.number(0, &pair[0].offset), self.number(1, &pair[1].offset)];
        for (thread, access) in pair.into_iter().enumerate() {
            for fact in &access.facts {
                let fact = self.context.facts.get(*fact).clone();
                if let Some(fact) = fact.substituted(&mut |number| Some(self.number(thread as u8, number))) {
                    system.add(&fact);
                }
            }
        }
        let difference = offsets[1].plus(&offsets[0], -1);
        let difference = self.modulo(&difference, pair[0].bits);
        let [first, second] = pair.map(|access| i128::from(access.bytes()));
        let at_least = |number: Polynomial| {
            let holds = [false, true, true];
            TermCondition::compare(number, ZeroRelation { holds })
        };
        // The second one begins before the end of the first, and the first one before the end of the second.
        let overlap = vec![at_least(difference.times(-1).offset(first - 1)), at_least(difference.offset(second - 1))];
        let known: Vec<((u8, AtomId), Polynomial)> =
            self.renamed.iter().map(|(key, value)| (*key, value.clone())).collect();
        for ((thread, atom), number) in &known {
            let other = self.renamed.get(&(1 - thread, *atom)).cloned();
            if let (0, Some(one), Some(other)) = (*thread, single(number), other.as_ref().and_then(single)) {
                system.add_counterparts((one, other));
                self.add_xors(&mut system, one, other);
            }
        }
        (system, overlap)
    }

    /// Adds what is known of two numbers with the same changed bits.
    fn add_xors(&self, system: &mut InequalitySystem, one: AtomId, other: AtomId) {
        let (Atom::Xor(a, b, _), Atom::Xor(c, d, _)) = (self.context.terms.get(one), self.context.terms.get(other))
        else {
            return;
        };
        let xors = [Polynomial::atom(one), Polynomial::atom(other)];
        for [(number, mask), (other, other_mask)] in
            [[(a, b), (c, d)], [(a, b), (d, c)], [(b, a), (c, d)], [(b, a), (d, c)]]
        {
            if mask == other_mask {
                system.add_xors([number, other], [&xors[0], &xors[1]]);
                return;
            }
        }
    }

    /// The difference of two addresses that count modulo 2^bits, near 0.
    fn modulo(&mut self, difference: &Polynomial, bits: u32) -> Polynomial {
        let ty = NumberType::Signed(bits);
        if self.context.terms.fits(difference, ty) {
            return difference.clone();
        }
        let wraps = self.context.terms.wraps(difference, ty);
        self.assumable.insert(wraps, (PairAssumption::InBounds, Polynomial::default()));
        difference.plus(&Polynomial::atom(wraps), -(1i128 << bits))
    }

    /// A number in one of the threads.
    fn number(&mut self, thread: u8, number: &Polynomial) -> Polynomial {
        number.substituted(|atom| self.atom(thread, atom)).unwrap_or_else(|| self.unknown(thread, number))
    }

    /// A number that is too large in one of the threads.
    fn unknown(&mut self, thread: u8, number: &Polynomial) -> Polynomial {
        let operands = vec![number.clone(), Polynomial::number(thread.into())];
        let interval = self.context.terms.interval(number);
        self.context.terms.value(Atom::Function(u32::MAX, operands), interval)
    }

    /// An atom in one of the threads.
    fn atom(&mut self, thread: u8, atom: AtomId) -> Polynomial {
        if let Some(number) = self.renamed.get(&(thread, atom)) {
            return number.clone();
        }
        let interval = self.context.terms.interval_of(atom);
        let renamed = match self.context.terms.get(atom).clone() {
            Atom::Quotient(one, other) => Atom::Quotient(self.number(thread, &one), self.number(thread, &other)),
            Atom::Xor(one, other, bits) => Atom::Xor(self.number(thread, &one), self.number(thread, &other), bits),
            Atom::Minimum(one, other) => Atom::Minimum(self.number(thread, &one), self.number(thread, &other)),
            Atom::Maximum(one, other) => Atom::Maximum(self.number(thread, &one), self.number(thread, &other)),
            Atom::Typed(number, ty) => return self.typed(thread, atom, (&number, ty)),
            Atom::Wraps(number, ty) => Atom::Wraps(self.number(thread, &number), ty),
            Atom::Function(at, operands) => {
                Atom::Function(at, operands.iter().map(|operand| self.number(thread, operand)).collect())
            }
            Atom::Choice(condition, one, other) => {
                let condition = condition.substituted(&mut |number| Some(self.number(thread, number)));
                match condition {
                    Some(condition) => Atom::Choice(condition, self.number(thread, &one), self.number(thread, &other)),
                    None => Atom::InThread(thread, atom),
                }
            }
            _ if self.common.has(self.context, atom) => {
                let same = Polynomial::atom(atom);
                self.note_size(atom, atom);
                self.renamed.insert((thread, atom), same.clone());
                return same;
            }
            _ => Atom::InThread(thread, atom),
        };
        let number = self.context.terms.value(renamed, interval);
        if let Some(new) = single(&number) {
            self.note_size(atom, new);
        }
        self.renamed.insert((thread, atom), number.clone());
        number
    }

    /// A number of a type in one of the threads.
    fn typed(&mut self, thread: u8, atom: AtomId, (number, ty): (&Polynomial, NumberType)) -> Polynomial {
        let renamed = self.number(thread, number);
        let new = self.context.terms.typed(&renamed, ty);
        let assumption = NoWrap { at: self.at[usize::from(thread)], number: number.clone(), ty };
        self.assumable.entry(new).or_insert((PairAssumption::NoWrap(assumption), renamed));
        self.renamed.insert((thread, atom), Polynomial::atom(new));
        Polynomial::atom(new)
    }

    /// Notes the size that an index is smaller than.
    fn note_size(&mut self, atom: AtomId, new: AtomId) {
        let size = match *self.context.terms.get(atom) {
            Atom::ThreadIndex(axis) => self.context.block_size(axis),
            Atom::CtaIndex(axis) => self.context.grid_size(axis),
            _ => return,
        };
        self.sizes.insert(new, size);
    }

    /// The ways in which two threads can differ: the conditions of each.
    fn different_threads(&mut self, is_same_access: bool) -> Vec<Vec<TermCondition>> {
        let mut cases: Vec<Vec<TermCondition>> = Vec::new();
        let mut equal: Vec<TermCondition> = Vec::new();
        for axis in [2, 1, 0] {
            let index = match self.common.distance() {
                ThreadDistance::SameBlock => self.context.thread_index(axis),
                ThreadDistance::OtherBlock => self.context.cta_index(axis),
            };
            let Some(atom) = single(&index) else { continue };
            let difference = self.atom(0, atom).plus(&self.atom(1, atom), -1);
            let case = |holds| TermCondition::compare(difference.clone(), ZeroRelation { holds });
            let differs = if is_same_access {
                vec![case([true, false, false])]
            } else {
                vec![case([true, false, false]), case([false, false, true])]
            };
            cases.extend(differs.into_iter().map(|case| equal.iter().cloned().chain([case]).collect()));
            equal.push(case([false, true, false]));
        }
        cases
    }

    /// Adds what atoms are, and the values that are supposed for some.
    fn complete(&self, system: &mut InequalitySystem, assumed: &BTreeSet<AtomId>) {
        for (atom, (_, value)) in self.assumable.iter().filter(|(atom, _)| assumed.contains(atom)) {
            system.set(*atom, value);
        }
        for atom in assumed {
            // What an atom is counts although it has a value.
            system.define(*atom, &self.context.terms, &self.sizes);
        }
        system.add_definitions(&self.context.terms, &self.sizes);
    }

    /// Whether both accesses may be executed if some numbers do not wrap around.
    fn can_happen(&self, system: &InequalitySystem, assumed: &BTreeSet<AtomId>, total: &mut Effort) -> bool {
        let mut system = system.clone();
        self.complete(&mut system, assumed);
        let mut effort = Effort { pivots: 2_000.min(total.pivots), systems: 1.min(total.systems) };
        total.systems -= effort.systems;
        !system.is_infeasible(&self.context.terms, &mut effort)
    }
}

/// The atom that a number is.
fn single(number: &Polynomial) -> Option<AtomId> {
    let mut atoms = number.atoms();
    let atom = atoms.next()?;
    (*number == Polynomial::atom(atom)).then_some(atom)
}

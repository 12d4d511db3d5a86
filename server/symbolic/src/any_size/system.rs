//! A system of inequalities between terms of two threads, and whether it has a solution in whole numbers.
//!
//! Products of atoms are variables of their own. What is known of them comes from inequalities that are multiplied by atoms which are not negative.
//! Whole numbers are split into cases: of two atoms that are the same in two threads, one is smaller, or both are equal.

use crate::any_size::polynomial::{AtomId, Monomial, Polynomial};
use crate::any_size::simplex::{LinearFeasibility, LinearInequality, VariableBounds, gcd, solve};
use crate::any_size::terms::{Atom, TermCondition, Terms, ZeroRelation};
use std::collections::{BTreeMap, BTreeSet};

/// Inequalities, each of a number that is at least 0.
#[derive(Clone, Debug, Default)]
pub struct InequalitySystem {
    inequalities: BTreeSet<Polynomial>,
    /// Conditions of which one holds.
    alternatives: Vec<Vec<TermCondition>>,
    /// Atoms that are the same but for their thread.
    counterparts: Vec<(AtomId, AtomId)>,
    /// Atoms that are known to be equal to numbers.
    values: BTreeMap<AtomId, Polynomial>,
}

/// The steps that are left.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Pivots of the simplex.
    pub pivots: usize,
    /// Systems that are solved.
    pub systems: usize,
}

/// The most inequalities of a system.
const MOST_INEQUALITIES: usize = 160;

/// The largest bound of a product.
const LARGEST_BOUND: i128 = 1 << 34;

/// The most cases that lie in each other.
const MOST_DEPTH: usize = 7;

impl InequalitySystem {
    /// Adds that a number is at least 0.
    pub fn at_least_zero(&mut self, number: &Polynomial) {
        let Some(number) = number.substituted(|atom| self.value_of(atom)) else { return };
        if self.inequalities.len() < MOST_INEQUALITIES {
            self.inequalities.insert(tightened(&number));
        }
    }

    fn value_of(&self, atom: AtomId) -> Polynomial {
        self.values.get(&atom).cloned().unwrap_or_else(|| Polynomial::atom(atom))
    }

    /// Adds a condition.
    pub fn add(&mut self, condition: &TermCondition) {
        match condition {
            TermCondition::Compare(number, ZeroRelation { holds }) => match holds {
                [true, false, false] => self.at_least_zero(&number.times(-1).offset(-1)),
                [true, true, false] => self.at_least_zero(&number.times(-1)),
                [false, true, true] => self.at_least_zero(number),
                [false, false, true] => self.at_least_zero(&number.offset(-1)),
                [false, true, false] => {
                    self.at_least_zero(number);
                    self.at_least_zero(&number.times(-1));
                }
                [true, false, true] => {
                    let case = |holds| TermCondition::Compare(number.clone(), ZeroRelation { holds });
                    self.alternatives.push(vec![case([true, false, false]), case([false, false, true])]);
                }
                [true, true, true] => {}
                [false, false, false] => self.at_least_zero(&Polynomial::number(-1)),
            },
            TermCondition::All(parts) => parts.iter().for_each(|part| self.add(part)),
            TermCondition::Any(parts) => self.alternatives.push(parts.clone()),
        }
    }

    /// Adds two atoms that are the same but for their thread.
    pub fn add_counterparts(&mut self, pair: (AtomId, AtomId)) {
        if pair.0 != pair.1 && !self.counterparts.contains(&pair) {
            self.counterparts.push(pair);
        }
    }

    /// Adds that an atom is equal to a number.
    pub fn set(&mut self, atom: AtomId, value: &Polynomial) {
        let Some(value) = value.substituted(|atom| self.value_of(atom)) else { return };
        self.values.insert(atom, value.clone());
        let values: Vec<AtomId> = self.values.keys().copied().collect();
        for other in values {
            let substituted =
                self.values[&other].substituted(|at| if at == atom { value.clone() } else { Polynomial::atom(at) });
            if let Some(substituted) = substituted {
                self.values.insert(other, substituted);
            }
        }
        for number in std::mem::take(&mut self.inequalities) {
            self.at_least_zero(&number);
        }
    }

    /// The atoms of its inequalities.
    pub fn atoms(&self) -> BTreeSet<AtomId> {
        let of_alternatives = self.alternatives.iter().flatten().flat_map(TermCondition::numbers);
        self.inequalities.iter().chain(of_alternatives).flat_map(Polynomial::atoms).collect()
    }

    /// Adds what is known of its atoms because of what they are.
    pub fn add_definitions(&mut self, terms: &Terms, sizes: &BTreeMap<AtomId, Polynomial>) {
        let mut is_defined: BTreeSet<AtomId> = BTreeSet::new();
        loop {
            let new: Vec<AtomId> = self.atoms().difference(&is_defined).copied().collect();
            if new.is_empty() || self.inequalities.len() >= MOST_INEQUALITIES {
                return;
            }
            for atom in new {
                is_defined.insert(atom);
                self.define(atom, terms, sizes);
            }
        }
    }

    pub fn define(&mut self, atom: AtomId, terms: &Terms, sizes: &BTreeMap<AtomId, Polynomial>) {
        let own = Polynomial::atom(atom);
        if let Some(size) = sizes.get(&atom) {
            self.at_least_zero(&size.plus(&own, -1).offset(-1));
        }
        match terms.get(atom) {
            Atom::Quotient(dividend, divisor) => {
                if let Some(product) = own.product(divisor) {
                    let rest = dividend.plus(&product, -1);
                    self.at_least_zero(&rest);
                    self.at_least_zero(&divisor.offset(-1).plus(&rest, -1));
                }
            }
            Atom::Typed(number, ty) => {
                let (least, most) = ty.interval();
                self.at_least_zero(&own.offset(-least));
                self.at_least_zero(&own.times(-1).offset(most));
                if let Some(wraps) = terms.find(&Atom::Wraps(number.clone(), *ty)) {
                    let difference = number.plus(&own, -1).plus(&Polynomial::atom(wraps), -(1i128 << ty.bits()));
                    self.at_least_zero(&difference);
                    self.at_least_zero(&difference.times(-1));
                }
            }
            Atom::Minimum(one, other) => {
                self.at_least_zero(&one.plus(&own, -1));
                self.at_least_zero(&other.plus(&own, -1));
            }
            Atom::Maximum(one, other) => {
                self.at_least_zero(&own.plus(one, -1));
                self.at_least_zero(&own.plus(other, -1));
            }
            Atom::Xor(one, other, _) => self.define_xor(&own, (one, other)),
            Atom::Choice(condition, one, other) => self.define_choice(&own, condition, one, other),
            _ => {}
        }
    }

    /// Bits that differ are at most all bits of both, and at least the difference of both.
    fn define_xor(&mut self, own: &Polynomial, (one, other): (&Polynomial, &Polynomial)) {
        self.at_least_zero(&one.plus(other, 1).plus(own, -1));
        self.at_least_zero(&own.plus(one, -1).plus(other, 1));
        self.at_least_zero(&own.plus(other, -1).plus(one, 1));
    }

    /// Adds what is known of a ^ c and b ^ c: both are equal if a and b are, and a ^ c is b if b ^ c is a.
    pub fn add_xors(&mut self, [a, b]: [&Polynomial; 2], [a_xor, b_xor]: [&Polynomial; 2]) {
        for [(one, other), (same, also)] in [[(a, b), (a_xor, b_xor)], [(a, b_xor), (b, a_xor)]] {
            let compare = |one: &Polynomial, other: &Polynomial, holds| {
                TermCondition::compare(one.plus(other, -1), ZeroRelation { holds })
            };
            let (equal, less, greater) = ([false, true, false], [true, false, false], [false, false, true]);
            let both = compare(one, other, equal).and(&compare(same, also, equal));
            let differ = [less, greater].map(|order| compare(one, other, order));
            let differ_too = [less, greater].map(|order| compare(same, also, order));
            let neither = differ[0].or(&differ[1]).and(&differ_too[0].or(&differ_too[1]));
            self.alternatives.push(vec![both, neither]);
        }
    }

    fn define_choice(&mut self, own: &Polynomial, condition: &TermCondition, one: &Polynomial, other: &Polynomial) {
        let equal = |number: &Polynomial| TermCondition::Compare(own.plus(number, -1), ZeroRelation::EQUAL);
        self.alternatives.push(vec![condition.and(&equal(one)), condition.negated().and(&equal(other))]);
    }

    /// Whether there is certainly no solution.
    pub fn is_infeasible(&self, terms: &Terms, effort: &mut Effort) -> bool {
        self.is_infeasible_at(terms, effort, 0)
    }

    fn is_infeasible_at(&self, terms: &Terms, effort: &mut Effort, depth: usize) -> bool {
        let Some(left) = effort.systems.checked_sub(1) else { return false };
        effort.systems = left;
        let mut all = self.clone();
        all.multiply(terms);
        let (monomials, answer) = all.relaxed(terms, effort);
        let values = match answer {
            LinearFeasibility::Infeasible => return true,
            LinearFeasibility::Undecided => return false,
            LinearFeasibility::Feasible(values) => values,
        };
        if depth >= MOST_DEPTH {
            return false;
        }
        let mut case = |system: &Self| system.is_infeasible_at(terms, effort, depth + 1);
        if let Some(at) = self.next_counterparts() {
            let mut rest = self.clone();
            let (one, other) = rest.counterparts.remove(at);
            let difference = Polynomial::atom(one).plus(&Polynomial::atom(other), -1);
            let (mut smaller, mut larger, mut equal) = (rest.clone(), rest.clone(), rest);
            smaller.at_least_zero(&difference.times(-1).offset(-1));
            larger.at_least_zero(&difference.offset(-1));
            equal.set(other, &Polynomial::atom(one));
            return case(&equal) && case(&smaller) && case(&larger);
        }
        if let Some((first, rest)) = self.alternatives.split_first() {
            return first.iter().all(|condition| {
                let mut system = Self { alternatives: rest.to_vec(), ..self.clone() };
                system.add(condition);
                case(&system)
            });
        }
        let fraction = monomials.iter().zip(values).find_map(|(monomial, value)| match **monomial {
            [atom] => Some((atom, value.fraction_below()?)),
            _ => None,
        });
        let Some((atom, below)) = fraction else { return false };
        let (mut smaller, mut larger) = (self.clone(), self.clone());
        smaller.at_least_zero(&Polynomial::number(below).plus(&Polynomial::atom(atom), -1));
        larger.at_least_zero(&Polynomial::atom(atom).offset(-below - 1));
        case(&smaller) && case(&larger)
    }

    /// The first counterparts that are in products or have large coefficients; else the first ones that occur.
    fn next_counterparts(&self) -> Option<usize> {
        let weight = |atom: AtomId| {
            let terms = self.inequalities.iter().flat_map(Polynomial::terms);
            let of_atom = terms.filter(|(monomial, _)| monomial.contains(&atom));
            of_atom.map(|(monomial, coefficient)| (monomial.len(), coefficient.abs())).max()
        };
        let weights = self
            .counterparts
            .iter()
            .enumerate()
            .filter_map(|(at, (one, other))| Some((weight(*one)?.min(weight(*other)?), std::cmp::Reverse(at))));
        weights.max().map(|(_, at)| at.0)
    }

    /// Multiplies inequalities by atoms that are not negative, where the products occur.
    fn multiply(&mut self, terms: &Terms) {
        let mut is_multiplied: BTreeSet<Monomial> = BTreeSet::new();
        for _ in 0..3 {
            let products = self.inequalities.iter().flat_map(Polynomial::terms).map(|(monomial, _)| monomial);
            let products: BTreeSet<Monomial> = products.filter(|monomial| monomial.len() > 1).cloned().collect();
            let new: Vec<Monomial> = products.difference(&is_multiplied).cloned().collect();
            if new.is_empty() {
                return;
            }
            for product in new {
                self.multiply_for(&product, terms);
                is_multiplied.insert(product);
            }
        }
    }

    fn multiply_for(&mut self, product: &Monomial, terms: &Terms) {
        for (at, atom) in product.iter().enumerate() {
            let mut factor = product.clone();
            factor.remove(at);
            if factor.iter().any(|other| terms.interval_of(*other).0 < 0) {
                continue;
            }
            let factor = Polynomial::of([(factor, 1)]);
            let is_linear = |number: &Polynomial| {
                number.coefficient(&[*atom]) != 0 && number.terms().all(|(monomial, _)| monomial.len() <= 1)
            };
            let (least, most) = terms.interval_of(*atom);
            let own = Polynomial::atom(*atom);
            let bounds = [own.offset(-least), Polynomial::number(most).plus(&own, -1)];
            let bounds = bounds.into_iter().zip([least, most]).filter(|(_, bound)| bound.abs() < LARGEST_BOUND);
            let linear: Vec<Polynomial> =
                self.inequalities.iter().filter(|number| is_linear(number)).take(12).cloned().collect();
            for number in linear.into_iter().chain(bounds.map(|(number, _)| number)) {
                if let Some(product) = number.product(&factor) {
                    self.at_least_zero(&product);
                }
            }
        }
    }

    /// Whether there is a solution in rational numbers, with a variable for each product.
    fn relaxed(&self, terms: &Terms, effort: &mut Effort) -> (Vec<Monomial>, LinearFeasibility) {
        let products = self.inequalities.iter().flat_map(Polynomial::terms).map(|(monomial, _)| monomial);
        let monomials: BTreeSet<&Monomial> = products.filter(|monomial| !monomial.is_empty()).collect();
        let monomials: Vec<Monomial> = monomials.into_iter().cloned().collect();
        // Larger bounds decide little, and make numbers too large.
        let finite = |bound: i128| Some(bound).filter(|bound| bound.abs() < LARGEST_BOUND);
        let bounds = monomials.iter().map(|monomial| {
            let (least, most) = terms.interval(&Polynomial::of([(monomial.clone(), 1)]));
            VariableBounds { least: finite(least), most: finite(most) }
        });
        let mut bounds: Vec<VariableBounds> = bounds.collect();
        let mut inequalities = Vec::new();
        for number in &self.inequalities {
            let least = -number.constant();
            let place = |monomial: &Monomial| monomials.binary_search(monomial).ok();
            let sum: Vec<(usize, i128)> =
                number.terms().filter_map(|(monomial, coefficient)| Some((place(monomial)?, coefficient))).collect();
            match *sum {
                [] if least > 0 => return (monomials, LinearFeasibility::Infeasible),
                [] => {}
                [(at, 1)] => bounds[at].least = Some(bounds[at].least.map_or(least, |other| other.max(least))),
                [(at, -1)] => bounds[at].most = Some(bounds[at].most.map_or(-least, |other| other.min(-least))),
                _ => inequalities.push(LinearInequality { sum, least }),
            }
        }
        let answer = solve(&bounds, &inequalities, &mut effort.pivots);
        (monomials, answer)
    }
}

/// The same inequality, divided by what divides all coefficients.
fn tightened(number: &Polynomial) -> Polynomial {
    let of_atoms = number.terms().filter(|(monomial, _)| !monomial.is_empty());
    let divisor = of_atoms.fold(0, |divisor, (_, coefficient)| gcd(divisor, coefficient.abs()));
    if divisor <= 1 {
        return number.clone();
    }
    Polynomial::of(number.terms().map(|(monomial, coefficient)| (monomial.clone(), coefficient.div_euclid(divisor))))
}

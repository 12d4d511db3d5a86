//! Polynomials over atoms, with integer coefficients.

use std::collections::BTreeMap;

/// An atom, by its number in [`crate::any_size::terms::Terms`].
pub type AtomId = u32;

/// The atoms of a product, in order; none for the number 1.
pub type Monomial = Vec<AtomId>;

/// A sum of products of atoms, each with a coefficient that is not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Polynomial(BTreeMap<Monomial, i128>);

/// The largest absolute value of a coefficient.
const LARGEST: i128 = 1 << 90;

/// The most products of a polynomial, and the most atoms of a product.
const MOST_TERMS: usize = 24;
const MOST_FACTORS: usize = 4;

impl Polynomial {
    /// A number.
    pub fn number(number: i128) -> Self {
        Self::of([(Vec::new(), number)])
    }

    /// An atom.
    pub fn atom(atom: AtomId) -> Self {
        Self::of([(vec![atom], 1)])
    }

    /// The sum of some products.
    pub fn of(terms: impl IntoIterator<Item = (Monomial, i128)>) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|(monomial, coefficient)| sum.add_term(monomial, coefficient));
        sum
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i128) {
        if coefficient == 0 {
            return;
        }
        let sum = self.0.entry(monomial).or_insert(0);
        *sum += coefficient;
        if *sum == 0 {
            self.0.retain(|_, coefficient| *coefficient != 0);
        }
    }

    /// The products with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.0.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The number that it is, if it has no atoms.
    pub fn as_number(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The number that is added to the products of atoms.
    pub fn constant(&self) -> i128 {
        self.0.get(&Vec::new()).copied().unwrap_or(0)
    }

    /// The coefficient of a product.
    pub fn coefficient(&self, monomial: &[AtomId]) -> i128 {
        self.0.get(monomial).copied().unwrap_or(0)
    }

    /// How much larger the coefficients of products with an atom are than those of products with another one in its place.
    pub fn ratios(&self, one: AtomId, other: AtomId) -> Vec<i128> {
        let ratio = |(monomial, coefficient): (&Monomial, i128)| {
            let at = monomial.iter().position(|atom| *atom == one)?;
            let mut replaced = monomial.clone();
            replaced[at] = other;
            replaced.sort_unstable();
            let larger = self.coefficient(&replaced);
            (larger % coefficient == 0).then_some(larger / coefficient)
        };
        self.terms().filter_map(ratio).collect()
    }

    /// The atoms, some of them more than once.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> {
        self.0.keys().flatten().copied()
    }

    /// The sum with another one times a factor.
    pub fn plus(&self, other: &Self, factor: i128) -> Self {
        let mut sum = self.clone();
        other.terms().for_each(|(monomial, coefficient)| sum.add_term(monomial.clone(), coefficient * factor));
        sum
    }

    /// The sum with a number.
    pub fn offset(&self, number: i128) -> Self {
        self.plus(&Self::number(1), number)
    }

    /// The product with a number.
    pub fn times(&self, factor: i128) -> Self {
        Self::default().plus(self, factor)
    }

    /// The product, if it is small enough.
    pub fn product(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (one, coefficient) in self.terms() {
            for (two, factor) in other.terms() {
                let mut monomial: Monomial = one.iter().chain(two).copied().collect();
                monomial.sort_unstable();
                let coefficient = coefficient.checked_mul(factor).filter(|product| product.abs() <= LARGEST)?;
                product.add_term(monomial, coefficient);
            }
        }
        product.is_small().then_some(product)
    }

    /// Whether it is small enough to be kept.
    pub fn is_small(&self) -> bool {
        let is_small = |(monomial, coefficient): (&Monomial, &i128)| {
            monomial.len() <= MOST_FACTORS && coefficient.abs() <= LARGEST
        };
        self.0.len() <= MOST_TERMS && self.0.iter().all(is_small)
    }

    /// The same modulo a power of two, with coefficients as small as possible.
    pub fn modulo(&self, bits: u32) -> Self {
        let size = 1i128 << bits;
        let reduced = |coefficient: i128| {
            let rest = coefficient.rem_euclid(size);
            if rest > size / 2 { rest - size } else { rest }
        };
        Self::of(self.terms().map(|(monomial, coefficient)| (monomial.clone(), reduced(coefficient))))
    }

    /// The same with each atom replaced by a polynomial; `None` if the result is too large.
    pub fn substituted(&self, mut by: impl FnMut(AtomId) -> Self) -> Option<Self> {
        let mut sum = Self::default();
        for (monomial, coefficient) in self.terms() {
            let mut product = Self::number(coefficient);
            for atom in monomial {
                product = product.product(&by(*atom))?;
            }
            sum = sum.plus(&product, 1);
        }
        sum.is_small().then_some(sum)
    }
}

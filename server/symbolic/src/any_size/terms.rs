//! What the values of registers are made of: atoms, and conditions on them.

use crate::any_size::polynomial::{AtomId, Polynomial};
use std::collections::BTreeMap;

/// The smallest and the largest value.
pub type NumberInterval = (i128, i128);

/// A value that other values are computed from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// `%tid` in a dimension.
    ThreadIndex(usize),
    /// `%ntid` in a dimension.
    BlockSize(usize),
    /// `%ctaid` in a dimension.
    CtaIndex(usize),
    /// `%nctaid` in a dimension.
    GridSize(usize),
    /// A parameter of the kernel: the offset and the number of its bytes.
    Parameter(u64, u32),
    /// The address of a variable in shared memory, by its index.
    SharedVariable(u16),
    /// The value of a register that was written last at a place, and that is in an interval.
    Unknown(TermPlace, u32, NumberInterval),
    /// How often a thread has come back to the first block of a loop since it entered the loop, in an attempt to evaluate it.
    Iteration(TermPlace, u32),
    /// A number divided by another one, which is at least 1, rounded down.
    Quotient(Polynomial, Polynomial),
    /// The number of a type that has the bits of a number.
    Typed(Polynomial, NumberType),
    /// By how many times 2^bits a number differs from that.
    Wraps(Polynomial, NumberType),
    /// The result of an instruction, by its index: a function of the operands.
    Function(u32, Vec<Polynomial>),
    /// The bits in which two numbers of so many bits differ.
    Xor(Polynomial, Polynomial, u32),
    /// The smaller one of two numbers.
    Minimum(Polynomial, Polynomial),
    /// The larger one of two numbers.
    Maximum(Polynomial, Polynomial),
    /// The first number if a condition holds, else the second one.
    Choice(TermCondition, Polynomial, Polynomial),
    /// The atom in one of the two threads.
    InThread(u8, AtomId),
}

/// A place at which a value comes into being: later values there replace earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermPlace {
    /// The barrier interval; 0 for the whole kernel.
    pub interval: u32,
    /// What it is.
    pub kind: PlaceKind,
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceKind {
    /// The begin of the kernel.
    Entry,
    /// The begin of a block, where ways meet.
    Join(u32),
    /// An instruction in a block.
    Instruction(u32, u32),
}

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberType {
    /// Unsigned, of so many bits.
    Unsigned(u32),
    /// Two's complement, of so many bits.
    Signed(u32),
}

impl NumberType {
    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Unsigned(bits) | Self::Signed(bits) => bits,
        }
    }

    /// Its numbers.
    pub const fn interval(self) -> NumberInterval {
        match self {
            Self::Unsigned(bits) => (0, (1 << bits) - 1),
            Self::Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }
}

/// A condition on numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermCondition {
    /// A number is in a relation to 0.
    Compare(Polynomial, ZeroRelation),
    /// All of them hold; without any, always.
    All(Vec<TermCondition>),
    /// One of them holds; without any, never.
    Any(Vec<TermCondition>),
}

/// A relation of a number to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZeroRelation {
    /// Whether it holds below 0, for 0, and above.
    pub holds: [bool; 3],
}

impl ZeroRelation {
    /// Equal to 0.
    pub const EQUAL: Self = Self { holds: [false, true, false] };

    const fn negated(self) -> Self {
        let [less, equal, greater] = self.holds;
        Self { holds: [!less, !equal, !greater] }
    }
}

/// The most comparisons of a condition that is kept.
const MOST_COMPARISONS: usize = 12;

impl TermCondition {
    /// What always holds.
    pub const ALWAYS: Self = Self::All(Vec::new());
    /// What never holds.
    pub const NEVER: Self = Self::Any(Vec::new());

    /// A comparison, or its result if that is known.
    pub fn compare(number: Polynomial, relation: ZeroRelation) -> Self {
        match number.as_number() {
            Some(number) if relation.holds[(number.signum() + 1) as usize] => Self::ALWAYS,
            Some(_) => Self::NEVER,
            None if number.terms().next().is_some_and(|(_, coefficient)| coefficient < 0) => {
                let [less, equal, greater] = relation.holds;
                Self::Compare(number.times(-1), ZeroRelation { holds: [greater, equal, less] })
            }
            None => Self::Compare(number, relation),
        }
    }

    /// The opposite.
    pub fn negated(&self) -> Self {
        match self {
            Self::Compare(number, relation) => Self::Compare(number.clone(), relation.negated()),
            Self::All(parts) => Self::Any(parts.iter().map(Self::negated).collect()),
            Self::Any(parts) => Self::All(parts.iter().map(Self::negated).collect()),
        }
    }

    /// Both.
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Any(parts), _) | (_, Self::Any(parts)) if parts.is_empty() => Self::NEVER,
            (Self::All(parts), one) | (one, Self::All(parts)) if parts.is_empty() => one.clone(),
            (one, other) if one == other => one.clone(),
            (one, other) => Self::All(vec![one.clone(), other.clone()]),
        }
    }

    /// One of them, or both.
    pub fn or(&self, other: &Self) -> Self {
        self.negated().and(&other.negated()).negated()
    }

    /// The numbers that are compared.
    pub fn numbers(&self) -> Vec<&Polynomial> {
        match self {
            Self::Compare(number, _) => vec![number],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::numbers).collect(),
        }
    }

    /// Whether it is small enough to be kept.
    pub fn is_small(&self) -> bool {
        self.numbers().len() <= MOST_COMPARISONS
    }

    /// The same with each number replaced; `None` if one is too large.
    pub fn substituted(&self, by: &mut impl FnMut(&Polynomial) -> Option<Polynomial>) -> Option<Self> {
        Some(match self {
            Self::Compare(number, relation) => Self::compare(by(number)?, *relation),
            Self::All(parts) => Self::All(parts.iter().map(|part| part.substituted(by)).collect::<Option<_>>()?),
            Self::Any(parts) => Self::Any(parts.iter().map(|part| part.substituted(by)).collect::<Option<_>>()?),
        })
    }
}

/// The atoms of a kernel, with what is known of their values.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    atoms: Vec<(Atom, NumberInterval)>,
    numbers: BTreeMap<Atom, AtomId>,
    /// The values of some polynomials without constants.
    known: BTreeMap<Polynomial, NumberInterval>,
}

/// The bound of an interval that has none.
pub const UNBOUNDED: i128 = 1 << 100;

impl Terms {
    /// The number of an atom, whose values are in an interval; the first interval that it was given counts.
    pub fn atom(&mut self, atom: Atom, interval: NumberInterval) -> AtomId {
        if let Some(number) = self.numbers.get(&atom) {
            return *number;
        }
        let number = self.atoms.len() as AtomId;
        self.atoms.push((atom.clone(), interval));
        self.numbers.insert(atom, number);
        number
    }

    /// An atom as a polynomial; its value if there is only one.
    pub fn value(&mut self, atom: Atom, interval: NumberInterval) -> Polynomial {
        if interval.0 == interval.1 {
            return Polynomial::number(interval.0);
        }
        Polynomial::atom(self.atom(atom, interval))
    }

    /// An atom by its number.
    pub fn get(&self, atom: AtomId) -> &Atom {
        &self.atoms[atom as usize].0
    }

    /// The number of an atom that there is.
    pub fn find(&self, atom: &Atom) -> Option<AtomId> {
        self.numbers.get(atom).copied()
    }

    /// The values of an atom.
    pub fn interval_of(&self, atom: AtomId) -> NumberInterval {
        self.atoms[atom as usize].1
    }

    /// Notes the values of a polynomial.
    pub fn know(&mut self, number: &Polynomial, (least, most): NumberInterval) {
        let constant = number.constant();
        self.known.insert(number.offset(-constant), (least - constant, most - constant));
    }

    /// The values of a polynomial.
    pub fn interval(&self, number: &Polynomial) -> NumberInterval {
        let (least, most) = self.interval_with(number, &|atom| self.interval_of(atom));
        let constant = number.constant();
        match self.known.get(&number.offset(-constant)) {
            Some((smallest, largest)) => (least.max(smallest + constant), most.min(largest + constant)),
            None => (least, most),
        }
    }

    /// The values of a polynomial, by those of its atoms.
    pub fn interval_with(&self, number: &Polynomial, of: &impl Fn(AtomId) -> NumberInterval) -> NumberInterval {
        let mut sum = (0i128, 0i128);
        for (monomial, coefficient) in number.terms() {
            let product = monomial.iter().fold((1, 1), |product, atom| multiplied(product, of(*atom)));
            let product = multiplied(product, (coefficient, coefficient));
            sum = (bounded(sum.0 + product.0), bounded(sum.1 + product.1));
        }
        sum
    }

    /// Whether a polynomial is a number of a type.
    pub fn fits(&self, number: &Polynomial, ty: NumberType) -> bool {
        let ((smallest, largest), (least, most)) = (ty.interval(), self.interval(number));
        smallest <= least && most <= largest
    }

    /// The number of a type that has the same bits.
    pub fn as_type(&mut self, number: &Polynomial, ty: NumberType) -> Polynomial {
        if self.fits(number, ty) {
            return number.clone();
        }
        let (size, (smallest, _)) = (1i128 << ty.bits(), ty.interval());
        if let Some(known) = number.as_number() {
            return Polynomial::number((known - smallest).rem_euclid(size) + smallest);
        }
        Polynomial::atom(self.typed(number, ty))
    }

    /// The number of a type that has the bits of a number, which does not fit the type.
    pub fn typed(&mut self, number: &Polynomial, ty: NumberType) -> AtomId {
        self.wraps(number, ty);
        self.atom(Atom::Typed(number.clone(), ty), ty.interval())
    }

    /// By how many times 2^bits a number differs from the one of a type that has its bits.
    pub fn wraps(&mut self, number: &Polynomial, ty: NumberType) -> AtomId {
        let (size, (smallest, _), (least, most)) = (1i128 << ty.bits(), ty.interval(), self.interval(number));
        let interval = (divided(least - smallest, size), divided(most - smallest, size));
        self.atom(Atom::Wraps(number.clone(), ty), interval)
    }

    /// The same with another number in place of an atom; `None` if the atom is in a term that is not made anew.
    pub fn replaced(&mut self, number: &Polynomial, atom: AtomId, by: &Polynomial) -> Option<Polynomial> {
        let mut sum = Polynomial::default();
        for (monomial, coefficient) in number.terms() {
            let mut product = Polynomial::number(coefficient);
            for factor in monomial {
                product = product.product(&self.replaced_atom(*factor, atom, by)?)?;
            }
            sum = sum.plus(&product, 1);
        }
        sum.is_small().then_some(sum)
    }

    fn replaced_atom(&mut self, own: AtomId, atom: AtomId, by: &Polynomial) -> Option<Polynomial> {
        if own == atom {
            return Some(by.clone());
        }
        match self.get(own).clone() {
            Atom::Typed(number, ty) => {
                let number = self.replaced(&number, atom, by)?;
                Some(self.as_type(&number, ty))
            }
            Atom::Quotient(dividend, divisor) => {
                let dividend = self.replaced(&dividend, atom, by)?;
                let divisor = self.replaced(&divisor, atom, by)?;
                Some(self.quotient(&dividend, &divisor))
            }
            Atom::Wraps(..)
            | Atom::Function(..)
            | Atom::Xor(..)
            | Atom::Minimum(..)
            | Atom::Maximum(..)
            | Atom::Choice(..)
            | Atom::InThread(..) => None,
            Atom::ThreadIndex(_)
            | Atom::BlockSize(_)
            | Atom::CtaIndex(_)
            | Atom::GridSize(_)
            | Atom::Parameter(..)
            | Atom::SharedVariable(_)
            | Atom::Unknown(..)
            | Atom::Iteration(..) => Some(Polynomial::atom(own)),
        }
    }

    /// The same without types, as if nothing wrapped around.
    pub fn without_types(&self, number: &Polynomial) -> Polynomial {
        let inner = |atom: AtomId| match self.get(atom) {
            Atom::Typed(inner, _) => inner.clone(),
            _ => Polynomial::atom(atom),
        };
        number.substituted(inner).unwrap_or_else(|| number.clone())
    }

    /// The same modulo 2^bits, without types of as many bits or more.
    pub fn untyped(&self, number: &Polynomial, bits: u32) -> Polynomial {
        let mut all = number.clone();
        for (monomial, coefficient) in number.terms() {
            if let [atom] = **monomial
                && let Atom::Typed(inner, ty) = self.get(atom)
                && ty.bits() >= bits
            {
                all = all.plus(&Polynomial::atom(atom), -coefficient).plus(inner, coefficient);
            }
        }
        all.modulo(bits)
    }

    /// A number divided by another one, which is at least 1, rounded down.
    pub fn quotient(&mut self, dividend: &Polynomial, divisor: &Polynomial) -> Polynomial {
        let Some(size) = divisor.as_number() else { return self.rounded_quotient(dividend, divisor) };
        // What is divisible leaves the quotient.
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for (monomial, coefficient) in dividend.terms() {
            match coefficient.rem_euclid(size) {
                0 => whole.push((monomial.clone(), coefficient / size)),
                part if monomial.is_empty() => {
                    whole.push((Vec::new(), coefficient.div_euclid(size)));
                    rest.push((Vec::new(), part));
                }
                _ => rest.push((monomial.clone(), coefficient)),
            }
        }
        let quotient = self.rounded_quotient(&Polynomial::of(rest), divisor);
        quotient.plus(&Polynomial::of(whole), 1)
    }

    fn rounded_quotient(&mut self, dividend: &Polynomial, divisor: &Polynomial) -> Polynomial {
        let ((least, most), (smallest, largest)) = (self.interval(dividend), self.interval(divisor));
        let quotients = [(least, smallest), (least, largest), (most, smallest), (most, largest)];
        let quotients = quotients.map(|(dividend, divisor)| divided(dividend, divisor.max(1)));
        let interval = (quotients.into_iter().min().unwrap_or(0), quotients.into_iter().max().unwrap_or(0));
        self.value(Atom::Quotient(dividend.clone(), divisor.clone()), interval)
    }
}

fn bounded(number: i128) -> i128 {
    number.clamp(-UNBOUNDED, UNBOUNDED)
}

/// A quotient, rounded down; what has no bound keeps none.
fn divided(dividend: i128, divisor: i128) -> i128 {
    if dividend.abs() >= UNBOUNDED / 2 { UNBOUNDED * dividend.signum() } else { dividend.div_euclid(divisor) }
}

fn multiplied(one: NumberInterval, other: NumberInterval) -> NumberInterval {
    let product = |one: i128, other: i128| match one.checked_mul(other) {
        Some(product) => bounded(product),
        None => UNBOUNDED * one.signum() * other.signum(),
    };
    let products = [product(one.0, other.0), product(one.0, other.1), product(one.1, other.0), product(one.1, other.1)];
    (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0))
}

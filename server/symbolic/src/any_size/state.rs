//! What a thread knows at a place: the values of its registers, and conditions that hold.

use crate::BlockKernel;
use crate::any_size::arithmetic::TermValue;
use crate::any_size::flow::KernelFlow;
use crate::any_size::polynomial::{AtomId, Polynomial};
use crate::any_size::terms::{Atom, NumberInterval, TermCondition, TermPlace, Terms, ZeroRelation};
use program::MachineFunction;
use std::collections::BTreeMap;

/// Values by their numbers.
#[derive(Debug)]
pub struct Interner<T> {
    values: Vec<T>,
    numbers: BTreeMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Interner<T> {
    /// The number of a value.
    pub fn number(&mut self, value: T) -> u32 {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    /// The value with a number.
    pub fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}

/// A kernel, and the terms of its values.
#[derive(Debug)]
pub struct TermContext<'p> {
    /// The kernel.
    pub kernel: &'p BlockKernel<'p>,
    /// Its control flow.
    pub flow: KernelFlow,
    /// The sizes that its launches may have.
    pub sizes: LaunchSizes,
    /// The atoms.
    pub terms: Terms,
    /// The values of registers.
    pub values: Interner<TermValue>,
    /// The conditions that hold somewhere.
    pub facts: Interner<TermCondition>,
}

/// The sizes that launches may have, and the values of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchSizes {
    /// The threads of a block in each dimension.
    pub block: [NumberInterval; 3],
    /// The blocks of the grid in each dimension.
    pub grid: [NumberInterval; 3],
    /// The values of integer parameters, as unsigned numbers, by their offsets.
    pub parameters: BTreeMap<u64, NumberInterval>,
}

impl LaunchSizes {
    /// Those of all launches.
    pub const ALL: Self = Self {
        block: [(1, 1024), (1, 1024), (1, 64)],
        grid: [(1, (1 << 31) - 1), (1, 65_535), (1, 65_535)],
        parameters: BTreeMap::new(),
    };
}

impl<'p> TermContext<'p> {
    /// The code of the kernel.
    pub fn function(&self) -> &'p MachineFunction {
        self.kernel.function
    }

    /// A value that nothing is known of.
    pub fn unknown(&mut self, place: TermPlace, slot: u32, bits: u32) -> u32 {
        let interval = (0, (1i128 << bits) - 1);
        let value = match bits {
            1 => self.unknown_predicate(place, slot),
            _ => TermValue::Number(self.terms.value(Atom::Unknown(place, slot, interval), interval), bits),
        };
        self.values.number(value)
    }

    fn unknown_predicate(&mut self, place: TermPlace, slot: u32) -> TermValue {
        let atom = self.terms.value(Atom::Unknown(place, slot, (0, 1)), (0, 1));
        TermValue::Predicate(TermCondition::Compare(atom.offset(-1), ZeroRelation::EQUAL))
    }
}

/// What a thread knows at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadKnowledge {
    /// The value of each register.
    pub registers: Vec<u32>,
    /// The conditions that hold.
    pub facts: Vec<u32>,
}

/// The most conditions that are kept.
const MOST_FACTS: usize = 64;

impl ThreadKnowledge {
    /// Adds a condition; whether it may hold.
    pub fn assume(&mut self, condition: &TermCondition, facts: &mut Interner<TermCondition>) -> bool {
        match condition {
            TermCondition::All(parts) => parts.iter().all(|part| self.assume(part, facts)),
            TermCondition::Any(parts) if parts.is_empty() => false,
            _ => {
                let fact = facts.number(condition.clone());
                if let Err(at) = self.facts.binary_search(&fact)
                    && self.facts.len() < MOST_FACTS
                {
                    self.facts.insert(at, fact);
                }
                true
            }
        }
    }

    /// Narrower intervals of atoms, by the conditions.
    pub fn intervals(&self, context: &TermContext) -> BTreeMap<AtomId, NumberInterval> {
        let mut known = BTreeMap::new();
        for _ in 0..2 {
            for fact in &self.facts {
                if let TermCondition::Compare(number, relation) = context.facts.get(*fact) {
                    narrow(number, *relation, &context.terms, &mut known);
                }
            }
        }
        known
    }
}

/// Narrows the intervals of atoms that a comparison of a number with 0 names once.
fn narrow(number: &Polynomial, relation: ZeroRelation, terms: &Terms, known: &mut BTreeMap<AtomId, NumberInterval>) {
    let [less, equal, greater] = relation.holds;
    let strict = i128::from(!equal);
    for (monomial, coefficient) in number.terms() {
        let [atom] = **monomial else { continue };
        if number.atoms().filter(|other| *other == atom).count() > 1 {
            continue;
        }
        let interval = |atom: AtomId| known.get(&atom).copied().unwrap_or(terms.interval_of(atom));
        let rest = terms.interval_with(&number.plus(&Polynomial::atom(atom), -coefficient), &interval);
        let mut own = interval(atom);
        let size = coefficient.abs();
        // The rest is at least `rest.0`, so the atom times its coefficient is at most that below 0.
        if !greater {
            let most = (-rest.0 - strict).div_euclid(size);
            own = if coefficient > 0 { (own.0, own.1.min(most)) } else { (own.0.max(-most), own.1) };
        }
        if !less {
            let least = -(rest.1 - strict).div_euclid(size);
            own = if coefficient > 0 { (own.0.max(least), own.1) } else { (own.0, own.1.min(-least)) };
        }
        if own.0 <= own.1 {
            known.insert(atom, own);
        }
    }
}

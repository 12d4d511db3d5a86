//! What instructions compute on terms.

use crate::any_size::polynomial::Polynomial;
use crate::any_size::terms::{Atom, NumberType, TermCondition, Terms, ZeroRelation};
use values::scalar::{IntegerFunction, OrderedComparison, PredicateLogic, ScalarType};

/// The value of a register.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermValue {
    /// A number modulo 2^bits.
    Number(Polynomial, u32),
    /// A predicate.
    Predicate(TermCondition),
}

impl TermValue {
    /// A number of so many bits.
    pub fn number(number: &Polynomial, bits: u32) -> Self {
        Self::Number(number.modulo(bits), bits)
    }

    /// The condition under which it is not 0.
    pub fn condition(&self, terms: &mut Terms) -> TermCondition {
        match self {
            Self::Predicate(condition) => condition.clone(),
            Self::Number(number, bits) => {
                let number = terms.as_type(number, NumberType::Unsigned(*bits));
                TermCondition::compare(number, ZeroRelation { holds: [true, false, true] })
            }
        }
    }

    /// The value modulo 2^bits.
    pub fn bits(&self, bits: u32, terms: &mut Terms) -> Polynomial {
        match self {
            Self::Number(number, own) if *own >= bits => terms.untyped(number, bits),
            Self::Number(number, own) => terms.as_type(number, NumberType::Unsigned(*own)),
            Self::Predicate(condition) => {
                let (one, zero) = (Polynomial::number(1), Polynomial::default());
                choice(condition, &one, &zero, terms)
            }
        }
    }

    /// The value as a number of a type.
    pub fn typed(&self, ty: ScalarType, terms: &mut Terms) -> Polynomial {
        let bits = self.bits(ty.bits(), terms);
        terms.as_type(&bits, integer_type(ty))
    }
}

/// One of two numbers, by a condition.
pub fn choice(condition: &TermCondition, one: &Polynomial, other: &Polynomial, terms: &mut Terms) -> Polynomial {
    if one == other || *condition == TermCondition::ALWAYS {
        return one.clone();
    }
    if *condition == TermCondition::NEVER {
        return other.clone();
    }
    let ((a, b), (c, d)) = (terms.interval(one), terms.interval(other));
    terms.value(Atom::Choice(condition.clone(), one.clone(), other.clone()), (a.min(c), b.max(d)))
}

const fn integer_type(ty: ScalarType) -> NumberType {
    if ty.is_signed() { NumberType::Signed(ty.bits()) } else { NumberType::Unsigned(ty.bits()) }
}

/// An instruction on numbers.
pub struct TermComputation<'a> {
    /// What it computes.
    pub function: IntegerFunction,
    /// The types of its sources.
    pub types: &'a [ScalarType],
    /// The type of its result.
    pub result: ScalarType,
    /// Its sources.
    pub sources: &'a [TermValue],
}

impl TermComputation<'_> {
    /// The result; `None` if there is no term for it.
    pub fn value(&self, terms: &mut Terms) -> Option<TermValue> {
        if let IntegerFunction::Compare(comparison) = self.function {
            return self.compared(comparison, terms).map(TermValue::Predicate);
        }
        if self.result == ScalarType::Predicate {
            return self.logic(terms).map(TermValue::Predicate);
        }
        let number = self.number(terms)?;
        number.is_small().then(|| TermValue::number(&number, self.result.bits()))
    }

    /// Source `at` modulo 2^bits of the result.
    fn bits(&self, at: usize, terms: &mut Terms) -> Polynomial {
        self.sources[at].bits(self.result.bits(), terms)
    }

    /// Source `at` as a number of its type.
    fn typed(&self, at: usize, terms: &mut Terms) -> Polynomial {
        self.sources[at].typed(self.types[at], terms)
    }

    fn number(&self, terms: &mut Terms) -> Option<Polynomial> {
        let bits = self.result.bits();
        Some(match self.function {
            IntegerFunction::Sum => self.bits(0, terms).plus(&self.bits(1, terms), 1),
            IntegerFunction::Difference => self.bits(0, terms).plus(&self.bits(1, terms), -1),
            IntegerFunction::Negation => self.bits(0, terms).times(-1),
            IntegerFunction::Complement => self.bits(0, terms).times(-1).offset(-1),
            IntegerFunction::Product => self.bits(0, terms).product(&self.bits(1, terms))?,
            IntegerFunction::ProductSum => {
                let product = self.bits(0, terms).product(&self.bits(1, terms))?;
                product.plus(&self.bits(2, terms), 1)
            }
            IntegerFunction::WideProduct => self.typed(0, terms).product(&self.typed(1, terms))?,
            IntegerFunction::WideProductSum => {
                let product = self.typed(0, terms).product(&self.typed(1, terms))?;
                product.plus(&self.bits(2, terms), 1)
            }
            IntegerFunction::Quotient => self.quotient(terms)?.1,
            IntegerFunction::Remainder => {
                let (divisor, quotient) = self.quotient(terms)?;
                self.typed(0, terms).plus(&quotient.product(&divisor)?, -1)
            }
            IntegerFunction::Minimum | IntegerFunction::Maximum => self.extremum(terms),
            IntegerFunction::And => self.and(terms)?,
            IntegerFunction::Or => self.or(terms)?,
            IntegerFunction::Xor => self.xor(terms)?,
            IntegerFunction::ShiftLeft => match self.typed(1, terms).as_number()? {
                shift if shift < i128::from(bits) => self.bits(0, terms).product(&Polynomial::number(1 << shift))?,
                _ => Polynomial::default(),
            },
            IntegerFunction::ShiftRight => {
                let shift = self.typed(1, terms).as_number()?.min(i128::from(bits));
                let number = self.typed(0, terms);
                terms.quotient(&number, &Polynomial::number(1 << shift))
            }
            IntegerFunction::Copy => self.bits(0, terms),
            IntegerFunction::Select => {
                let condition = self.sources[2].condition(terms);
                let (one, other) = (self.bits(0, terms), self.bits(1, terms));
                condition.is_small().then(|| choice(&condition, &one, &other, terms))?
            }
            IntegerFunction::Conversion => self.typed(0, terms),
            IntegerFunction::Compare(_) => return None,
        })
    }

    /// The divisor and the quotient, of numbers whose quotient is rounded down.
    fn quotient(&self, terms: &mut Terms) -> Option<(Polynomial, Polynomial)> {
        let (dividend, divisor) = (self.typed(0, terms), self.typed(1, terms));
        if terms.interval(&divisor).0 < 1 || terms.interval(&dividend).0 < 0 {
            return None;
        }
        let quotient = terms.quotient(&dividend, &divisor);
        Some((divisor, quotient))
    }

    fn extremum(&self, terms: &mut Terms) -> Polynomial {
        let (one, other) = (self.typed(0, terms), self.typed(1, terms));
        let ((a, b), (c, d)) = (terms.interval(&one), terms.interval(&other));
        let is_minimum = self.function == IntegerFunction::Minimum;
        match is_minimum {
            _ if a >= d => {
                if is_minimum {
                    other
                } else {
                    one
                }
            }
            _ if b <= c => {
                if is_minimum {
                    one
                } else {
                    other
                }
            }
            true => terms.value(Atom::Minimum(one, other), (a.min(c), b.min(d))),
            false => terms.value(Atom::Maximum(one, other), (a.max(c), b.max(d))),
        }
    }

    fn and(&self, terms: &mut Terms) -> Option<Polynomial> {
        let bits = self.result.bits();
        let sources = [self.bits(0, terms), self.bits(1, terms)];
        let constant = |at: usize| sources[at].as_number();
        let (mask, number) = match (constant(0), constant(1)) {
            (_, Some(mask)) => (mask, &sources[0]),
            (Some(mask), _) => (mask, &sources[1]),
            _ => return None,
        };
        let mask = mask.rem_euclid(1 << bits) as u128;
        if mask == 0 {
            return Some(Polynomial::default());
        }
        // The mask has the bits from `first` up to `end`.
        let first = mask.trailing_zeros();
        let end = 128 - mask.leading_zeros();
        if (mask >> first).count_ones() != end - first {
            return None;
        }
        let low = |at: u32, terms: &mut Terms| {
            let size = Polynomial::number(1 << at);
            let quotient = terms.quotient(number, &size);
            quotient.product(&size)
        };
        let above_first = low(first, terms)?;
        Some(if end == bits { above_first } else { above_first.plus(&low(end, terms)?, -1) })
    }

    /// The sum of two numbers without a bit that both have.
    fn disjoint_sum(&self, terms: &mut Terms) -> Option<Polynomial> {
        let sources = [self.bits(0, terms), self.bits(1, terms)];
        let fits = |high: &Polynomial, low: &Polynomial| {
            let (least, most) = terms.interval(low);
            let size = 1i128 << (128 - (most.max(0) as u128).leading_zeros());
            least >= 0 && high.terms().all(|(_, coefficient)| coefficient % size == 0)
        };
        let [one, other] = &sources;
        (fits(one, other) || fits(other, one)).then(|| one.plus(other, 1))
    }

    fn or(&self, terms: &mut Terms) -> Option<Polynomial> {
        self.disjoint_sum(terms)
    }

    fn xor(&self, terms: &mut Terms) -> Option<Polynomial> {
        if let Some(sum) = self.disjoint_sum(terms) {
            return Some(sum);
        }
        let bits = self.result.bits();
        let ty = NumberType::Unsigned(bits);
        let sources = [self.bits(0, terms), self.bits(1, terms)];
        let mut sources = sources.map(|source| terms.as_type(&source, ty));
        sources.sort();
        let [one, other] = sources;
        let most = terms.interval(&one).1.max(terms.interval(&other).1) as u128;
        let largest = (1i128 << (128 - most.leading_zeros()).min(bits)) - 1;
        Some(terms.value(Atom::Xor(one, other, bits), (0, largest)))
    }

    fn compared(&self, comparison: OrderedComparison, terms: &mut Terms) -> Option<TermCondition> {
        let difference = self.typed(0, terms).plus(&self.typed(1, terms), -1);
        let compared = TermCondition::compare(difference, ZeroRelation { holds: comparison.holds });
        let compared = decided(compared, terms);
        let condition = match comparison.combination {
            PredicateLogic::None => compared,
            PredicateLogic::And => compared.and(&self.sources[2].condition(terms)),
            PredicateLogic::Or => compared.or(&self.sources[2].condition(terms)),
            PredicateLogic::Xor => differing(&compared, &self.sources[2].condition(terms)),
        };
        condition.is_small().then_some(condition)
    }

    /// A function of predicates.
    fn logic(&self, terms: &mut Terms) -> Option<TermCondition> {
        let sources: Vec<TermCondition> = self.sources.iter().map(|source| source.condition(terms)).collect();
        let condition = match (self.function, &*sources) {
            (IntegerFunction::And, [one, other, ..]) => one.and(other),
            (IntegerFunction::Or, [one, other, ..]) => one.or(other),
            (IntegerFunction::Xor, [one, other, ..]) => differing(one, other),
            (IntegerFunction::Complement, [one, ..]) => one.negated(),
            (IntegerFunction::Copy, [one, ..]) => one.clone(),
            _ => return None,
        };
        condition.is_small().then_some(condition)
    }
}

/// One of two conditions, and not the other.
fn differing(one: &TermCondition, other: &TermCondition) -> TermCondition {
    one.and(&other.negated()).or(&one.negated().and(other))
}

/// A comparison, or its result if the values of the number decide it.
pub fn decided(condition: TermCondition, terms: &Terms) -> TermCondition {
    let TermCondition::Compare(number, relation) = &condition else { return condition };
    let (least, most) = terms.interval(number);
    let possible = [least < 0, least <= 0 && most >= 0, most > 0];
    let holds = |wanted: bool| (0..3).all(|at| !possible[at] || relation.holds[at] == wanted);
    match () {
        () if holds(true) => TermCondition::ALWAYS,
        () if holds(false) => TermCondition::NEVER,
        () => condition,
    }
}

//! Whether linear inequalities have a common solution in rational numbers.
//!
//! The algorithm is the simplex of Dutertre and de Moura (A Fast Linear-Arithmetic Solver for DPLL(T), 2006): a row for each inequality, bounds for
//! each variable, and the smallest index first, so that it ends. Numbers are exact; where one becomes too large, nothing is decided.

use std::cmp::Ordering;

/// A rational number: a numerator, and a denominator that is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational(i128, i128);

impl Rational {
    const ZERO: Self = Self(0, 1);

    /// A whole number.
    pub const fn whole(number: i128) -> Self {
        Self(number, 1)
    }

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator.checked_abs()?, denominator.checked_abs()?).max(1);
        let sign = denominator.signum();
        Some(Self(numerator / divisor * sign, denominator / divisor * sign))
    }

    fn plus(self, other: Self) -> Option<Self> {
        if self.1 == 1 && other.1 == 1 {
            return Some(Self(self.0.checked_add(other.0)?, 1));
        }
        let sum = self.0.checked_mul(other.1)?.checked_add(other.0.checked_mul(self.1)?)?;
        Self::new(sum, self.1.checked_mul(other.1)?)
    }

    fn times(self, other: Self) -> Option<Self> {
        if self.0 == 0 || other.0 == 0 {
            return Some(Self::ZERO);
        }
        Self::new(self.0.checked_mul(other.0)?, self.1.checked_mul(other.1)?)
    }

    fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self(-other.0, other.1))
    }

    fn divided(self, other: Self) -> Option<Self> {
        self.times(Self(other.1 * other.0.signum(), other.0.checked_abs()?))
    }

    fn order(self, other: Self) -> Option<Ordering> {
        Some(self.minus(other)?.0.cmp(&0))
    }

    /// The largest whole number that is not larger, if it is not whole itself.
    pub fn fraction_below(self) -> Option<i128> {
        (self.1 != 1).then(|| self.0.div_euclid(self.1))
    }
}

/// The greatest common divisor.
pub fn gcd(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The bounds of a variable, as far as it has some.
#[derive(Clone, Copy, Debug, Default)]
pub struct VariableBounds {
    /// The smallest value.
    pub least: Option<i128>,
    /// The largest value.
    pub most: Option<i128>,
}

/// An inequality: the sum of variables with coefficients is at least a number.
#[derive(Clone, Debug)]
pub struct LinearInequality {
    /// The variables with their coefficients.
    pub sum: Vec<(usize, i128)>,
    /// The number.
    pub least: i128,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinearFeasibility {
    /// There is no solution.
    Infeasible,
    /// There is one: the values of the variables.
    Feasible(Vec<Rational>),
    /// The bound on steps or numbers was reached.
    Undecided,
}

struct Tableau {
    /// The bounds of the variables, and then of the rows.
    bounds: Vec<VariableBounds>,
    values: Vec<Rational>,
    /// The variable that each row defines, by those that are in no row.
    basic: Vec<usize>,
    others: Vec<usize>,
    rows: Vec<Vec<Rational>>,
}

/// Whether there are values within the bounds for which all inequalities hold; each pivot takes one of the steps.
pub fn solve(bounds: &[VariableBounds], inequalities: &[LinearInequality], steps: &mut usize) -> LinearFeasibility {
    if bounds.iter().any(|one| one.least.zip(one.most).is_some_and(|(least, most)| least > most)) {
        return LinearFeasibility::Infeasible;
    }
    let mut tableau = Tableau::new(bounds, inequalities);
    match tableau.search(steps) {
        Some(true) => LinearFeasibility::Feasible(tableau.values[..bounds.len()].to_vec()),
        Some(false) => LinearFeasibility::Infeasible,
        None => LinearFeasibility::Undecided,
    }
}

impl Tableau {
    fn new(bounds: &[VariableBounds], inequalities: &[LinearInequality]) -> Self {
        let count = bounds.len();
        let begin = |one: &VariableBounds| Rational::whole(one.least.or(one.most).unwrap_or(0));
        let mut tableau = Self {
            bounds: bounds.to_vec(),
            values: bounds.iter().map(begin).collect(),
            basic: Vec::new(),
            others: (0..count).collect(),
            rows: Vec::new(),
        };
        for (number, inequality) in inequalities.iter().enumerate() {
            let mut row = vec![Rational::ZERO; count];
            inequality.sum.iter().for_each(|(at, coefficient)| row[*at] = Rational::whole(*coefficient));
            tableau.bounds.push(VariableBounds { least: Some(inequality.least), most: None });
            tableau.basic.push(count + number);
            tableau.rows.push(row);
            tableau.values.push(Rational::ZERO);
        }
        tableau
    }

    /// Whether there is a solution; `None` if that is not decided.
    fn search(&mut self, steps: &mut usize) -> Option<bool> {
        for row in 0..self.rows.len() {
            self.values[self.basic[row]] = self.sum(row)?;
        }
        loop {
            let Some((row, wanted, rises)) = self.violated()? else { return Some(true) };
            let Some(column) = self.entering(row, rises)? else { return Some(false) };
            *steps = steps.checked_sub(1)?;
            self.pivot(row, column, wanted)?;
        }
    }

    fn sum(&self, row: usize) -> Option<Rational> {
        let terms = self.rows[row].iter().zip(&self.others);
        terms
            .filter(|(factor, _)| factor.0 != 0)
            .try_fold(Rational::ZERO, |sum, (factor, other)| sum.plus(factor.times(self.values[*other])?))
    }

    /// The row of the first variable that is out of its bounds, the bound, and whether it has to rise.
    fn violated(&self) -> Option<Option<(usize, Rational, bool)>> {
        let mut found: Option<(usize, Rational, bool)> = None;
        for (row, variable) in self.basic.iter().enumerate() {
            let (value, bounds) = (self.values[*variable], self.bounds[*variable]);
            let bound = match bounds {
                VariableBounds { least: Some(least), .. } if value.order(Rational::whole(least))?.is_lt() => {
                    (least, true)
                }
                VariableBounds { most: Some(most), .. } if value.order(Rational::whole(most))?.is_gt() => (most, false),
                _ => continue,
            };
            if found.is_none_or(|(other, ..)| self.basic[other] > *variable) {
                found = Some((row, Rational::whole(bound.0), bound.1));
            }
        }
        Some(found)
    }

    /// The first variable that can change so that a row changes as it has to.
    fn entering(&self, row: usize, rises: bool) -> Option<Option<usize>> {
        let mut found: Option<usize> = None;
        for (column, variable) in self.others.iter().enumerate() {
            let factor = self.rows[row][column];
            if factor.0 == 0 {
                continue;
            }
            let goes_up = (factor.0 > 0) == rises;
            let (value, bounds) = (self.values[*variable], self.bounds[*variable]);
            let can = match (goes_up, bounds) {
                (true, VariableBounds { most: Some(most), .. }) => value.order(Rational::whole(most))?.is_lt(),
                (false, VariableBounds { least: Some(least), .. }) => value.order(Rational::whole(least))?.is_gt(),
                _ => true,
            };
            if can && found.is_none_or(|other| self.others[other] > *variable) {
                found = Some(column);
            }
        }
        Some(found)
    }

    /// Exchanges the variable of a row with that of a column, and gives the former a value.
    fn pivot(&mut self, row: usize, column: usize, wanted: Rational) -> Option<()> {
        let (leaving, entering) = (self.basic[row], self.others[column]);
        let factor = self.rows[row][column];
        let change = wanted.minus(self.values[leaving])?.divided(factor)?;
        self.values[leaving] = wanted;
        self.values[entering] = self.values[entering].plus(change)?;
        let inverse = Rational::whole(1).divided(factor)?;
        let mut new = self.rows[row].clone();
        for (at, entry) in new.iter_mut().enumerate() {
            *entry = if at == column { inverse } else { Rational(-entry.0, entry.1).times(inverse)? };
        }
        for other in (0..self.rows.len()).filter(|other| *other != row) {
            let factor = self.rows[other][column];
            if factor.0 == 0 {
                continue;
            }
            let variable = self.basic[other];
            self.values[variable] = self.values[variable].plus(factor.times(change)?)?;
            for (at, entry) in new.iter().enumerate() {
                let old = if at == column { Rational::ZERO } else { self.rows[other][at] };
                self.rows[other][at] = old.plus(factor.times(*entry)?)?;
            }
        }
        self.rows[row] = new;
        (self.basic[row], self.others[column]) = (entering, leaving);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(sum: &[(usize, i128)], least: i128) -> LinearInequality {
        LinearInequality { sum: sum.to_vec(), least }
    }

    #[test]
    fn a_cycle_of_orders_has_no_solution() {
        let bounds = [VariableBounds::default(); 3];
        let cycle = [at_least(&[(0, 1), (1, -1)], 1), at_least(&[(1, 1), (2, -1)], 0), at_least(&[(2, 1), (0, -1)], 0)];
        assert_eq!(solve(&bounds, &cycle, &mut 100), LinearFeasibility::Infeasible);
        assert!(matches!(solve(&bounds, &cycle[1..], &mut 100), LinearFeasibility::Feasible(_)));
    }

    #[test]
    fn bounds_count() {
        let bounds = [VariableBounds { least: Some(0), most: Some(31) }; 2];
        let sum = |least| solve(&bounds, &[at_least(&[(0, 1), (1, 1)], least)], &mut 100);
        assert!(matches!(sum(62), LinearFeasibility::Feasible(_)));
        assert_eq!(sum(63), LinearFeasibility::Infeasible);
    }

    #[test]
    fn solutions_are_rational() {
        let bounds = [VariableBounds { least: Some(0), most: Some(1) }];
        let half = [at_least(&[(0, 2)], 1), at_least(&[(0, -2)], -1)];
        let LinearFeasibility::Feasible(values) = solve(&bounds, &half, &mut 100) else { panic!("no solution") };
        assert_eq!(values[0].fraction_below(), Some(0));
    }
}

//! Symbolic values: nodes of a graph whose leaves are constants and reads.

use crate::Bits;
use crate::code::arithmetic::{Alu, Compare};
use crate::code::register_function::RegisterFunction;
use crate::code::update::Update;

/// A symbolic value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A known value.
    Constant(Bits),
    /// The value that a read observes.
    Read(usize),
    /// The result of an arithmetic operation.
    Compute(Alu, usize, usize),
    /// The second operand if the first is not zero, else the third.
    Select(usize, usize, usize),
    /// The result of a function.
    Apply(RegisterFunction, [usize; 4]),
    /// The value that an atomic writes; operands: memory, b, c.
    Update(Update, usize, usize, usize),
    /// 1 if a comparison is true, else 0.
    Compare(Compare, usize, usize),
    /// A base address plus an offset.
    Displaced(usize, i64),
}

impl Node {
    /// Its operands.
    pub fn operands(&self) -> impl Iterator<Item = usize> {
        let all = match *self {
            Node::Constant(_) | Node::Read(_) => [None; 4],
            Node::Displaced(a, _) => [Some(a), None, None, None],
            Node::Compute(_, a, b) | Node::Compare(_, a, b) => [Some(a), Some(b), None, None],
            Node::Select(a, b, c) | Node::Update(_, a, b, c) => [Some(a), Some(b), Some(c), None],
            Node::Apply(_, operands) => operands.map(Some),
        };
        all.into_iter().flatten()
    }

    /// Its value, if those of its operands are known. The value of a read is not known here.
    pub fn value(&self, of: impl Fn(usize) -> Option<Bits>) -> Option<Bits> {
        Some(match *self {
            Node::Constant(value) => value,
            Node::Read(_) => return None,
            Node::Compute(alu, a, b) => alu.apply(of(a)?, of(b)?),
            Node::Select(condition, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                if of(condition)? != 0 { a } else { b }
            }
            Node::Apply(ref function, [a, b, c, d]) => function.apply([of(a)?, of(b)?, of(c)?, of(d)?]),
            Node::Update(update, memory, b, c) => {
                let memory = of(memory)?;
                update.apply(memory, of(b)?, of(c)?).unwrap_or(memory)
            }
            Node::Compare(compare, a, b) => compare.holds(of(a)?, of(b)?).into(),
            Node::Displaced(base, offset) => (of(base)? as u64).wrapping_add_signed(offset).into(),
        })
    }
}

//! What an instruction on integers computes, for analyses that keep terms instead of values.

use crate::scalar::{Kind, ScalarOperation, ScalarType};

/// A function of integers and predicates. Its width is that of the destination, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerFunction {
    /// a + b
    Sum,
    /// a - b
    Difference,
    /// The low half of a * b.
    Product,
    /// The low half of a * b, plus c.
    ProductSum,
    /// All of a * b.
    WideProduct,
    /// All of a * b, plus c.
    WideProductSum,
    /// a / b, rounded towards zero.
    Quotient,
    /// What is left of a after that.
    Remainder,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// -a
    Negation,
    /// The bits that both have.
    And,
    /// The bits that one has.
    Or,
    /// The bits in which they differ.
    Xor,
    /// The bits that a lacks.
    Complement,
    /// a times a power of two; 0 from the width on.
    ShiftLeft,
    /// a divided by a power of two, rounded down.
    ShiftRight,
    /// a
    Copy,
    /// a if c holds, else b.
    Select,
    /// Whether two numbers are in an order, combined with a predicate.
    Compare(OrderedComparison),
    /// a, as a number of its type, in the width of the destination.
    Conversion,
}

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedComparison {
    /// Whether it holds if a < b, if a = b, and if a > b.
    pub holds: [bool; 3],
    /// How the result is combined with the third source.
    pub combination: PredicateLogic,
}

/// How a comparison is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateLogic {
    /// It is not.
    None,
    /// Both have to hold.
    And,
    /// One has to hold.
    Or,
    /// One of them has to hold, and the other not.
    Xor,
}

impl ScalarOperation {
    /// The function of integers that the instruction computes; `None` if it is none of these.
    pub fn integer_function(&self) -> Option<IntegerFunction> {
        let is_number = |ty: &ScalarType| ty.is_integer() || *ty == ScalarType::Predicate;
        if !is_number(&self.destination_type()) || !self.source_types().iter().all(is_number) {
            return None;
        }
        match self.kind {
            Kind::Integer(operation) => operation.function(),
            Kind::Logic(operation) => operation.function(),
            Kind::Compare(comparison) => comparison.function(),
            Kind::Conversion(conversion) if conversion.keeps_bits() => Some(IntegerFunction::Conversion),
            Kind::Carry(_)
            | Kind::Ternary(_)
            | Kind::BitField(_)
            | Kind::Dot(_)
            | Kind::SelectBySign(_)
            | Kind::FloatClass(_)
            | Kind::Float(_)
            | Kind::Float64(_)
            | Kind::Division(_)
            | Kind::Extremum(_)
            | Kind::Conversion(_)
            | Kind::Video(_)
            | Kind::Approximation(_)
            | Kind::Packed(_) => None,
        }
    }
}

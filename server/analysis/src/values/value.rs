//! The value of a written operand.

use crate::values::{is_constant, number};
use syntax::{Operand, OperandKind};

/// The value of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// A register, by its symbol index.
    Register(usize),
    /// A variable and a number of bytes.
    Variable {
        /// The index of the variable.
        at: usize,
        /// The offset in it in bytes.
        offset: i64,
    },
    /// An integer.
    Number(i128),
    /// `[base+offset]`; the offset is `None` if it is not a number.
    Address {
        /// The value of the base.
        base: Box<OperandValue>,
        /// The offset in bytes, if it is a number.
        offset: Option<i64>,
    },
    /// `{…}`, `p|q`, or another operand that uses these registers.
    List(Vec<OperandValue>),
    /// Anything else.
    Other,
}

impl OperandValue {
    /// Calls `visit` with every register in it.
    pub fn registers(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            OperandValue::Register(register) => visit(*register),
            OperandValue::Address { base, .. } => base.registers(visit),
            OperandValue::List(values) => values.iter().for_each(|value| value.registers(visit)),
            OperandValue::Variable { .. } | OperandValue::Number(_) | OperandValue::Other => {}
        }
    }
}

/// Evaluates an operand. The recursion is bounded by the nesting depth that `syntax` allows.
pub(in crate::values) fn read(operand: &Operand, names: &dyn Fn(&str) -> Option<OperandValue>) -> OperandValue {
    match operand.kind {
        OperandKind::Name => names(&operand.token.text).unwrap_or(OperandValue::Other),
        OperandKind::Sum => {
            let Some((base, offset)) = operand.parts() else { return OperandValue::Other };
            let addend = number(&offset.token).and_then(|addend| i64::try_from(addend).ok());
            match (names(&base.token.text), addend) {
                (Some(OperandValue::Variable { at, offset }), Some(addend)) => {
                    OperandValue::Variable { at, offset: offset.saturating_add(addend) }
                }
                (Some(register @ OperandValue::Register(_)), _) => OperandValue::List(vec![register]),
                _ => OperandValue::Other,
            }
        }
        OperandKind::Address => match operand.address() {
            Some(address) => {
                let offset = match &address.offset {
                    Some(token) => number(token).and_then(|value| i64::try_from(value).ok()),
                    None => Some(0),
                };
                let base = match address.base.kind {
                    OperandKind::Name | OperandKind::Constant => read(&address.base, names),
                    _ => OperandValue::Other,
                };
                OperandValue::Address { base: Box::new(base), offset }
            }
            None => registers_in(operand, names),
        },
        OperandKind::Vector => OperandValue::List(operand.lanes().iter().map(|lane| lane_value(lane, names)).collect()),
        _ if is_constant(operand) => number(&operand.token).map_or(OperandValue::Other, OperandValue::Number),
        OperandKind::Element
        | OperandKind::Subscript
        | OperandKind::Negation
        | OperandKind::Pair
        | OperandKind::Other => registers_in(operand, names),
        OperandKind::Constant | OperandKind::Sink => OperandValue::Other,
    }
}

fn lane_value(lane: &Operand, names: &dyn Fn(&str) -> Option<OperandValue>) -> OperandValue {
    match lane.kind {
        OperandKind::Name => names(&lane.token.text).unwrap_or(OperandValue::Other),
        _ if is_constant(lane) => number(&lane.token).map_or(OperandValue::Other, OperandValue::Number),
        _ => registers_in(lane, names),
    }
}

/// All registers in an operand.
fn registers_in(operand: &Operand, names: &dyn Fn(&str) -> Option<OperandValue>) -> OperandValue {
    let values = operand.tokens().into_iter().filter_map(|token| names(&token.text));
    OperandValue::List(values.filter(|value| matches!(value, OperandValue::Register(_))).collect())
}

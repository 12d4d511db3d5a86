//! What a written operand means, given what its names mean.

use super::{is_constant, number};
use syntax::{Operand, OperandKind};

/// What an operand means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A register, by its number in this function.
    Register(usize),
    /// A variable and a number of bytes.
    Variable { at: usize, offset: i64 },
    /// An integer.
    Number(i128),
    /// `[base+offset]`; no offset where it is no plain number.
    Address { base: Box<Value>, offset: Option<i64> },
    /// `{…}` or `p|q`, or an operand that is made of these registers.
    List(Vec<Value>),
    /// Whatever else.
    Other,
}

impl Value {
    /// Shows every register in it.
    pub(crate) fn registers(&self, see: &mut dyn FnMut(usize)) {
        match self {
            Value::Register(register) => see(*register),
            Value::Address { base, .. } => base.registers(see),
            Value::List(values) => values.iter().for_each(|value| value.registers(see)),
            Value::Variable { .. } | Value::Number(_) | Value::Other => {}
        }
    }
}

/// Reads an operand; nests no deeper than operands do in the view of `syntax`.
pub(super) fn read(operand: &Operand, names: &dyn Fn(&str) -> Option<Value>) -> Value {
    match operand.kind {
        OperandKind::Name => names(&operand.token.text).unwrap_or(Value::Other),
        OperandKind::Sum => {
            let Some((base, offset)) = operand.parts() else { return Value::Other };
            let more = number(&offset.token).and_then(|more| i64::try_from(more).ok());
            match (names(&base.token.text), more) {
                (Some(Value::Variable { at, offset }), Some(more)) => {
                    Value::Variable { at, offset: offset.saturating_add(more) }
                }
                (Some(register @ Value::Register(_)), _) => Value::List(vec![register]),
                _ => Value::Other,
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
                    _ => Value::Other,
                };
                Value::Address { base: Box::new(base), offset }
            }
            None => words(operand, names),
        },
        OperandKind::Vector => Value::List(operand.lanes().iter().map(|lane| lane_value(lane, names)).collect()),
        _ if is_constant(operand) => number(&operand.token).map_or(Value::Other, Value::Number),
        OperandKind::Element
        | OperandKind::Subscript
        | OperandKind::Negation
        | OperandKind::Pair
        | OperandKind::Other => words(operand, names),
        OperandKind::Constant | OperandKind::Sink => Value::Other,
    }
}

fn lane_value(lane: &Operand, names: &dyn Fn(&str) -> Option<Value>) -> Value {
    match lane.kind {
        OperandKind::Name => names(&lane.token.text).unwrap_or(Value::Other),
        _ if is_constant(lane) => number(&lane.token).map_or(Value::Other, Value::Number),
        _ => words(lane, names),
    }
}

/// The registers that are named anywhere in an operand.
fn words(operand: &Operand, names: &dyn Fn(&str) -> Option<Value>) -> Value {
    let values = operand.pieces().into_iter().filter_map(|piece| names(&piece.text));
    Value::List(values.filter(|value| matches!(value, Value::Register(_))).collect())
}

//! What a written operand means, given what its names mean.

use super::{is_constant, number};
use syntax::{Operand, OperandKind};

/// What an operand means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OperandValue {
    /// A register, by its number in this function.
    Register(usize),
    /// A variable and a number of bytes.
    Variable { at: usize, offset: i64 },
    /// An integer.
    Number(i128),
    /// `[base+offset]`; no offset where it is no plain number.
    Address { base: Box<OperandValue>, offset: Option<i64> },
    /// `{…}` or `p|q`, or an operand that is made of these registers.
    List(Vec<OperandValue>),
    /// Whatever else.
    Other,
}

impl OperandValue {
    /// Shows every register in it.
    pub(crate) fn registers(&self, see: &mut dyn FnMut(usize)) {
        match self {
            OperandValue::Register(register) => see(*register),
            OperandValue::Address { base, .. } => base.registers(see),
            OperandValue::List(values) => values.iter().for_each(|value| value.registers(see)),
            OperandValue::Variable { .. } | OperandValue::Number(_) | OperandValue::Other => {}
        }
    }
}

/// Reads an operand; nests no deeper than operands do in the view of `syntax`.
pub(super) fn read(operand: &Operand, names: &dyn Fn(&str) -> Option<OperandValue>) -> OperandValue {
    match operand.kind {
        OperandKind::Name => names(&operand.token.text).unwrap_or(OperandValue::Other),
        OperandKind::Sum => {
            let Some((base, offset)) = operand.parts() else { return OperandValue::Other };
            let more = number(&offset.token).and_then(|more| i64::try_from(more).ok());
            match (names(&base.token.text), more) {
                (Some(OperandValue::Variable { at, offset }), Some(more)) => {
                    OperandValue::Variable { at, offset: offset.saturating_add(more) }
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
            None => words(operand, names),
        },
        OperandKind::Vector => OperandValue::List(operand.lanes().iter().map(|lane| lane_value(lane, names)).collect()),
        _ if is_constant(operand) => number(&operand.token).map_or(OperandValue::Other, OperandValue::Number),
        OperandKind::Element
        | OperandKind::Subscript
        | OperandKind::Negation
        | OperandKind::Pair
        | OperandKind::Other => words(operand, names),
        OperandKind::Constant | OperandKind::Sink => OperandValue::Other,
    }
}

fn lane_value(lane: &Operand, names: &dyn Fn(&str) -> Option<OperandValue>) -> OperandValue {
    match lane.kind {
        OperandKind::Name => names(&lane.token.text).unwrap_or(OperandValue::Other),
        _ if is_constant(lane) => number(&lane.token).map_or(OperandValue::Other, OperandValue::Number),
        _ => words(lane, names),
    }
}

/// The registers that are named anywhere in an operand.
fn words(operand: &Operand, names: &dyn Fn(&str) -> Option<OperandValue>) -> OperandValue {
    let values = operand.tokens().into_iter().filter_map(|piece| names(&piece.text));
    OperandValue::List(values.filter(|value| matches!(value, OperandValue::Register(_))).collect())
}

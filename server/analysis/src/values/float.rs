//! Floating-point constants.

use crate::values::{DefinitionSite, FunctionValues, OperandValue};
use syntax::{Number, Operand, OperandKind};

/// The maximum number of copies to follow.
const MAX_COPIES: usize = 16;

/// The value of a constant operand, as a 32-bit float.
pub fn float(flow: &FunctionValues<'_>, operand: &Operand, value: &OperandValue, at: usize) -> Option<f32> {
    let OperandValue::Register(register) = value else { return literal(operand) };
    let (mut register, mut at) = (*register, at);
    for _ in 0..MAX_COPIES {
        let DefinitionSite::Instruction(writer) = flow.reaching(register, at).site else { return None };
        let instruction = flow.instruction(writer);
        let (Some(OperandValue::Register(to)), true) = (instruction.values.first(), instruction.is("mov")) else {
            return None;
        };
        match instruction.values.get(1)? {
            OperandValue::Register(from) if *to == register => (register, at) = (*from, writer),
            _ if *to == register => return literal(instruction.operands.get(1)?),
            _ => return None,
        }
    }
    None
}

fn literal(operand: &Operand) -> Option<f32> {
    if operand.kind != OperandKind::Constant {
        return None;
    }
    Number::float(&operand.token.text).map(|value| value as f32)
}

//! Floating-point constants.

use super::{Flow, Site, Value};
use syntax::{Operand, OperandKind};

/// Through how many copies a constant is followed.
const FAR: usize = 16;

impl Flow<'_> {
    /// The number that an operand of a step surely is, as a 32-bit float.
    pub(crate) fn float(&self, operand: &Operand, value: &Value, at: usize) -> Option<f32> {
        let Value::Register(register) = value else { return literal(operand) };
        let (mut register, mut at) = (*register, at);
        for _ in 0..FAR {
            let Site::Step(writer) = self.reaching(register, at).site else { return None };
            let step = self.step(writer);
            let (Some(Value::Register(to)), true) = (step.values.first(), step.is("mov")) else { return None };
            match step.values.get(1)? {
                Value::Register(from) if *to == register => (register, at) = (*from, writer),
                _ if *to == register => return literal(step.operands.get(1)?),
                _ => return None,
            }
        }
        None
    }
}

fn literal(operand: &Operand) -> Option<f32> {
    if operand.kind != OperandKind::Constant {
        return None;
    }
    let text = &*operand.token.text;
    match text.strip_prefix("0f").or_else(|| text.strip_prefix("0F")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(f32::from_bits),
        None => text.parse().ok(),
    }
}

//! Floating-point constants.

use super::{DefinitionSite, Flow, OperandValue};
use syntax::{Number, Operand, OperandKind};

/// Through how many copies a constant is followed.
const FAR: usize = 16;

impl Flow<'_> {
    /// The number that an operand of a step surely is, as a 32-bit float.
    pub(crate) fn float(&self, operand: &Operand, value: &OperandValue, at: usize) -> Option<f32> {
        let OperandValue::Register(register) = value else { return literal(operand) };
        let (mut register, mut at) = (*register, at);
        for _ in 0..FAR {
            let DefinitionSite::Step(writer) = self.reaching(register, at).site else { return None };
            let step = self.step(writer);
            let (Some(OperandValue::Register(to)), true) = (step.values.first(), step.is("mov")) else { return None };
            match step.values.get(1)? {
                OperandValue::Register(from) if *to == register => (register, at) = (*from, writer),
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
    Number::float(&operand.token.text).map(|value| value as f32)
}

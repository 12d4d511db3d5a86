//! Calls of functions by their names.

use crate::analysis::values::{Flow, OperandValue, value};
use syntax::OperandKind;

/// A call of a function by its name.
pub(crate) struct DirectCall {
    pub function: String,
    /// The values of the arguments.
    pub arguments: Vec<OperandValue>,
}

impl Flow<'_> {
    /// The call at an instruction; `None` for another one, and through a register.
    pub(crate) fn call(&self, at: usize) -> Option<DirectCall> {
        if self.mnemonic(at) != "call" {
            return None;
        }
        let call = self.source(at)?.call()?;
        let is_direct = call.prototype.is_none() && call.function.kind == OperandKind::Name;
        let values = call.arguments.iter().map(|operand| value::read(operand, &|name| self.named(at, name)));
        is_direct.then(|| DirectCall { function: call.function.token.text.to_string(), arguments: values.collect() })
    }
}

//! Calls of functions by their names.

use crate::values::{FunctionValues, OperandValue, value};
use syntax::OperandKind;

/// A call of a function by its name.
pub struct DirectCall {
    /// The name of the function.
    pub function: String,
    /// The values of the arguments.
    pub arguments: Vec<OperandValue>,
}

/// The call at an instruction; `None` for another one, and through a register.
pub fn call(flow: &FunctionValues<'_>, at: usize) -> Option<DirectCall> {
    if flow.mnemonic(at) != "call" {
        return None;
    }
    let call = flow.source(at)?.call()?;
    let is_direct = call.prototype.is_none() && call.function.kind == OperandKind::Name;
    let values = call.arguments.iter().map(|operand| value::read(operand, &|name| flow.named(at, name)));
    is_direct.then(|| DirectCall { function: call.function.token.text.to_string(), arguments: values.collect() })
}

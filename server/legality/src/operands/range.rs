//! Integer constants, and the diagnostic for one outside its range.

use diagnostics::Diagnostic;
use diagnostics::registry::OPERAND_RANGE;
use std::fmt;
use syntax::{Operand, OperandKind, integer_value};

/// The value of an integer constant.
pub(super) fn constant(operand: &Operand) -> Option<i128> {
    (operand.kind == OperandKind::Constant).then(|| integer_value(&operand.token.text)).flatten()
}

/// The diagnostic for a constant outside its range, with the reason.
pub(super) fn out_of_range(operand: &Operand, reason: impl fmt::Display) -> Diagnostic {
    let message = format!("`{}` is out of range: {reason}", operand.token.text);
    Diagnostic::new(&OPERAND_RANGE, operand.token.range.clone(), message)
}

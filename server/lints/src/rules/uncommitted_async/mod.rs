//! `uncommitted-async`: asynchronous work that nothing waits for before its result is used.

mod copies;
mod first_reads;
mod matrix;
mod tensor_loads;

use crate::dataflow::{DataFlow, Trigger};
use diagnostics::Diagnostic;

/// Checks asynchronous copies, and the registers and the tensor memory of matrix operations.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    let is_known = !dataflow.triggers.has(Trigger::ILLEGAL) && !dataflow.flow.has_broken_statement();
    if dataflow.triggers.has(Trigger::ASYNC) && is_known {
        let known = diagnostics.len();
        copies::check(dataflow, diagnostics);
        if diagnostics.len() == known {
            first_reads::check(dataflow, diagnostics);
        }
        matrix::check(dataflow, diagnostics);
        tensor_loads::check(dataflow, diagnostics);
    }
}

//! `uncommitted-async`: asynchronous work that nothing waits for before its result is used.

mod copies;
mod first_reads;
mod idle_waits;
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
        let found = diagnostics.split_off(known);
        diagnostics.extend(merge_copies(dataflow, found));
    }
}

/// The maximum number of related places that a merged report has.
const MAX_RELATED: usize = 8;

/// One report for the copies of an instruction that an unrolled loop has: the same mistake at the same opcode.
fn merge_copies(dataflow: &DataFlow, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let flow = dataflow.flow;
    let mut merged: Vec<(Diagnostic, Option<usize>)> = Vec::new();
    for diagnostic in found {
        let at = (0..flow.len()).find(|at| flow.instruction(*at).opcode.range() == diagnostic.range);
        let spelling = at.map(|at| flow.opcode_number(at));
        let is_copy = |(known, of_known): &&mut (Diagnostic, Option<usize>)| {
            spelling.is_some() && *of_known == spelling && known.message() == diagnostic.message()
        };
        match merged.iter_mut().find(|known| is_copy(known)) {
            Some((known, _)) if known.related.len() < MAX_RELATED => {
                *known = known.clone().related(diagnostic.range, "the same here");
            }
            Some(_) => {}
            None => merged.push((diagnostic, spelling)),
        }
    }
    merged.into_iter().map(|(diagnostic, _)| diagnostic).collect()
}

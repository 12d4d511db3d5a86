//! `uncommitted-async`: asynchronous work that nothing waits for before its result is used.

mod copies;
mod first_reads;
mod idle_waits;
mod matrix;
mod tensor_loads;

use analysis::effects::unrolled;
use analysis::effects::{DataFlow, MAX_COPIES, Trigger};
use diagnostics::Diagnostic;

/// Checks asynchronous copies, and the registers and the tensor memory of matrix operations.
pub(crate) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
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

/// One report for the copies of an instruction that an unrolled loop has: the same mistake at the same opcode, in the same surroundings.
fn merge_copies(dataflow: &DataFlow, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let flow = dataflow.flow;
    let mut merged: Vec<(Diagnostic, Vec<usize>)> = Vec::new();
    for diagnostic in found {
        let at = (0..flow.len()).find(|at| flow.instruction(*at).opcode.range() == diagnostic.range);
        let is_copy = |(known, places): &&mut (Diagnostic, Vec<usize>)| {
            known.message() == diagnostic.message()
                && at.is_some_and(|at| places.iter().any(|place| unrolled::are_copies(dataflow, *place, at)))
        };
        match merged.iter_mut().find(|known| is_copy(known)) {
            Some((known, places)) => {
                places.extend(at);
                if known.related.len() < MAX_COPIES {
                    *known = known.clone().related(diagnostic.range, "the same here");
                }
            }
            None => merged.push((diagnostic, at.into_iter().collect())),
        }
    }
    merged.into_iter().map(|(diagnostic, _)| diagnostic).collect()
}

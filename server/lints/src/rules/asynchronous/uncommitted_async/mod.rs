//! `uncommitted-async`: asynchronous work that nothing waits for before its result is used.

mod copies;
mod first_reads;
mod idle_waits;
mod matrix;
mod tensor_loads;

use analysis::effects::unrolled;
use analysis::effects::{FunctionEffects, MAX_COPIES, Trigger};
use diagnostics::Diagnostic;

/// Checks asynchronous copies, and the registers and the tensor memory of matrix operations.
pub(crate) fn check(effects: &FunctionEffects, diagnostics: &mut Vec<Diagnostic>) {
    let is_known = !effects.triggers.has(Trigger::ILLEGAL) && !effects.flow.has_broken_statement();
    if effects.triggers.has(Trigger::ASYNC) && is_known {
        let known = diagnostics.len();
        copies::check(effects, diagnostics);
        if diagnostics.len() == known {
            first_reads::check(effects, diagnostics);
        }
        matrix::check(effects, diagnostics);
        tensor_loads::check(effects, diagnostics);
        let found = diagnostics.split_off(known);
        diagnostics.extend(merge_copies(effects, found));
    }
}

/// One report for the copies of an instruction that an unrolled loop has: the same mistake at the same opcode, in the same surroundings.
fn merge_copies(effects: &FunctionEffects, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let flow = effects.flow;
    let mut merged: Vec<(Diagnostic, Vec<usize>)> = Vec::new();
    for diagnostic in found {
        let at = (0..flow.len()).find(|at| flow.instruction(*at).opcode.range() == diagnostic.range);
        let is_copy = |(known, places): &&mut (Diagnostic, Vec<usize>)| {
            known.message() == diagnostic.message()
                && at.is_some_and(|at| places.iter().any(|place| unrolled::are_copies(effects, *place, at)))
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

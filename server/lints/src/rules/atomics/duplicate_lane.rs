//! `duplicate-lane`: registers that appear twice in a vector destination.

use analysis::values::{FunctionValues, OperandValue};
use diagnostics::registry::DUPLICATE_LANE;
use diagnostics::{Diagnostic, replace};
use isa::Role;

/// Checks every atomic with a vector destination.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (_, instruction, _) in flow.atomics() {
        let Some((operand, OperandValue::List(values))) = instruction.operand(Role::Destination) else { continue };
        for (place, lane) in operand.lanes().into_iter().enumerate() {
            let Some(value @ OperandValue::Register(_)) = values.get(place) else { continue };
            if !values[..place].contains(value) {
                continue;
            }
            let message =
                format!("duplicate register `{}` in destination: one of the results is lost", lane.token.text);
            diagnostics.push(
                Diagnostic::new(&DUPLICATE_LANE, lane.token.range.clone(), message)
                    .help("use a different register, or `_` if the result is not needed")
                    .fix("Replace with `_`", [replace(lane.token.range, "_")]),
            );
        }
    }
}

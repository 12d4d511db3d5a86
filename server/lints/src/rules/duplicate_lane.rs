//! A register that stands twice in a braced destination: only one of the results is left.

use crate::flow::{Flow, OperandValue};
use diagnostics::registry::DUPLICATE_LANE;
use diagnostics::{Diagnostic, replace};
use isa::Role;

/// Looks at every atomic with a destination in braces.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (_, step, _) in flow.atomics() {
        let Some((operand, OperandValue::List(values))) = step.operand(Role::Destination) else { continue };
        for (place, lane) in operand.lanes().into_iter().enumerate() {
            let Some(value @ OperandValue::Register(_)) = values.get(place) else { continue };
            if !values[..place].contains(value) {
                continue;
            }
            let message = format!(
                "`{}` stands here twice: only one of its results is left, and which is not said",
                lane.token.text
            );
            findings.push(
                Diagnostic::new(&DUPLICATE_LANE, lane.token.range.clone(), message)
                    .help("name another register, or write `_` for a result that nobody wants")
                    .fix("Write `_`", [replace(lane.token.range, "_")]),
            );
        }
    }
}

//! Loops around one atomic: from a label, in a straight line, to a branch back.

use super::{DefinitionSite, Flow, OperandValue};

/// A loop.
pub(crate) struct Loop {
    /// Its first step.
    pub top: usize,
    /// The branch back.
    pub branch: usize,
    /// The comparison that decides whether to go on.
    pub test: Option<usize>,
}

/// How many steps a loop has at most.
const LONG: usize = 64;

impl Loop {
    /// The loop around a step.
    pub(crate) fn around(flow: &Flow, at: usize) -> Option<Loop> {
        let mut branch = at;
        let top = loop {
            branch += 1;
            if branch >= flow.len() || branch - at > LONG || flow.labelled(branch) {
                return None;
            }
            match flow.mnemonic(branch) {
                "bra" => match flow.target(branch) {
                    Some(top) if top <= at && flow.guarded(branch) => break top,
                    _ => return None,
                },
                "brx" | "ret" | "exit" | "trap" => return None,
                _ => {}
            }
        };
        if at - top > LONG
            || (top + 1..=at).any(|step| flow.labelled(step))
            || (top..=branch).any(|step| flow.is_broken(step))
            || (top..at).any(|step| flow.target(step).is_some())
        {
            return None;
        }
        let (guard, _) = flow.step(branch).guard.as_ref()?;
        let OperandValue::Register(guard) = guard else { return None };
        let test = match flow.reaching(*guard, branch).site {
            DefinitionSite::Step(test) if test >= top && flow.mnemonic(test) == "setp" => Some(test),
            _ => None,
        };
        Some(Loop { top, branch, test })
    }

    /// The register or number that a value is a copy of, as it was at the top of the loop or where it was last computed before `at`; and that place.
    pub(crate) fn source(&self, flow: &Flow, value: &OperandValue, at: usize) -> (OperandValue, usize) {
        let (mut value, mut at) = (value.clone(), at);
        while let OperandValue::Register(register) = value {
            let Some(writer) = flow.written(register, self.top..at) else { break };
            let step = flow.step(writer);
            let copied = match step.values.as_slice() {
                [OperandValue::Register(to), from @ (OperandValue::Register(_) | OperandValue::Number(_))] => {
                    (*to == register && step.is("mov") && step.guard.is_none()).then_some(from)
                }
                _ => None,
            };
            let Some(from) = copied else { break };
            (value, at) = (from.clone(), writer);
        }
        (value, at)
    }
}

//! `unguarded-store`: stores and atomics on the same shared variable without a barrier, on hardware that emulates shared atomics with locks.

use analysis::values::{FunctionValues, PointedSpace, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::UNGUARDED_STORE;
use isa::types;
use std::collections::HashMap;
use syntax::readable;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 100_000;

/// Checks every atomic in shared memory, for targets before sm_70.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    if flow.module.target.is_none_or(|target| target.number() >= 70) {
        return;
    }
    let shared = |at: usize| {
        let provenance = flow
            .address_provenance(flow.instruction(at))
            .filter(|provenance| provenance.space == Some(PointedSpace::Shared))?;
        match provenance.root {
            Root::Variable(variable) => Some((variable, provenance.offset())),
            Root::Parameter(..) | Root::Zero | Root::Value(_) => None,
        }
    };
    let atomics = flow.atomics().filter(|(_, _, legal)| legal.space.value == types::Space::SharedCta);
    let mut atomics_by_variable: HashMap<usize, Vec<(usize, Option<i64>)>> = HashMap::new();
    for (at, (variable, offset)) in atomics.filter_map(|(at, _, _)| Some((at, shared(at)?))) {
        atomics_by_variable.entry(variable).or_default().push((at, offset));
    }
    if atomics_by_variable.is_empty() {
        return;
    }
    let mut budget = STEP_BUDGET;
    let is_store = |at: &usize| flow.mnemonic(*at) == "st" && (flow.has(*at, "shared") || flow.has(*at, "shared::cta"));
    for store in (0..flow.len()).filter(is_store) {
        let Some((variable, offset)) = shared(store) else { continue };
        let Some(candidates) = atomics_by_variable.get(&variable) else { continue };
        let may_alias = |found: &Option<i64>| *found == offset || found.is_none() || offset.is_none();
        let barrier = |at: usize| matches!(flow.mnemonic(at), "bar" | "barrier" | "call" | "ret" | "exit");
        let is_atomic = |at: usize| {
            candidates.binary_search_by_key(&at, |(at, _)| *at).is_ok_and(|found| may_alias(&candidates[found].1))
        };
        let atomic = flow.find_reachable(store, &mut budget, is_atomic, barrier).or_else(|| {
            let mut before = candidates.iter().filter(|(_, found)| may_alias(found)).map(|(at, _)| *at);
            before.find(|at| flow.find_reachable(*at, &mut budget, |at| at == store, barrier).is_some())
        });
        let Some(atomic) = atomic else { continue };
        let instruction = flow.instruction(store);
        let variable = flow.declaration(variable);
        let name = readable(&variable.name.text);
        let message =
            format!("store to `{name}` may be lost: before sm_70, shared-memory atomics are not atomic towards stores");
        let report = Diagnostic::new(&UNGUARDED_STORE, instruction.opcode.range(), message)
            .help("add `bar.sync 0` in between, or store with `atom.shared.exch`");
        let atomic = flow.instruction(atomic).opcode.range();
        diagnostics.push(report.related(atomic, "atomic on the same variable").declared(Some(variable)));
    }
}

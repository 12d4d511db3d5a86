//! `unguarded-store`: stores and atomics on the same shared variable without a barrier, on hardware that emulates shared atomics with locks.

use crate::flow::{Flow, PointedSpace, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::UNGUARDED_STORE;
use isa::types;
use std::collections::HashMap;

/// The maximum number of instructions to visit per function.
const STEP_BUDGET: usize = 100_000;

/// Checks every atomic in shared memory, for targets before sm_70.
pub(super) fn check(flow: &Flow, diagnostics: &mut Vec<Diagnostic>) {
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
    let mut places: HashMap<usize, Vec<(usize, Option<i64>)>> = HashMap::new();
    for (at, (variable, offset)) in atomics.filter_map(|(at, _, _)| Some((at, shared(at)?))) {
        places.entry(variable).or_default().push((at, offset));
    }
    if places.is_empty() {
        return;
    }
    let mut budget = STEP_BUDGET;
    let plain = |at: &usize| flow.mnemonic(*at) == "st" && (flow.has(*at, "shared") || flow.has(*at, "shared::cta"));
    for store in (0..flow.len()).filter(plain) {
        let Some((variable, offset)) = shared(store) else { continue };
        let Some(near) = places.get(&variable) else { continue };
        let same = |found: &Option<i64>| *found == offset || found.is_none() || offset.is_none();
        let barrier = |at: usize| matches!(flow.mnemonic(at), "bar" | "barrier" | "call" | "ret" | "exit");
        let hit = |at: usize| near.binary_search_by_key(&at, |(at, _)| *at).is_ok_and(|found| same(&near[found].1));
        let atomic = flow.find_reachable(store, &mut budget, hit, barrier).or_else(|| {
            let mut before = near.iter().filter(|(_, found)| same(found)).map(|(at, _)| *at);
            before.find(|at| flow.find_reachable(*at, &mut budget, |at| at == store, barrier).is_some())
        });
        let Some(atomic) = atomic else { continue };
        let instruction = flow.instruction(store);
        let name = &flow.declaration(variable).name.text;
        let message =
            format!("store to `{name}` races with a shared-memory atomic: not atomic towards stores before sm_70");
        let report = Diagnostic::new(&UNGUARDED_STORE, instruction.opcode.range.clone(), message)
            .help("add `bar.sync 0` in between, or store with `atom.shared.exch`");
        diagnostics.push(report.related(flow.instruction(atomic).opcode.range.clone(), "atomic on the same variable"));
    }
}

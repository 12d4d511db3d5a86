//! A plain store and an atomic on the same shared variable without a barrier between, on hardware where shared atomics lock memory.

use crate::flow::{Flow, PointedSpace, Root};
use diagnostics::Diagnostic;
use diagnostics::registry::UNGUARDED_STORE;
use isa::types;
use std::collections::HashMap;

/// How many steps are taken in all in one function, in search of what may follow what.
const PATIENCE: usize = 100_000;

/// Looks at every atomic in shared memory of a module for targets before sm_70.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    if flow.module.target.is_none_or(|target| target.number() >= 70) {
        return;
    }
    let shared = |at: usize| {
        let place = flow.address(flow.step(at)).filter(|place| place.space == Some(PointedSpace::Shared))?;
        match place.root {
            Root::Variable(variable) => Some((variable, place.offset())),
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
    let mut patience = PATIENCE;
    let plain = |at: &usize| flow.mnemonic(*at) == "st" && (flow.has(*at, "shared") || flow.has(*at, "shared::cta"));
    for store in (0..flow.len()).filter(plain) {
        let Some((variable, offset)) = shared(store) else { continue };
        let Some(near) = places.get(&variable) else { continue };
        let same = |found: &Option<i64>| *found == offset || found.is_none() || offset.is_none();
        let wall = |at: usize| matches!(flow.mnemonic(at), "bar" | "barrier" | "call" | "ret" | "exit");
        let hit = |at: usize| near.binary_search_by_key(&at, |(at, _)| *at).is_ok_and(|found| same(&near[found].1));
        let atomic = flow.reach(store, &mut patience, hit, wall).or_else(|| {
            let mut before = near.iter().filter(|(_, found)| same(found)).map(|(at, _)| *at);
            before.find(|at| flow.reach(*at, &mut patience, |at| at == store, wall).is_some())
        });
        let Some(atomic) = atomic else { continue };
        let step = flow.step(store);
        let name = &flow.declaration(variable).name.text;
        let message = format!(
            "before sm_70 an atomic in shared memory does not see this plain store as one: without a barrier between, `{name}` may lose either"
        );
        let report = Diagnostic::new(&UNGUARDED_STORE, step.opcode.range.clone(), message)
            .help("put `bar.sync 0` between them, or store by `atom.shared.exch`");
        findings.push(report.related(flow.step(atomic).opcode.range.clone(), "the atomic"));
    }
}

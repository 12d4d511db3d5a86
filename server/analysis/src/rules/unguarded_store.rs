//! A plain store and an atomic on the same shared variable without a barrier between, on hardware where shared atomics lock memory.

use crate::flow::{Flow, Root, Space};
use crate::report::{With, finding};
use crate::{Finding, Related};
use isa::types;

/// Looks at every atomic in shared memory of a module for targets before sm_70.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    if flow.module.target.is_none_or(|target| target.number() >= 70) {
        return;
    }
    let shared = |at: usize| {
        let place = flow.address(flow.step(at)).filter(|place| place.space == Some(Space::Shared))?;
        match place.root {
            Root::Variable(variable) => Some((variable, place.offset)),
            Root::Parameter(..) | Root::Register(_) => None,
        }
    };
    let same =
        |a: (usize, Option<i64>), b: (usize, Option<i64>)| a.0 == b.0 && (a.1 == b.1 || a.1.is_none() || b.1.is_none());
    let atomics: Vec<_> = flow.atomics().filter(|(_, _, legal)| legal.space.value == types::Space::SharedCta).collect();
    let atomics: Vec<_> = atomics.into_iter().filter_map(|(at, _, _)| Some((at, shared(at)?))).collect();
    if atomics.is_empty() {
        return;
    }
    let plain = |at: &usize| flow.mnemonic(*at) == "st" && (flow.has(*at, "shared") || flow.has(*at, "shared::cta"));
    for store in (0..flow.len()).filter(plain) {
        let Some(place) = shared(store) else { continue };
        let wall = |at: usize| matches!(flow.mnemonic(at), "bar" | "barrier" | "ret" | "exit");
        let hit = |at: usize| atomics.iter().any(|(other, found)| *other == at && same(place, *found));
        let back = |at: usize| at == store;
        let after = flow.reach(store, hit, wall);
        let before = || atomics.iter().find(|(at, found)| same(place, *found) && flow.reach(*at, back, wall).is_some());
        let Some(atomic) = after.or_else(|| before().map(|(at, _)| *at)) else { continue };
        let step = flow.step(store);
        let name = &flow.declaration(place.0).name.text;
        let message = format!(
            "before sm_70 an atomic in shared memory does not see this plain store as one: without a barrier between, `{name}` may lose either"
        );
        let mut report = finding("unguarded-store", step.opcode.range.clone(), message)
            .help("put `bar.sync 0` between them, or store by `atom.shared.exch`");
        report
            .related
            .push(Related { range: flow.step(atomic).opcode.range.clone(), message: "the atomic".to_owned() });
        findings.push(*report);
    }
}

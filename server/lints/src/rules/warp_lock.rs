//! `warp-lock`: locks that all lanes of a warp wait for, on targets where the lanes execute in lockstep.

use crate::dataflow::{DataFlow, LaneChoice, LaneCondition, Trigger};
use crate::flow::Root;
use diagnostics::Diagnostic;
use diagnostics::registry::WARP_LOCK;

/// Checks every lock that a loop acquires, for targets before sm_70.
pub(super) fn check(dataflow: &DataFlow, diagnostics: &mut Vec<Diagnostic>) {
    let flow = dataflow.flow;
    let is_lockstep = flow.module.target.is_some_and(|target| target.number() < 70);
    if !is_lockstep || !dataflow.triggers.has(Trigger::STRONG) {
        return;
    }
    let Some(mut lanes) = LaneChoice::new(flow) else { return };
    for lock in flow.spin_locks() {
        let instruction = flow.instruction(lock.at);
        let Some(address) = flow.address_provenance(instruction) else { continue };
        let is_common = address.offset().is_some() && matches!(address.root, Root::Variable(_) | Root::Parameter(..));
        // The loop itself diverges: what matters is who enters it.
        let is_of_all = match lock.atomic_loop.top.checked_sub(1) {
            None => true,
            Some(before) => {
                let condition = lanes.condition(before);
                !flow.is_terminator(before) && matches!(condition, LaneCondition::Uniform | LaneCondition::Bounded)
            }
        };
        let is_released = |at: usize| flow.is_unlock(at, &address, lock.free);
        if is_common && is_of_all && (lock.atomic_loop.branch + 1..flow.len()).any(is_released) {
            let message = "lanes of a warp wait for a lock that another lane holds: deadlock before sm_70";
            diagnostics.push(
                Diagnostic::new(&WARP_LOCK, instruction.opcode.range.clone(), message)
                    .help("acquire the lock in one lane of the warp, or release it inside of the loop"),
            );
        }
    }
}

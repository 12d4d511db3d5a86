//! Arrivals at mbarriers that strong reads may decide about, where a thread goes on whether the phase is over or not.
//!
//! In executions without load buffering such an arrival may come after each test, and no read before it is known to be before what the tester writes
//! then. A thread that waits until the phase is over depends on the arrival, and so on what decides about that.

use program::analysis::code_places::{after, places};
use program::analysis::control_dependences::ControlDependences;
use program::analysis::reached_values::{FollowedValues, ReachedValues};
use program::analysis::register_webs::RegisterWebs;
use program::analysis::strong_actions::{is_strong_read, may_write_strongly};
use program::effects::{ControlTransfer, Synchronization};
use program::machine_program::{MachineAction, MachineProgram};
use program::problem::CodePlace;
use std::collections::BTreeSet;

/// Whether there are such arrivals and such a thread.
pub fn has_value_dependent_arrivals(
    program: &MachineProgram,
    webs: &[RegisterWebs],
    control: &[ControlDependences],
) -> bool {
    let tests: Vec<CodePlace> = places(program, is_test).collect();
    let reads: BTreeSet<CodePlace> = places(program, is_strong_read).collect();
    if tests.is_empty() || reads.is_empty() {
        return false;
    }
    let values = ReachedValues::of(program, webs, &reads, FollowedValues::Decisions(control));
    places(program, may_arrive).any(|place| values.decides(place))
        && tests.into_iter().any(|test| goes_on(program, (webs, control), test))
}

fn is_test(action: &MachineAction) -> bool {
    action.synchronization().is_phase_test()
}

/// Whether an instruction may be part of what ends a phase.
fn may_arrive(action: &MachineAction) -> bool {
    action.synchronization().may_end_phase()
}

/// Whether a thread may tell others something after a test, and before a branch that depends on its answer.
fn goes_on(
    program: &MachineProgram,
    (webs, control): (&[RegisterWebs], &[ControlDependences]),
    test: CodePlace,
) -> bool {
    let answer = ReachedValues::of(program, webs, &BTreeSet::from([test]), FollowedValues::Decisions(control));
    let code = &program.functions[test.function as usize].code;
    let place = |at: usize| CodePlace { instruction: at as u32, ..test };
    let reached = after(code, vec![test.instruction as usize], |at| answer.leads(place(at), &code[at]));
    code.iter().zip(reached).any(|(one, is_reached)| is_reached && tells_others(&one.action, test.function))
}

fn tells_others(action: &MachineAction, function: u32) -> bool {
    let exchanges = match action.synchronization() {
        Synchronization::Barrier(_) | Synchronization::Lanes(_) | Synchronization::Call(_) => true,
        synchronization => synchronization.may_end_phase(),
    };
    exchanges || may_write_strongly(action) || function != 0 && matches!(action.flow(), ControlTransfer::Return)
}

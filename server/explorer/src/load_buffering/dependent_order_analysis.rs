//! Which fences and barriers strong reads may decide about, and which writes have them before them all the same.

use ordering::ValueDependentOrders;
use program::analysis::code_places::{after, places};
use program::analysis::reached_values::ReachedValues;
use program::analysis::strong_actions::{is_strong_read, may_write_strongly};
use program::effects::Synchronization;
use program::machine_program::{MachineAction, MachineFunction, MachineProgram};
use program::problem::CodePlace;
use std::collections::BTreeSet;

/// Those of a program, given what the values of its strong reads reach.
pub fn value_dependent_orders(program: &MachineProgram, values: &ReachedValues) -> ValueDependentOrders {
    let mut orders = ValueDependentOrders::default();
    for place in places(program, is_order).filter(|place| values.decides(*place)) {
        let function = &program.functions[place.function as usize];
        let WritesAfter { covered, mut uncovered } = writes_after(function, place);
        uncovered.extend(places(program, may_write_strongly).filter(|write| write.function != place.function));
        orders.uncovered.append(&mut uncovered);
        orders.covered.insert(place, covered);
    }
    orders
}

/// Whether an instruction is a fence or barrier.
pub fn is_order(action: &MachineAction) -> bool {
    matches!(action.synchronization(), Synchronization::Fence(_) | Synchronization::Barrier(_))
}

/// Whether a fence orders all that another one does.
fn orders_as_much(action: &MachineAction, other: &MachineAction) -> bool {
    let fences = action.synchronization().fence().zip(other.synchronization().fence());
    let Some((fence, other)) = fences else { return false };
    let is_as_wide = fence.scope >= other.scope && fence.memory == other.memory;
    is_as_wide && fence.acquires >= other.acquires && fence.releases >= other.releases
}

/// The strong writes of a function after an instruction.
struct WritesAfter {
    /// Those that a thread comes to from the reads before the instruction only through it.
    covered: BTreeSet<CodePlace>,
    /// The others.
    uncovered: BTreeSet<CodePlace>,
}

fn writes_after(function: &MachineFunction, place: CodePlace) -> WritesAfter {
    let (code, order) = (&function.code, place.instruction as usize);
    let may_read = |at: usize| is_strong_read(&code[at].action) || code[at].action.flow().call().is_some();
    let leads = |at: usize| after(code, vec![at], |_| false)[order];
    let mut starts: Vec<usize> = (0..code.len()).filter(|at| may_read(*at) && leads(*at)).collect();
    // What has called it may have read.
    starts.extend((place.function != 0).then_some(0));
    let orders =
        |at: usize| at == order || code[at].guard.is_none() && orders_as_much(&code[at].action, &code[order].action);
    let (with, without) = (after(code, vec![order], |_| false), after(code, starts, orders));
    let writes = (0..code.len()).filter(|at| may_write_strongly(&code[*at].action) && with[*at]);
    let is_guarded = code[order].guard.is_some();
    let (uncovered, covered): (Vec<_>, Vec<_>) = writes.partition(|at| is_guarded || without[*at]);
    let places = |all: Vec<usize>| all.into_iter().map(|at| CodePlace { instruction: at as u32, ..place }).collect();
    WritesAfter { covered: places(covered), uncovered: places(uncovered) }
}

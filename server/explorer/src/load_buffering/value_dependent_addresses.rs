//! Whether values that reads have may decide where threads write, and whether they do.
//!
//! What is written elsewhere instead, or not at all, is no dependency of a read that misses it; nor is a fence or barrier. Then a value may be needed that only such a read
//! makes, and that no search finds which begins with the values that are known.

use crate::load_buffering::dependent_order_analysis::is_order;
use program::analysis::code_places::places;
use program::analysis::liveness::live_registers;
use program::analysis::reached_values::{FollowedValues, ReachedValues};
use program::analysis::register_webs::RegisterWebs;
use program::machine_program::MachineProgram;
use program::problem::CodePlace;
use std::collections::BTreeSet;

/// Whether the values of some reads may reach an address of a write, what a compare-and-swap expects, or the guard of a write, a fence or a barrier. It
/// is asked of registers and state spaces, whatever the order of the instructions.
pub fn may_redirect_writes(program: &MachineProgram, reads: &BTreeSet<CodePlace>) -> bool {
    let webs = |function| RegisterWebs::of(function, &live_registers(function));
    let webs: Vec<_> = program.functions.iter().map(webs).collect();
    let values = ReachedValues::of(program, &webs, reads, FollowedValues::Values);
    !values.moved.is_empty() || places(program, is_order).any(|place| values.decides(place))
}

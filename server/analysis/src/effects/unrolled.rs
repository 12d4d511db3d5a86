//! The copies of one instruction that the compiler makes when it unrolls a loop: one mistake in the source is one report.

use crate::effects::FunctionEffects;

/// The maximum number of copies that a report names.
pub const MAX_COPIES: usize = 8;

/// Whether two instructions are likely to be copies of one: they have the same opcode, and after the same two opcodes, or with no wait between them.
pub fn are_copies(effects: &FunctionEffects<'_, '_>, earlier: usize, later: usize) -> bool {
    let flow = effects.flow;
    let opcodes = |at: usize| (at.saturating_sub(2)..=at).map(|at| flow.opcode_number(at)).collect::<Vec<_>>();
    let waits = |at: usize| flow.opcode(at).contains("wait") || flow.mnemonic(at).starts_with("bar");
    flow.opcode_number(earlier) == flow.opcode_number(later)
        && (opcodes(earlier) == opcodes(later) || !(earlier..later).any(waits))
}

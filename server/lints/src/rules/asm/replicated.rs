//! `asm-replicated-atomic`: atomics in calls that run once for each replica of an element.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_REPLICATED_ATOMIC;
use hosts::inline_asm::{AsmFragment, FragmentInstruction};

/// What a template reads to let one thread do something.
const ELECTIONS: [&str; 5] = ["%tid", "%laneid", "elect.sync", "activemask", "%warpid"];

/// Checks for atomics that change memory again when they run twice.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let text = &fragment.template.text;
    let is_elected = || ELECTIONS.iter().any(|election| text.contains(election));
    if !fragment.statement.elementwise || fragment.template.has_placeholder || is_elected() {
        return;
    }
    for instruction in fragment.instructions().iter().take_while(|instruction| !instruction.guarded) {
        if accumulates(instruction)
            && let Some(range) = fragment.template.region.to_host(&instruction.opcode)
        {
            let message = format!("`{}` runs in each thread that has a replica of the element", instruction.text);
            let help = "let one thread execute the atomic, or use `tl.atomic_add`, which does so";
            diagnostics.push(Diagnostic::new(&ASM_REPLICATED_ATOMIC, range, message).help(help));
        }
    }
}

/// Whether an instruction is an atomic whose repetition changes the result.
fn accumulates(instruction: &FragmentInstruction) -> bool {
    let Some(resolved) = &instruction.resolved else { return false };
    let op = resolved.op.map(|op| op.word());
    matches!(resolved.family.name, "atom" | "red") && matches!(op, Some("add" | "inc" | "dec" | "xor"))
}

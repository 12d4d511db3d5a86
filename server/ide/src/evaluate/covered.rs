//! The instructions that can be evaluated.

use super::computed;
use evaluation::EvaluationError;
use values::Computation;

/// The instructions that the emulator supports, PTX first.
pub fn evaluated() -> Vec<&'static str> {
    let ptx = isa::opcodes().filter(|name| Computation::covers(name));
    ptx.chain(computed::evaluated().into_keys()).collect()
}

/// [`evaluated`] as text, with the unsupported operations of each: `RED, ATOMS (but not POPC.INC)`.
pub fn evaluated_list() -> String {
    let missing = computed::evaluated();
    let shown = |name: &str| match missing.get(name) {
        Some(missing) if !missing.is_empty() => {
            let all: Vec<&str> = missing.iter().copied().collect();
            format!("{name} (but not {})", all.join(", "))
        }
        _ => name.to_owned(),
    };
    evaluated().into_iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// The error for an opcode that the emulator does not support.
pub(crate) fn not_evaluated(opcode: &str) -> EvaluationError {
    EvaluationError::Invalid(format!("`{opcode}` cannot be evaluated; supported: {}", evaluated_list()))
}

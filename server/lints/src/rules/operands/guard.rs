//! The guard of an instruction: a predicate.

use super::meaning::{Lookup, OperandMeaning};
use super::types::Class;
use diagnostics::registry::GUARD_TYPE;
use diagnostics::{Diagnostic, Verdict};
use syntax::{Operand, Token};

/// Checks what stands behind `@` or `@!`.
pub(super) fn check(lookup: &Lookup, guard: &Token) -> Verdict {
    let operand = Operand::new(guard.clone());
    let Some(meaning) = lookup.meaning(&operand)? else { return Ok(()) };
    if let OperandMeaning::Register { ty, element: false, .. } | OperandMeaning::Special { ty, element: false } =
        meaning
        && ty.class == Class::Predicate
    {
        return Ok(());
    }
    Err(Diagnostic::new(
        &GUARD_TYPE,
        guard.range.clone(),
        format!("a guard is a predicate; `{}` is {}", guard.text, meaning.describe()),
    )
    .help("write a `.pred` register, such as one that `setp` fills")
    .declared(meaning.declaration()))
}

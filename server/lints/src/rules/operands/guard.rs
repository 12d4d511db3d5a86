//! `guard-type`: guards must be predicates.

use super::meaning::{Lookup, OperandMeaning};
use super::types::Class;
use diagnostics::registry::GUARD_TYPE;
use diagnostics::{CheckResult, Diagnostic};
use syntax::{Operand, Token};

/// Checks the operand after `@` or `@!`.
pub(super) fn check(lookup: &Lookup, guard: &Token) -> CheckResult {
    let operand = Operand::new(guard.clone());
    let Some(meaning) = lookup.meaning(&operand)? else { return Ok(()) };
    if let OperandMeaning::Register { ty, element: false, .. } | OperandMeaning::Special { ty, element: false, .. } =
        meaning
        && ty.class == Class::Predicate
    {
        return Ok(());
    }
    Err(Diagnostic::new(
        &GUARD_TYPE,
        guard.range.clone(),
        format!("expected a predicate as guard, found `{}`, {}", guard.text, meaning.describe()),
    )
    .help("use a `.pred` register, set for example with `setp`")
    .declared(meaning.declaration()))
}

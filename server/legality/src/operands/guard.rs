//! `guard-type`: guards must be predicates.

use crate::operands::meaning::{Lookup, OperandMeaning};
use crate::operands::types::Class;
use diagnostics::CheckResult;
use diagnostics::registry::GUARD_TYPE;
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
    Err(meaning
        .unexpected(&GUARD_TYPE, guard, "a predicate as guard")
        .help("use a `.pred` register, set for example with `setp`"))
}

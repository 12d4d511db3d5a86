//! Checks the operands of mbarrier instructions: states, results and reports of waits.

use crate::operands::meaning::OperandMeaning;
use crate::operands::predicate;
use crate::operands::predicate::Discard;
use crate::operands::{OperandSite, scalar};
use diagnostics::registry::{OPERAND_COUNT, OPERAND_KIND, OPERAND_TYPE};
use diagnostics::{CheckResult, Diagnostic, replace};
use isa::target::Version;
use isa::types::Type;
use syntax::{Operand, OperandKind};

/// The modifier with which a wait reports.
const PRIMARY: &str = "phase_type::primary";

/// The first version in which an arrival may discard its state. Measured: `mbarrier.arrive_drop` always may.
const DISCARDED_STATE: Version = Version::new(7, 1);

/// Checks the state that an arrival returns. Measured: an arrival in the shared memory of the cluster returns none.
pub(super) fn state(site: &OperandSite, operand: &Operand) -> CheckResult {
    if operand.kind == OperandKind::Sink {
        let is_old = site.module.version.is_some_and(|version| version < DISCARDED_STATE);
        if is_old && site.legal.family.name == "mbarrier.arrive" {
            let message = "expected a register for the state, found `_`";
            return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
                .help(format!("use a 64-bit register; `_` requires PTX {DISCARDED_STATE}")));
        }
        return Ok(());
    }
    if site.legal.word("space") != Some("shared::cluster") {
        return scalar::destination(site, operand, Type::U64);
    }
    let message = format!("expected `_`, found `{}`: `.shared::cluster` returns no state", operand.token.text);
    Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
        .help("write `_`")
        .fix("Replace with `_`", [replace(operand.token.range.clone(), "_")]))
}

/// Checks the result of a wait. Measured: in the primary phase a pair also takes whether there is a report.
pub(super) fn wait_result(site: &OperandSite, operand: &Operand) -> CheckResult {
    match site.legal.word("phase_type") {
        Some(PRIMARY) if operand.kind == OperandKind::Pair => predicate::pair(site, operand),
        _ => predicate::result(site, operand, Discard::Rejected),
    }
}

/// Checks the register for the report of a wait.
pub(super) fn report(site: &OperandSite, operand: &Operand) -> CheckResult {
    if site.legal.word("phase_type") != Some(PRIMARY) {
        let message = format!("unexpected operand: a report requires `.{PRIMARY}`");
        return Err(Diagnostic::new(&OPERAND_COUNT, operand.token.range.clone(), message).help("remove the operand"));
    }
    match site.lookup.meaning(operand)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty, .. }) if ty.is_integer() && ty.bits == 8 => Ok(()),
        Some(meaning) => Err(meaning
            .unexpected(&OPERAND_TYPE, &operand.token, "an 8-bit register")
            .help("use a register of type `.b8`")),
    }
}

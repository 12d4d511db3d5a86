//! Checks predicates that are read or written, and pairs of results.

use crate::operands::OperandSite;
use crate::operands::meaning::OperandMeaning;
use crate::operands::scalar;
use crate::operands::types::{Class, RegisterType};
use diagnostics::registry::OPERAND_KIND;
use diagnostics::{CheckResult, Diagnostic};
use isa::types::Type;
use isa::{OperandClass, OperandSpec, SynchronizationClass};
use syntax::{ConstantType, Operand, OperandKind};

/// Whether a predicate result may be discarded with `_`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Discard {
    Allowed,
    Rejected,
}

/// Checks a predicate that is read, such as the last operand of `selp`.
pub(super) fn value(site: &OperandSite, operand: &Operand) -> CheckResult {
    let inner = operand.negated("!");
    let operand = inner.as_ref().unwrap_or(operand);
    match site.lookup.meaning(operand)? {
        None | Some(OperandMeaning::Constant(ConstantType::Integer)) => Ok(()),
        Some(OperandMeaning::Register { ty, .. }) if is_predicate(ty) => Ok(()),
        Some(meaning) => Err(not_a_predicate(operand, &meaning)),
    }
}

/// The diagnostic for a constant where only a predicate is accepted.
pub(super) fn constant(operand: &Operand) -> Diagnostic {
    let text = &operand.token.text;
    Diagnostic::new(
        &OPERAND_KIND,
        operand.token.range.clone(),
        format!("expected a predicate, found constant `{text}`"),
    )
    .help("use a `.pred` register, set for example with `setp`")
}

/// Checks an operand of an instruction on predicates, such as `and.pred`. Measured: it accepts what a value of 32 bits
/// may be, and a negated predicate.
pub(super) fn operand_of_logic(site: &OperandSite, operand: &Operand) -> CheckResult {
    match operand.negated("!") {
        Some(_) => value(site, operand),
        None => scalar::value(site, operand, Type::Pred),
    }
}

/// Checks the source of `mov.pred`, which may also be a special register or its negation.
pub(super) fn moved(site: &OperandSite, operand: &Operand) -> CheckResult {
    let inner = operand.negated("!");
    match site.lookup.meaning(inner.as_ref().unwrap_or(operand))? {
        Some(OperandMeaning::Special { ty, .. }) if is_predicate(ty) => Ok(()),
        _ => operand_of_logic(site, operand),
    }
}

/// Checks a predicate that receives a result.
pub(super) fn result(site: &OperandSite, operand: &Operand, discard: Discard) -> CheckResult {
    match site.lookup.meaning(operand)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty, .. }) if is_predicate(ty) => Ok(()),
        Some(OperandMeaning::Sink) if discard == Discard::Allowed => Ok(()),
        Some(meaning) => Err(not_a_predicate(operand, &meaning).help("use a `.pred` register as the destination")),
    }
}

/// Checks one predicate, or two with `|` between them.
pub(super) fn pair(site: &OperandSite, operand: &Operand) -> CheckResult {
    match operand.pair() {
        Some((first, second)) => {
            result(site, &first, Discard::Allowed)?;
            result(site, &second, Discard::Allowed)
        }
        None => result(site, operand, Discard::Allowed),
    }
}

/// Checks a result with a predicate after `|`.
pub(super) fn with_predicate(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    let Some((first, second)) = operand.pair() else {
        return Err(Diagnostic::new(
            &OPERAND_KIND,
            operand.token.range.clone(),
            format!("expected a pair `d|p` as destination, found `{}`", operand.token.text),
        )
        .help("add a `.pred` register after `|`"));
    };
    if first.kind != OperandKind::Sink {
        scalar::destination(site, &first, ty)?;
    }
    result(site, &second, Discard::Rejected)
}

/// Checks a result with an optional predicate after `|`.
pub(super) fn optional_predicate(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let Some((first, second)) = operand.pair() else { return scalar::destination(site, operand, wanted.ty) };
    if first.kind != OperandKind::Sink
        || wanted.class != OperandClass::Synchronization(SynchronizationClass::MatchResult)
    {
        scalar::destination(site, &first, wanted.ty)?;
    }
    result(site, &second, Discard::Allowed)
}

fn is_predicate(ty: RegisterType) -> bool {
    ty.class == Class::Predicate
}

fn not_a_predicate(operand: &Operand, meaning: &OperandMeaning) -> Diagnostic {
    meaning
        .unexpected(&OPERAND_KIND, &operand.token, "a predicate")
        .help("use a `.pred` register, set for example with `setp`")
}

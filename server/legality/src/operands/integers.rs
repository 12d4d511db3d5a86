//! Checks integers whose type is not that of the instruction: sizes, masks, states, addresses without brackets; and fractions.
//!
//! Measured with `kinds.py` (`tests/evidence/operands/kinds`).

use crate::operands::OperandSite;
use crate::operands::meaning::OperandMeaning;
use crate::operands::{range, scalar};
use diagnostics::registry::OPERAND_TYPE;
use diagnostics::{CheckResult, Diagnostic};
use isa::IntegerSet;
use isa::target::Version;
use isa::types::Type;
use syntax::{ConstantType, Number, Operand, OperandKind};

/// Checks a 32-bit integer; the low 32 bits of a constant must be one of these. Measured: `0x100000000` is barrier 0, and as a number of threads it is
/// accepted though 0 is not.
pub(super) fn wrapping(site: &OperandSite, operand: &Operand, set: IntegerSet) -> CheckResult {
    scalar::count(site, operand)?;
    match range::constant(operand) {
        Some(given) if given != 0 && given.rem_euclid(1 << 32) == 0 => Ok(()),
        Some(given) if set.contains(given.rem_euclid(1 << 32)) => Ok(()),
        _ => scalar::in_set(operand, set),
    }
}

/// Checks a count of arrivals. Measured: a constant may exceed 32 bits, and a list is accepted.
pub(super) fn arrivals(site: &OperandSite, operand: &Operand) -> CheckResult {
    if let Some(OperandMeaning::List | OperandMeaning::VectorRegister { .. }) = site.lookup.meaning(operand)? {
        return Ok(());
    }
    scalar::count(site, operand)?;
    match range::constant(operand) {
        // The assembler reads it as a number of 64 bits with a sign.
        Some(given) if given <= 0 || given > i128::from(i64::MAX) => {
            Err(range::out_of_range(operand, "expected a positive count").help("write 1 or more"))
        }
        _ => Ok(()),
    }
}

/// The first PTX version in which a size of 32 bits is accepted.
const NARROW_SIZE: Version = Version::new(9, 0);

/// Checks a size in a register of 32 or 64 bits, as a constant one of these.
pub(super) fn any_size(site: &OperandSite, operand: &Operand, set: IntegerSet) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(meaning @ OperandMeaning::Register { ty, .. })
            if ty.is_integer() && ty.bits == 32 && site.module.version.is_some_and(|version| version < NARROW_SIZE) =>
        {
            let help = format!("use a 64-bit register; a 32-bit one requires PTX {NARROW_SIZE}");
            Err(meaning.unexpected(&OPERAND_TYPE, &operand.token, "a 64-bit integer").help(help))
        }
        _ => {
            of_either_width(site, operand)?;
            scalar::in_set(operand, set)
        }
    }
}

/// Checks an integer of 32 or 64 bits.
pub(super) fn of_either_width(site: &OperandSite, operand: &Operand) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Register { ty, .. }) if ty.is_integer() && ty.bits == 64 => Ok(()),
        _ => scalar::count(site, operand),
    }
}

/// Checks that the size of a whole is at least that of its part. Measured: the low 32 bits of constants are compared, without a sign.
pub(super) fn total_fits(part: &Operand, total: &Operand) -> CheckResult {
    let size = |operand| range::constant(operand).map(|given| given.rem_euclid(1 << 32));
    match size(part).zip(size(total)) {
        Some((part, whole)) if part > whole => Err(range::out_of_range(total, format!("expected at least {part}"))
            .help("write the size of the whole range, which begins with the part")),
        _ => Ok(()),
    }
}

/// The largest alignment that the assembler accepts.
const LARGEST_ALIGNMENT: i128 = 1 << 23;

/// Checks an alignment: a power of two. Measured: the low 32 bits of a constant count.
pub(super) fn alignment(site: &OperandSite, operand: &Operand) -> CheckResult {
    scalar::immediate(site, operand)?;
    match range::constant(operand) {
        Some(given) => {
            let bytes = given.rem_euclid(1 << 32);
            if bytes.count_ones() == 1 && bytes <= LARGEST_ALIGNMENT {
                return Ok(());
            }
            let reason = format!("expected a power of two up to {LARGEST_ALIGNMENT}");
            Err(range::out_of_range(operand, reason).help("write an alignment in bytes, such as 8"))
        }
        None => Ok(()),
    }
}

/// Checks an integer register as wide as the type, or an integer constant. Measured: a sum is rejected.
pub(super) fn plain(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    match site.lookup.meaning(operand)? {
        None | Some(OperandMeaning::Constant(ConstantType::Integer)) => Ok(()),
        Some(OperandMeaning::Register { ty: register, .. }) if register.is_integer() && register.bits == ty.bits() => {
            Ok(())
        }
        Some(meaning) => Err(no_integer(operand, &meaning, ty.bits())),
    }
}

/// Checks a value of an asynchronous store. Measured: a vector register is accepted too.
pub(super) fn scalar_or_vector(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::VectorRegister { .. }) => Ok(()),
        _ => scalar::value(site, operand, ty),
    }
}

/// Checks a fraction of the accesses: more than 0, at most 1.
pub(super) fn fraction(site: &OperandSite, operand: &Operand) -> CheckResult {
    scalar::value(site, operand, Type::F32)?;
    let text = &operand.token.text;
    let given = (operand.kind == OperandKind::Constant).then(|| Number::float(text)).flatten();
    match given {
        Some(given) if !(given > 0.0 && given <= 1.0) => {
            Err(range::out_of_range(operand, "expected a fraction greater than 0.0, at most 1.0")
                .help("write 1.0 for all accesses"))
        }
        _ => Ok(()),
    }
}

/// The diagnostic for anything that is not an integer of so many bits.
pub(super) fn no_integer(operand: &Operand, meaning: &OperandMeaning, bits: u32) -> Diagnostic {
    meaning
        .unexpected(&OPERAND_TYPE, &operand.token, format!("a {bits}-bit integer"))
        .help(format!("use an integer constant, or a register of type `.b{bits}`, `.u{bits}` or `.s{bits}`"))
}

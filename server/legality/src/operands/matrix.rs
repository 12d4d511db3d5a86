//! Checks the operands that only matrix instructions have.

use crate::operands::meaning::OperandMeaning;
use crate::operands::types;
use crate::operands::types::{Class, RegisterPosition, RegisterType};
use crate::operands::{OperandSite, scalar, vector};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE};
use diagnostics::{CheckResult, Diagnostic, replace};
use isa::IntegerSet;
use isa::types::Type;
use syntax::{ConstantType, Operand, OperandKind};

/// Checks the registers that hold a part of a matrix: always a list in braces, also of one register.
pub(super) fn registers(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> CheckResult {
    if operand.kind == OperandKind::Vector {
        transferred(site, operand)?;
        selected(site, operand, wanted)?;
        return vector::list(site, operand, wanted);
    }
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let (count, text) = (wanted.lanes, &operand.token.text);
    let noun = if count == 1 { "register" } else { "registers" };
    let report = meaning.unexpected(&OPERAND_KIND, &operand.token, format!("a list of {count} {noun}"));
    match (&meaning, count) {
        (OperandMeaning::VectorRegister { ty, lanes, .. }, _)
            if *lanes == count && types::holds(*ty, wanted.ty, RegisterPosition::Element) =>
        {
            Ok(())
        }
        (OperandMeaning::Register { .. }, 1) => {
            let braced = format!("{{{text}}}");
            let title = format!("Replace with `{braced}`");
            Err(report.help(format!("write `{braced}`")).fix(title, [replace(operand.token.range.clone(), braced)]))
        }
        _ => Err(report.help(format!("write {count} {noun} in braces"))),
    }
}

/// Checks the elements that a load or a store of a matrix transfers. Measured: multiplications
/// accept special registers, variables and predicates too, and a load from tensor memory accepts no `_`.
fn transferred(site: &OperandSite, operand: &Operand) -> CheckResult {
    let family = site.legal.family.name;
    let discards = match family {
        "wmma.load.a" | "wmma.load.b" | "wmma.load.c" => true,
        "wmma.store.d" | "tcgen05.ld" | "tcgen05.ld.red" | "tcgen05.st" => false,
        _ => return Ok(()),
    };
    for lane in operand.lanes() {
        let Some(meaning) = site.lookup.meaning(&lane)? else { continue };
        let is_wrong = match &meaning {
            OperandMeaning::Sink => !discards,
            OperandMeaning::Register { ty, element, .. } => {
                ty.class == Class::Predicate || *element && family.starts_with("wmma.")
            }
            OperandMeaning::Special { .. } | OperandMeaning::SpecialVector { .. } | OperandMeaning::Variable(_) => true,
            _ => false,
        };
        if is_wrong && matches!(meaning, OperandMeaning::Sink) {
            let message = format!("`_` is not allowed in a list of `{family}`");
            return Err(Diagnostic::new(&OPERAND_KIND, lane.token.range.clone(), message).help("use a 32-bit register"));
        }
        if is_wrong {
            return Err(meaning
                .unexpected(&OPERAND_KIND, &lane.token, "a register as vector element")
                .help("use a 32-bit register"));
        }
    }
    Ok(())
}

/// Whether the assembler reads the registers of a sparse matrix and of its metadata to convert them. Measured: where it
/// orders the metadata itself, but for numbers that no such conversion has, and for 4-bit integers always.
fn is_converted(site: &OperandSite) -> bool {
    matches!(
        (site.legal.word("sparse"), site.legal.word("atype")),
        (Some(_), Some("s4" | "u4")) | (Some("sp"), Some("f16" | "s8" | "u8"))
    )
}

/// Checks the elements of a sparse matrix whose registers the assembler converts: registers and constants.
fn selected(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> CheckResult {
    if wanted.name != "a" || !is_converted(site) {
        return Ok(());
    }
    for lane in operand.lanes() {
        let Some(meaning) = site.lookup.meaning(&lane)? else { continue };
        if !is_plain_register(&meaning) && !matches!(meaning, OperandMeaning::Constant(_)) {
            return Err(meaning
                .unexpected(&OPERAND_KIND, &lane.token, "a register as element of a sparse matrix")
                .help("copy it into a 32-bit register first"));
        }
    }
    Ok(())
}

/// Whether an operand is a register that is neither a predicate nor an element of a vector.
fn is_plain_register(meaning: &OperandMeaning) -> bool {
    matches!(meaning, OperandMeaning::Register { ty, element: false, .. } if ty.class != Class::Predicate)
}

/// Checks a register that each thread has of its own, such as the selection of a sparse matrix. Measured
/// (`tests/evidence/operands/kinds/matrix.txt.gz`): a predicate and a sum with a register are accepted.
pub(super) fn register_or_predicate(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    if is_converted(site)
        && let Some(meaning) = site.lookup.meaning(operand)?
        && matches!(meaning, OperandMeaning::Register { .. })
        && !is_plain_register(&meaning)
    {
        return Err(meaning
            .unexpected(&OPERAND_KIND, &operand.token, "a register as metadata of a sparse matrix")
            .help("copy it into a 32-bit register first"));
    }
    scalar::unbraced(operand, |operand| bare_register(site, operand, ty))
}

/// As [`register_or_predicate`], without braces.
pub(super) fn bare_register(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    let is_predicate = |register: RegisterType| register.class == Class::Predicate;
    let negated = operand.negated("!");
    match (site.lookup.meaning(negated.as_ref().unwrap_or(operand))?, negated.is_some()) {
        (Some(OperandMeaning::Register { ty: register, .. }), _) if is_predicate(register) => Ok(()),
        (Some(OperandMeaning::Sum { register: Some(register), .. }), false)
            if is_predicate(register) || types::holds(register, ty, RegisterPosition::Scalar) =>
        {
            Ok(())
        }
        (None, _) => Ok(()),
        _ => scalar::bare_register(site, operand, ty),
    }
}

/// Checks the destination of `movmatrix`, which may be a predicate or `_`.
pub(super) fn register_result(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Sink) => Ok(()),
        Some(OperandMeaning::Register { ty: register, .. }) if register.class == Class::Predicate => Ok(()),
        _ => scalar::destination(site, operand, ty),
    }
}

/// Checks the description of a matrix in shared memory.
pub(super) fn descriptor(site: &OperandSite, operand: &Operand) -> CheckResult {
    match site.lookup.meaning(operand)? {
        None | Some(OperandMeaning::Constant(ConstantType::Integer)) => Ok(()),
        Some(OperandMeaning::Register { ty, .. }) if ty.is_integer() && ty.bits == 64 => Ok(()),
        Some(meaning) => Err(meaning
            .unexpected(&OPERAND_TYPE, &operand.token, "a 64-bit matrix descriptor")
            .help("use a `.b64` register")),
    }
}

/// Checks an address in tensor memory.
pub(super) fn tensor_address(site: &OperandSite, operand: &Operand) -> CheckResult {
    let Some(address) = operand.address().filter(|_| operand.kind == OperandKind::Address) else {
        let text = &operand.token.text;
        let message = format!("expected an address in tensor memory, found `{text}`");
        return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
            .help(format!("write the address in brackets: `[{text}]`")));
    };
    if let Some(offset) = &address.offset {
        site.lookup.offset(&Operand::new(offset.clone()))?;
    }
    // Measured: a multiplication accepts no signed or unsigned type.
    let untyped = site.legal.family.name.starts_with("tcgen05.mma");
    match site.lookup.meaning(&address.base)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty, .. })
            if ty.is_integer() && ty.bits == 32 && (!untyped || ty.class == Class::Bits) =>
        {
            Ok(())
        }
        Some(meaning) => Err(meaning
            .unexpected(&OPERAND_TYPE, &address.base.token, "a 32-bit tensor memory address")
            .help(if untyped { "use a `.b32` register" } else { "use a `.b32` or `.u32` register" })),
    }
}

/// Checks the two numbers that select a byte and a thread: constants of the sets, or 16-bit registers.
pub(super) fn selectors(site: &OperandSite, operand: &Operand, sets: [IntegerSet; 2]) -> CheckResult {
    let numbers = operand.lanes();
    if operand.kind != OperandKind::Vector || numbers.len() != sets.len() {
        let message = format!("expected a list of 2 integers, found `{}`", operand.token.text);
        return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
            .help("write the byte and the thread in braces, such as `{0, 1}`"));
    }
    for (number, set) in numbers.iter().zip(sets) {
        match site.lookup.meaning(number)? {
            None => {}
            Some(OperandMeaning::Constant(ConstantType::Integer)) => scalar::integer(site, number, set)?,
            Some(OperandMeaning::Register { ty, .. })
                if types::holds(ty, Type::U16, RegisterPosition::Scalar) && ty.bits == 16 => {}
            Some(meaning) => {
                return Err(meaning
                    .unexpected(&OPERAND_TYPE, &number.token, "a 16-bit integer")
                    .help(format!("write {set}, or use a `.b16` register")));
            }
        }
    }
    Ok(())
}

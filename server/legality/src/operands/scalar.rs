//! Checks scalar destinations, values and cache policies.

use crate::operands::OperandSite;
use crate::operands::meaning::{Constant, OperandMeaning};
use crate::operands::range;
use crate::operands::types;
use crate::operands::types::{Class, RegisterPosition, RegisterType, RegisterWidth};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE};
use diagnostics::{CheckResult, Diagnostic, remove, replace};
use isa::IntegerSet;
use isa::types::{Type, TypeKind};
use isa::{MoveClass, OperandClass, OperandSpec};
use syntax::{ConstantType, Number, Operand, OperandKind};

/// Checks the destination of the width that its class allows.
pub(super) fn destination_of(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    if is_wider(site, operand, wanted)? { Ok(()) } else { destination(site, operand, wanted.ty) }
}

/// Checks a source operand of the width that its class allows.
pub(super) fn value_of(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    if is_wider(site, operand, wanted)? { Ok(()) } else { value(site, operand, wanted.ty) }
}

/// Checks a source of `cvt`. Measured: a special register is an integer, which may be wider than the type.
pub(super) fn wider_or_special(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Special { widths, .. })
            if wanted.ty.kind() != TypeKind::Float && widths.iter().any(|bits| *bits >= wanted.ty.bits()) =>
        {
            Ok(())
        }
        _ => value_of(site, operand, wanted),
    }
}

/// Checks a register of a packed format. Measured: only untyped registers, and sums with them, are accepted.
pub(super) fn bits(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let untyped = |register: RegisterType| register.class == Class::Bits && register.bits == ty.bits();
    match &meaning {
        OperandMeaning::Register { ty, .. } | OperandMeaning::Sum { register: Some(ty), .. } if untyped(*ty) => Ok(()),
        _ => Err(meaning
            .unexpected(&OPERAND_TYPE, &operand.token, format!("a `.{}` register", ty.word()))
            .help(format!("use a register of type `.{}`", ty.word()))),
    }
}

/// Checks a register or a constant.
pub(super) fn plain(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(meaning @ (OperandMeaning::Function(_) | OperandMeaning::Sum { .. })) => {
            Err(no_value(site, operand, &meaning, ty))
        }
        _ => value(site, operand, ty),
    }
}

/// Whether an operand is a wider register than its type, where that is valid.
fn is_wider(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult<bool> {
    let wider =
        matches!(wanted.class, OperandClass::Move(MoveClass::Wider) | OperandClass::Move(MoveClass::WiderOrSpecial));
    Ok(match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Register { ty, .. }) => {
            // Measured (tests/evidence/operands/multimem_stores.txt): this store narrows integers alone.
            let narrows =
                site.legal.family.name != "multimem.st.async" || ty.is_integer() && wanted.ty.kind() != TypeKind::Float;
            wider && narrows && types::holds_with(RegisterWidth::AtLeast, ty, wanted.ty, RegisterPosition::Scalar)
        }
        _ => false,
    })
}

/// Checks the destination.
pub(super) fn destination(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    let range = operand.token.range.clone();
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    match &meaning {
        OperandMeaning::Sink if site.legal.family.name == "atom" => Ok(()),
        OperandMeaning::Sink => Err(Diagnostic::new(
            &OPERAND_KIND,
            range,
            format!("`_` is not a valid destination of `{}`", site.legal.family.name),
        )
        .help("use a register as the destination")),
        OperandMeaning::Register { ty: register, .. } if types::holds(*register, ty, RegisterPosition::Scalar) => {
            Ok(())
        }
        // Measured: a load of packed 8-bit numbers accepts a predicate.
        OperandMeaning::Register { ty: register, .. }
            if register.class == Class::Predicate && matches!(ty, Type::E4m3x4 | Type::E5m2x4) =>
        {
            Ok(())
        }
        OperandMeaning::Register { .. } => Err(mistyped(site, operand, &meaning, ty, "destination")),
        OperandMeaning::VectorRegister { .. } | OperandMeaning::List => Err(no_vector(operand, &meaning)),
        _ => Err(meaning.unexpected(&OPERAND_KIND, &operand.token, "a register as destination").help(format!(
            "use a register of type {}, or `_` to discard the result",
            types::holders(ty, RegisterPosition::Scalar)
        ))),
    }
}

/// Checks a source operand.
pub(super) fn value(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let range = operand.token.range.clone();
    let fits = match &meaning {
        OperandMeaning::Register { ty: register, .. } => types::holds(*register, ty, RegisterPosition::Scalar),
        OperandMeaning::Constant(literal) => types::takes(*literal, ty),
        OperandMeaning::Sum { register: Some(_), .. } if ty == Type::Pred => false,
        OperandMeaning::Sum { constant, .. } => sum_fits(*constant, ty),
        // Measured: the address of a function is valid for every type.
        OperandMeaning::Function(_) => true,
        OperandMeaning::VectorRegister { .. } | OperandMeaning::List => return Err(no_vector(operand, &meaning)),
        _ => return Err(no_value(site, operand, &meaning, ty)),
    };
    match (fits, &meaning) {
        (true, _) => Ok(()),
        (false, OperandMeaning::Constant(literal)) => Err(wrong_literal(operand, *literal, ty)),
        (false, OperandMeaning::Register { .. }) => Err(mistyped(site, operand, &meaning, ty, "value")),
        (false, _) => Err(Diagnostic::new(
            &OPERAND_TYPE,
            range,
            format!("invalid `.{}` value `{}`", ty.word(), operand.token.text),
        )
        .help(format!("use a register of type {}", types::holders(ty, RegisterPosition::Scalar)))),
    }
}

/// Checks a value that must be a register.
pub(super) fn register(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    unbraced(operand, |operand| bare_register(site, operand, ty))
}

/// Checks the one register in braces, or the operand. Measured: where a register is required, braces around it are accepted.
pub(super) fn unbraced(operand: &Operand, check: impl FnOnce(&Operand) -> CheckResult) -> CheckResult {
    match operand.lanes().as_slice() {
        [only] if operand.kind == OperandKind::Vector => check(only),
        _ => check(operand),
    }
}

/// As [`register`], without braces.
pub(super) fn bare_register(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    match site.lookup.meaning(operand)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty: register, .. }) if types::holds(register, ty, RegisterPosition::Scalar) => {
            Ok(())
        }
        Some(meaning) => Err(meaning
            .unexpected(&OPERAND_TYPE, &operand.token, format!("a `.{}` register", ty.word()))
            .help(format!("use a register of type {}", types::holders(ty, RegisterPosition::Scalar)))),
    }
}

/// Checks the cache policy.
pub(super) fn policy(site: &OperandSite, operand: &Operand) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let report = match &meaning {
        meaning if is_policy(meaning) => return Ok(()),
        OperandMeaning::Register { .. } | OperandMeaning::Constant(_) => {
            meaning.unexpected(&OPERAND_TYPE, &operand.token, "a 64-bit cache policy")
        }
        _ => meaning.unexpected(&OPERAND_KIND, &operand.token, "a 64-bit register as cache policy"),
    };
    Err(report.help("use a `.b64` register, set with `createpolicy`"))
}

/// Checks a destination that no packed register may be.
pub(super) fn integer_result(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(meaning @ OperandMeaning::Register { ty: register, .. }) if register.class == Class::Packed => {
            Err(mistyped(site, operand, &meaning, ty, "destination"))
        }
        _ => destination(site, operand, ty),
    }
}

/// Checks a 32-bit integer that is no operand of the instruction's type, such as a shift count.
pub(super) fn count(site: &OperandSite, operand: &Operand) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let fits = match &meaning {
        OperandMeaning::Register { ty, .. } => ty.is_integer() && ty.bits == 32,
        OperandMeaning::Constant(literal) => *literal == ConstantType::Integer,
        // Measured: a register of 32 bits or a variable may begin a sum, a function or a label may not.
        OperandMeaning::Sum { register: Some(ty), .. } => ty.is_integer() && ty.bits == 32,
        OperandMeaning::Sum { constant, .. } => *constant == Constant::Like(Class::Unsigned),
        OperandMeaning::VectorRegister { .. } | OperandMeaning::List => return Err(no_vector(operand, &meaning)),
        OperandMeaning::Function(_) => false,
        _ => return Err(no_value(site, operand, &meaning, Type::U32)),
    };
    if fits {
        return Ok(());
    }
    Err(meaning
        .unexpected(&OPERAND_TYPE, &operand.token, "a 32-bit integer")
        .help("use an integer constant, or a register of type `.b32`, `.u32` or `.s32`"))
}

/// Checks a 32-bit integer of which the instruction uses one byte.
pub(super) fn byte(site: &OperandSite, operand: &Operand) -> CheckResult {
    count(site, operand)?;
    match range::constant(operand) {
        Some(given) if !(0..=255).contains(&given) => {
            Err(range::out_of_range(operand, "the instruction uses 8 bits").help("use a constant from 0 to 255"))
        }
        _ => Ok(()),
    }
}

/// Checks an operand that must be known to the assembler.
pub(super) fn immediate(site: &OperandSite, operand: &Operand) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    match &meaning {
        OperandMeaning::Constant(ConstantType::Integer) => Ok(()),
        _ => Err(meaning
            .unexpected(&OPERAND_KIND, &operand.token, "an integer constant")
            .help("use a number that is known when the module is assembled")),
    }
}

/// Checks a constant that must be one of some integers.
pub(super) fn integer(site: &OperandSite, operand: &Operand, set: IntegerSet) -> CheckResult {
    immediate(site, operand)?;
    in_set(operand, set)
}

/// Checks a 32-bit integer; a constant must be one of some integers.
pub(super) fn count_among(site: &OperandSite, operand: &Operand, set: IntegerSet) -> CheckResult {
    count(site, operand)?;
    in_set(operand, set)
}

/// Checks that a constant is one of some integers.
pub(super) fn in_set(operand: &Operand, set: IntegerSet) -> CheckResult {
    match range::constant(operand) {
        // The assembler computes with 64 bits: a constant with the highest bit set is negative.
        Some(given) if !set.contains(i128::from(given as i64)) => {
            Err(range::out_of_range(operand, format!("expected {set}")).help(format!("write {set}")))
        }
        _ => Ok(()),
    }
}

/// Whether an operand may be a cache policy.
pub(super) fn is_policy(meaning: &OperandMeaning) -> bool {
    match meaning {
        OperandMeaning::Register { ty, .. } | OperandMeaning::Sum { register: Some(ty), .. } => {
            types::holds(*ty, Type::U64, RegisterPosition::Scalar)
        }
        OperandMeaning::Constant(literal) => *literal == ConstantType::Integer,
        _ => false,
    }
}

fn sum_fits(constant: Constant, ty: Type) -> bool {
    let bits = ty.kind() == TypeKind::Bits && ty != Type::Pred || matches!(ty, Type::E4m3x4 | Type::E5m2x4);
    let integer = matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed) && ty.packed() == 1;
    match constant {
        Constant::Any => true,
        Constant::Like(Class::Unsigned | Class::Signed | Class::Packed) if bits || integer => true,
        Constant::Like(Class::Float) => bits || matches!(ty, Type::F16 | Type::F32 | Type::F64),
        Constant::Like(Class::Packed) => ty == Type::F16x2,
        Constant::Like(_) => false,
    }
}

fn no_vector(operand: &Operand, meaning: &OperandMeaning) -> diagnostics::Diagnostic {
    let report = meaning.unexpected(&OPERAND_KIND, &operand.token, "a scalar");
    match operand.lanes().as_slice() {
        [only] => {
            let range = &operand.token.range;
            let inner = &only.token.range;
            report
                .help(format!("write `{}`", only.token.text))
                .unsafe_fix("Remove the braces", [remove(range.start..inner.start), remove(inner.end..range.end)])
        }
        _ => report.help("use one register, or add a vector size such as `.v2` if the operation supports it"),
    }
}

fn no_value(site: &OperandSite, operand: &Operand, meaning: &OperandMeaning, ty: Type) -> diagnostics::Diagnostic {
    let text = &operand.token.text;
    let report = meaning.unexpected(&OPERAND_KIND, &operand.token, "a register or a constant");
    report.help(match meaning {
        OperandMeaning::Special { ty, .. } => {
            format!("copy it into a register first, with `mov.u{} r, {text};`", ty.bits)
        }
        OperandMeaning::SpecialVector { .. } if site.legal.family.name == "mov" => {
            format!("write one component: `{text}.x`, `{text}.y` or `{text}.z`")
        }
        OperandMeaning::SpecialVector { widths } => {
            let bits = widths.last().copied().unwrap_or(32);
            format!("copy one component into a register first, with `mov.u{bits} r, {text}.x;`")
        }
        OperandMeaning::Variable(variable) if variable.space.text == ".param" => {
            format!("load it into a register first, with `ld.param{} r, [{text}];`", variable.ty.text)
        }
        OperandMeaning::Variable(_) => {
            format!("load its value into a register first, or take its address with `mov.u64 r, {text};`")
        }
        OperandMeaning::Memory => "load the value into a register first".to_owned(),
        _ if operand.kind == OperandKind::Negation => "compute it into a register first".to_owned(),
        _ => format!("use a register of type {}", types::holders(ty, RegisterPosition::Scalar)),
    })
}

fn mistyped(
    site: &OperandSite,
    operand: &Operand,
    meaning: &OperandMeaning,
    ty: Type,
    role: &str,
) -> diagnostics::Diagnostic {
    let written = site.legal.at("type").filter(|_| site.legal.ty == Some(ty));
    let name = written.map_or(format!(".{}", ty.word()), |at| format!(".{}", site.opcode.words()[at]));
    meaning
        .unexpected(&OPERAND_TYPE, &operand.token, format!("a `{name}` {role}"))
        .help(format!("use a register of type {}", types::holders(ty, RegisterPosition::Scalar)))
}

/// The diagnostic for a constant of the wrong type, with the equivalent constant if there is one.
pub(super) fn wrong_literal(operand: &Operand, literal: ConstantType, ty: Type) -> Diagnostic {
    let text = &*operand.token.text;
    let what = if literal == ConstantType::Integer { "integer" } else { "floating-point number" };
    let report = Diagnostic::new(
        &OPERAND_TYPE,
        operand.token.range.clone(),
        format!("expected a `.{}` value, found {what} `{text}`", ty.word()),
    );
    let right = match (literal, ty) {
        (ConstantType::Integer, Type::F32 | Type::F64) => {
            Number::signed_integer(text).map(|number| format!("{number}.0"))
        }
        (ConstantType::Double, Type::B32) => {
            Number::float(text).map(|number| format!("0f{:08X}", (number as f32).to_bits()))
        }
        (ConstantType::Double | ConstantType::Single, Type::U32 | Type::S32 | Type::U64 | Type::S64) => whole(text),
        (ConstantType::Single, Type::B64) => Number::float(text).map(|number| format!("0d{:016X}", number.to_bits())),
        _ => None,
    };
    match right {
        Some(right) => report
            .help(format!("write `{right}`"))
            .fix(format!("Replace with `{right}`"), [replace(operand.token.range.clone(), right)]),
        None if matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => report.help(format!(
            "move the constant into a register of type {1}; `.{0}` does not support constants",
            ty.word(),
            types::holders(ty, RegisterPosition::Scalar)
        )),
        None => report.help(format!(
            "use a constant of that type, or a register of type {}",
            types::holders(ty, RegisterPosition::Scalar)
        )),
    }
}

/// The integer value of a floating-point literal.
fn whole(text: &str) -> Option<String> {
    let number = Number::float(text)?;
    (number.fract() == 0.0 && number.abs() < 1e15).then(|| format!("{number:.0}"))
}

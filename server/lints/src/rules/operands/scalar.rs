//! Destinations, values and policies that are no vectors.

use super::OperandSite;
use super::meaning::{Constant, OperandMeaning};
use super::types::{self, Class};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE};
use diagnostics::{Diagnostic, Verdict, remove, replace};
use isa::types::{Type, TypeKind};
use syntax::{ConstantType, Number, Operand, OperandKind};

/// Checks what takes the result.
pub(super) fn destination(site: &OperandSite, operand: &Operand, ty: Type) -> Verdict {
    let range = operand.token.range.clone();
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    match &meaning {
        OperandMeaning::Sink if site.legal.family.name == "atom" => Ok(()),
        OperandMeaning::Sink => {
            Err(Diagnostic::new(&OPERAND_KIND, range, format!("`{}` cannot drop its result", site.legal.family.name))
                .help("write a register as destination"))
        }
        OperandMeaning::Register { ty: register, .. } if types::holds(*register, ty, false) => Ok(()),
        // Measured: a load of packed 8-bit numbers takes a predicate.
        OperandMeaning::Register { ty: register, .. }
            if register.class == Class::Predicate && matches!(ty, Type::E4m3x4 | Type::E5m2x4) =>
        {
            Ok(())
        }
        OperandMeaning::Register { .. } => Err(mistyped(site, operand, &meaning, ty, "takes the result")),
        OperandMeaning::VectorRegister { .. } | OperandMeaning::List => Err(no_vector(operand, &meaning)),
        _ => Err(Diagnostic::new(
            &OPERAND_KIND,
            range,
            format!("a destination is a register; `{}` is {}", operand.token.text, meaning.describe()),
        )
        .help(format!("write a register of type {}, or `_` to drop the result", types::holders(ty, false)))
        .declared(meaning.declaration())),
    }
}

/// Checks a value that the instruction reads.
pub(super) fn value(site: &OperandSite, operand: &Operand, ty: Type) -> Verdict {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let range = operand.token.range.clone();
    let fits = match &meaning {
        OperandMeaning::Register { ty: register, .. } => types::holds(*register, ty, false),
        OperandMeaning::Constant(literal) => types::takes(*literal, ty),
        OperandMeaning::Sum { constant, .. } => sum_fits(*constant, ty),
        // Measured: the address of a function passes for bits of any type.
        OperandMeaning::Function(_) => true,
        OperandMeaning::VectorRegister { .. } | OperandMeaning::List => return Err(no_vector(operand, &meaning)),
        _ => return Err(no_value(operand, &meaning, ty)),
    };
    match (fits, &meaning) {
        (true, _) => Ok(()),
        (false, OperandMeaning::Constant(literal)) => Err(wrong_literal(operand, *literal, ty)),
        (false, OperandMeaning::Register { .. }) => Err(mistyped(site, operand, &meaning, ty, "holds the value")),
        (false, _) => Err(Diagnostic::new(
            &OPERAND_TYPE,
            range,
            format!("`{}` is no value of type `.{}`", operand.token.text, ty.word()),
        )
        .help(format!("write a register of type {}", types::holders(ty, false)))),
    }
}

/// Checks the cache policy.
pub(super) fn policy(site: &OperandSite, operand: &Operand) -> Verdict {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    match &meaning {
        meaning if is_policy(meaning) => Ok(()),
        OperandMeaning::Register { .. } | OperandMeaning::Constant(_) => Err(Diagnostic::new(
            &OPERAND_TYPE,
            operand.token.range.clone(),
            format!("a cache policy has 64 bits; `{}` is {}", operand.token.text, meaning.describe()),
        )
        .help("write a `.b64` register that `createpolicy` fills")
        .declared(meaning.declaration())),
        _ => Err(Diagnostic::new(
            &OPERAND_KIND,
            operand.token.range.clone(),
            format!("a cache policy is a 64-bit register; `{}` is {}", operand.token.text, meaning.describe()),
        )
        .help("write a `.b64` register that `createpolicy` fills")
        .declared(meaning.declaration())),
    }
}

/// Whether an operand may be a cache policy.
pub(super) fn is_policy(meaning: &OperandMeaning) -> bool {
    match meaning {
        OperandMeaning::Register { ty, .. } | OperandMeaning::Sum { register: Some(ty), .. } => {
            types::holds(*ty, Type::U64, false)
        }
        OperandMeaning::Constant(literal) => *literal == ConstantType::Integer,
        _ => false,
    }
}

fn sum_fits(constant: Constant, ty: Type) -> bool {
    let bits = ty.kind() == TypeKind::Bits || matches!(ty, Type::E4m3x4 | Type::E5m2x4);
    match constant {
        Constant::Any => true,
        Constant::Like(Class::Unsigned | Class::Signed | Class::Packed)
            if bits || matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed) =>
        {
            true
        }
        Constant::Like(Class::Float) => bits || matches!(ty, Type::F16 | Type::F32 | Type::F64),
        Constant::Like(Class::Packed) => ty == Type::F16x2,
        Constant::Like(_) => false,
    }
}

fn no_vector(operand: &Operand, meaning: &OperandMeaning) -> diagnostics::Diagnostic {
    let report = Diagnostic::new(
        &OPERAND_KIND,
        operand.token.range.clone(),
        format!(
            "the instruction works on one value, not on a vector: `{}` is {}",
            operand.token.text,
            meaning.describe()
        ),
    )
    .declared(meaning.declaration());
    match operand.lanes().as_slice() {
        [only] => {
            let range = &operand.token.range;
            let inner = &only.token.range;
            report
                .help(format!("write `{}`", only.token.text))
                .unsafe_fix("Remove the braces", [remove(range.start..inner.start), remove(inner.end..range.end)])
        }
        _ => report.help("write one register, or a vector size such as `.v2` where the operation has one"),
    }
}

fn no_value(operand: &Operand, meaning: &OperandMeaning, ty: Type) -> diagnostics::Diagnostic {
    let text = &operand.token.text;
    let report = Diagnostic::new(
        &OPERAND_KIND,
        operand.token.range.clone(),
        format!("a value is a register or a constant; `{text}` is {}", meaning.describe()),
    )
    .declared(meaning.declaration());
    report.help(match meaning {
        OperandMeaning::Special { ty, .. } => format!("copy it into a register first: `mov.u{} r, {text};`", ty.bits),
        OperandMeaning::Variable(variable) if variable.space.text == ".param" => {
            format!("load it into a register first, by `ld.param{} r, [{text}];`", variable.ty.text)
        }
        OperandMeaning::Variable(_) => {
            format!("load what it holds into a register first, or take its address by `mov.u64 r, {text};`")
        }
        OperandMeaning::Memory => "load the value into a register first".to_owned(),
        _ if operand.kind == OperandKind::Negation => "compute it into a register first".to_owned(),
        _ => format!("write a register of type {}", types::holders(ty, false)),
    })
}

fn mistyped(
    site: &OperandSite,
    operand: &Operand,
    meaning: &OperandMeaning,
    ty: Type,
    does: &str,
) -> diagnostics::Diagnostic {
    let name = site.legal.at("type").map_or(format!(".{}", ty.word()), |at| format!(".{}", site.opcode.words()[at]));
    Diagnostic::new(
        &OPERAND_TYPE,
        operand.token.range.clone(),
        format!("`{}` is {} and {does} of a `{name}`", operand.token.text, meaning.describe()),
    )
    .help(format!("write a register of type {}", types::holders(ty, false)))
    .declared(meaning.declaration())
}

/// A literal of the wrong kind, with the right one where it is the same number.
pub(super) fn wrong_literal(operand: &Operand, literal: ConstantType, ty: Type) -> Diagnostic {
    let text = &*operand.token.text;
    let what = if literal == ConstantType::Integer { "an integer" } else { "a floating-point number" };
    let report = Diagnostic::new(
        &OPERAND_TYPE,
        operand.token.range.clone(),
        format!("`{text}` is {what}; the instruction computes on `.{}`", ty.word()),
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
            .fix(format!("Write `{right}`"), [replace(operand.token.range.clone(), right)]),
        None if matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => report.help(format!(
            "`.{}` takes no constants: put it into a register of type {}",
            ty.word(),
            types::holders(ty, false)
        )),
        None => {
            report.help(format!("write a constant of that type, or a register of type {}", types::holders(ty, false)))
        }
    }
}

/// A floating-point literal that is a whole number, as an integer.
fn whole(text: &str) -> Option<String> {
    let number = Number::float(text)?;
    (number.fract() == 0.0 && number.abs() < 1e15).then(|| format!("{number:.0}"))
}

//! Checks the operands of `mov`: symbols and special registers beside values, and vectors that are packed or unpacked.

use crate::operands::meaning::OperandMeaning;
use crate::operands::types::{Class, RegisterType};
use crate::operands::{OperandSite, address, predicate, scalar, vector};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{CheckResult, Diagnostic};
use isa::types::{Type, TypeKind};
use isa::{OperandSpec, Role};
use syntax::{ConstantType, Operand, OperandKind};

/// How many elements a vector may have that is packed into one register.
const PACKED_LANES: [usize; 3] = [1, 2, 4];

/// Checks a source: a value, a special register, the address of a symbol, or with `.v2` and `.v4` a vector.
pub(super) fn source(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    if wanted.lanes > 1 {
        match site.lookup.meaning(operand)? {
            Some(OperandMeaning::List | OperandMeaning::VectorRegister { .. }) => {
                return vector::check(site, operand, wanted);
            }
            Some(OperandMeaning::SpecialVector { widths }) if wanted.lanes == 4 && reads(widths, wanted.ty) => {
                return Ok(());
            }
            // Measured: one value fills all elements.
            _ => {}
        }
    }
    address_or_value(site, operand, wanted.ty)
}

/// Checks a scalar source.
fn address_or_value(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    if ty == Type::Pred {
        return predicate::moved(site, operand);
    }
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Variable(variable)) if address::is_reference(variable) && ty != Type::U64 => {
            Err(no_handle(operand, ty).declared(Some(variable)))
        }
        // Measured: an address is an integer of any width.
        Some(OperandMeaning::Variable(variable)) if ty.kind() != TypeKind::Float => address::of(operand, variable),
        Some(OperandMeaning::Special { widths, .. }) if reads(widths, ty) => Ok(()),
        _ if ty.kind() != TypeKind::Float && address::array(&site.lookup, operand)?.is_some() => Ok(()),
        _ => scalar::value(site, operand, ty),
    }
}

/// The diagnostic for the handle of a texture or a surface, moved as another type than `.u64`.
fn no_handle(operand: &Operand, ty: Type) -> Diagnostic {
    let message = format!("the handle `{}` cannot be moved as `.{}`", operand.token.text, ty.word());
    Diagnostic::new(&OPERAND_TYPE, operand.token.range.clone(), message).help("use `mov.u64` and a 64-bit register")
}

/// Whether a special register of these widths can be read as a type. Measured: its number is an integer.
fn reads(widths: &[u32], ty: Type) -> bool {
    ty.kind() != TypeKind::Float && widths.contains(&ty.bits())
}

/// Checks an operand of a `mov` of bits.
pub(super) fn packed(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    if operand.kind == OperandKind::Vector {
        let lanes = operand.lanes();
        let Some(list) = vector::list_type(site, operand, &lanes, wanted)? else { return Ok(()) };
        // Measured: a constant integer in first position is as wide as needed.
        let any = list.literal == Some(ConstantType::Integer) && PACKED_LANES.contains(&lanes.len());
        return if any { Ok(()) } else { check_width(operand, lanes.len(), list.ty, wanted.ty) };
    }
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::VectorRegister { ty, lanes, .. }) => {
            check_width(operand, usize::from(lanes), ty, wanted.ty)
        }
        Some(OperandMeaning::SpecialVector { .. }) if wanted.ty == Type::B128 && wanted.role == Role::Value => Ok(()),
        _ if wanted.role == Role::Destination => scalar::destination(site, operand, wanted.ty),
        _ => address_or_value(site, operand, wanted.ty),
    }
}

/// Checks that a vector is as wide as the type.
fn check_width(operand: &Operand, lanes: usize, element: RegisterType, ty: Type) -> CheckResult {
    let bits = element.bits as usize * lanes;
    let fits = bits == ty.bits() as usize && PACKED_LANES.contains(&lanes) && element.class != Class::Predicate;
    if fits {
        return Ok(());
    }
    let text = &operand.token.text;
    let message = match element.class {
        Class::Predicate => format!("expected numbers, found predicates in `{text}`"),
        _ => format!("expected {} bits, found {lanes} × {} bits in `{text}`", ty.bits(), element.bits),
    };
    let shapes: Vec<_> = PACKED_LANES[1..]
        .iter()
        .map(|lanes| format!("{lanes} elements of {} bits", ty.bits() as usize / lanes))
        .collect();
    Err(Diagnostic::new(&VECTOR_SIZE, operand.token.range.clone(), message)
        .help(format!("write {}", shapes.join(" or "))))
}

/// Checks that not both operands are vectors.
pub(super) fn one_vector(site: &OperandSite, written: &[Operand]) -> CheckResult {
    let is_vector = |operand: &Operand| {
        matches!(
            site.lookup.meaning(operand),
            Ok(Some(
                OperandMeaning::List | OperandMeaning::VectorRegister { .. } | OperandMeaning::SpecialVector { .. }
            ))
        )
    };
    match written {
        [first, second] if is_vector(first) && is_vector(second) => Err(Diagnostic::new(
            &OPERAND_KIND,
            second.token.range.clone(),
            format!("expected a scalar, found `{}`: the destination is a vector too", second.token.text),
        )
        .help("pack into one register, or unpack one register")),
        _ => Ok(()),
    }
}

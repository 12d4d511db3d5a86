//! Checks the coordinates of texture and surface instructions, their offsets and derivatives, and levels of detail.
//!
//! Measured with `kinds.py` (`tests/evidence/operands/kinds`).

use crate::operands::meaning::OperandMeaning;
use crate::operands::types::Class;
use crate::operands::{OperandSite, scalar, vector};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{CheckResult, Diagnostic};
use isa::types::Type;
use isa::{OperandClass, OperandSpec, Role};
use syntax::{ConstantType, Operand, OperandKind};

/// How many numbers a list may have.
#[derive(Clone, Copy)]
enum ListLength {
    /// One, two or four, and at least this number.
    Padded(usize),
    /// Exactly this number.
    Exact(usize),
}

impl ListLength {
    /// The length of a list without padding.
    fn least(self) -> usize {
        match self {
            ListLength::Padded(least) | ListLength::Exact(least) => least,
        }
    }

    fn check(self, operand: &Operand, count: usize) -> CheckResult {
        let fits = match self {
            ListLength::Padded(least) => matches!(count, 1 | 2 | 4) && count >= least,
            ListLength::Exact(exact) => count == exact,
        };
        if fits {
            return Ok(());
        }
        let wanted = self.counted();
        let message = format!("expected {wanted}, found {count}");
        Err(Diagnostic::new(&VECTOR_SIZE, operand.token.range.clone(), message).help(format!("write {wanted}")))
    }

    fn counted(self) -> String {
        match self.least() {
            1 => "1 element".to_owned(),
            count => format!("{count} elements"),
        }
    }
}

/// The number of coordinates, the index of an array included.
fn coordinate_count(site: &OperandSite) -> usize {
    match site.legal.word("geom") {
        Some("1d") => 1,
        Some("2d" | "a1d") => 2,
        _ => 4,
    }
}

/// The number of dimensions, for offsets and derivatives.
fn dimension_count(site: &OperandSite) -> usize {
    match site.legal.word("geom") {
        Some("1d" | "a1d") => 1,
        Some("2d" | "a2d" | "2dms" | "a2dms") => 2,
        _ => 4,
    }
}

/// What an element of a list of numbers is.
fn element(wanted: &OperandSpec, ty: Type) -> OperandSpec {
    let mut spec = *wanted;
    (spec.role, spec.class, spec.ty, spec.lanes) = (Role::Value, OperandClass::Typed, ty, 1);
    spec
}

/// The type of coordinates: that of the source, for surfaces integers.
fn coordinate_type(site: &OperandSite) -> Type {
    site.legal.source_ty.unwrap_or(Type::S32)
}

/// Whether the index of an array precedes the coordinates.
fn is_array(site: &OperandSite) -> bool {
    site.legal.word("geom").is_some_and(|geometry| geometry.starts_with('a'))
}

/// Checks coordinates. The index of an array in front of them is an integer.
pub(super) fn check(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let spec = element(wanted, coordinate_type(site));
    let length = ListLength::Padded(coordinate_count(site));
    if !is_array(site) || operand.kind != OperandKind::Vector {
        return numbers(site, operand, &spec, length);
    }
    let elements = operand.lanes();
    length.check(operand, elements.len())?;
    match elements.split_first() {
        Some((layer, rest)) if !rest.is_empty() => {
            index(site, layer)?;
            let is_constant = layer.kind == OperandKind::Constant;
            if is_constant { Ok(()) } else { coordinates_of_layer(site, operand, rest, &spec) }
        }
        _ => list(site, operand, &spec),
    }
}

/// Checks the index of a layer. Measured: two half-precision numbers are not accepted.
fn index(site: &OperandSite, operand: &Operand) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. })
            if ty.is_integer() && ty.bits == 32 =>
        {
            Ok(())
        }
        Some(OperandMeaning::Variable(_)) => Ok(()),
        _ => scalar::count(site, operand),
    }
}

/// Checks the coordinates in a layer. Measured: their types must be compatible with each other, not with the instruction.
fn coordinates_of_layer(site: &OperandSite, operand: &Operand, rest: &[Operand], spec: &OperandSpec) -> CheckResult {
    match vector::list_type(site, operand, rest, spec)? {
        Some(found) if found.literal.is_none() && found.ty.bits != 32 => number(site, &rest[0], spec.ty),
        _ => Ok(()),
    }
}

/// Checks coordinates after a sampler. Measured: those of arrays are not checked, and `tex.level` accepts fewer than two.
pub(super) fn check_with_sampler(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    if is_array(site) || operand.kind != OperandKind::Vector {
        return site.lookup.meaning(operand).map(|_| ());
    }
    let least = match coordinate_count(site) {
        2 if site.legal.family.name == "tex.level" => 1,
        _ if site.legal.word("geom") == Some("2dms") => 2,
        count => count,
    };
    ListLength::Padded(least).check(operand, operand.lanes().len())?;
    list(site, operand, &element(wanted, coordinate_type(site)))
}

/// Checks offsets: one integer for each coordinate. Measured: a cube takes one number and no list; of three dimensions, a register of bits counts as a
/// value to compare with, which they do not have.
pub(super) fn offsets(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let geometry = site.legal.word("geom").unwrap_or_default();
    let meaning = site.lookup.meaning(operand)?;
    let is_list = matches!(meaning, Some(OperandMeaning::List | OperandMeaning::VectorRegister { .. }));
    let is_bits = matches!(&meaning, Some(OperandMeaning::Register { ty, .. }) if ty.class == Class::Bits);
    let wrong = |expected: &str, help: &str| {
        let message = format!("expected {expected} of `.{geometry}`, found `{}`", operand.token.text);
        Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message).help(help))
    };
    match geometry {
        "cube" | "acube" if is_list => wrong("one number for the offset", "use a 32-bit integer register"),
        "3d" if is_bits => wrong("a list for the offsets", "write 4 elements in braces; the last is ignored"),
        _ if matches!(meaning, Some(OperandMeaning::Variable(_) | OperandMeaning::Special { .. })) => {
            wrong("a register or constant for the offset", "load the value into a 32-bit integer register")
        }
        _ => number_list(site, operand, wanted),
    }
}

fn number_list(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    numbers(site, operand, &element(wanted, Type::S32), ListLength::Padded(dimension_count(site)))
}

/// Checks the derivatives of the coordinates along one axis.
pub(super) fn derivatives(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    numbers(site, operand, &element(wanted, Type::F32), ListLength::Exact(dimension_count(site)))
}

/// Checks a level of detail. Measured: a list of one, two or four numbers is accepted.
pub(super) fn level(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let is_list =
        matches!(site.lookup.meaning(operand)?, Some(OperandMeaning::List | OperandMeaning::VectorRegister { .. }));
    if is_list {
        let ty = if wanted.ty == Type::F32 { Type::F32 } else { Type::S32 };
        return numbers(site, operand, &element(wanted, ty), ListLength::Padded(1));
    }
    match site.legal.family.name {
        "txq.level" => scalar::count(site, operand),
        _ => scalar::value(site, operand, wanted.ty),
    }
}

/// Checks a list of 32-bit numbers. Measured: a single register passes for a list, but not for derivatives.
fn numbers(site: &OperandSite, operand: &Operand, spec: &OperandSpec, length: ListLength) -> CheckResult {
    if operand.kind == OperandKind::Vector {
        length.check(operand, operand.lanes().len())?;
        return list(site, operand, spec);
    }
    match (site.lookup.meaning(operand)?, length) {
        (Some(OperandMeaning::VectorRegister { lanes, .. }), _) => {
            length.check(operand, usize::from(lanes))?;
            number(site, operand, spec.ty)
        }
        (None, _) => Ok(()),
        (_, ListLength::Padded(_)) => number(site, operand, spec.ty),
        (_, ListLength::Exact(_)) => {
            let message = format!("expected a list of numbers in braces, found `{}`", operand.token.text);
            Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
                .help(format!("write {} in braces", length.counted())))
        }
    }
}

/// Checks the types of the elements of a list. Measured: only textures accept pairs of half-precision numbers.
fn list(site: &OperandSite, operand: &Operand, spec: &OperandSpec) -> CheckResult {
    let elements = operand.lanes();
    let mut spec = *spec;
    spec.lanes = elements.len() as u8;
    vector::list(site, operand, &spec)?;
    let is_texture = site.legal.family.name.starts_with("tex");
    match vector::list_type(site, operand, &elements, &spec)? {
        Some(found) if found.ty.class == Class::Packed && !is_texture => Err(not_a_number(
            &elements[0],
            &OperandMeaning::Register { ty: found.ty, declaration: None, element: false },
            spec.ty,
        )),
        _ => Ok(()),
    }
}

/// Checks a number of 32 bits: a register or a constant.
fn number(site: &OperandSite, operand: &Operand, ty: Type) -> CheckResult {
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let float = ty == Type::F32;
    let fits = match &meaning {
        OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. } => {
            ty.bits == 32
                && (ty.class == Class::Bits
                    || if float { ty.class == Class::Float } else { ty.is_integer() || ty.class == Class::Packed })
        }
        OperandMeaning::Constant(literal) => (*literal == ConstantType::Integer) != float,
        OperandMeaning::VectorRegister { ty, .. } => ty.bits == 32,
        OperandMeaning::Variable(_) | OperandMeaning::Sum { .. } => true,
        _ => false,
    };
    if fits { Ok(()) } else { Err(not_a_number(operand, &meaning, ty)) }
}

fn not_a_number(operand: &Operand, meaning: &OperandMeaning, ty: Type) -> Diagnostic {
    let (noun, types) = match ty {
        Type::F32 => ("a 32-bit floating-point number", "`.f32` or `.b32`"),
        _ => ("a 32-bit integer", "`.b32`, `.u32` or `.s32`"),
    };
    meaning.unexpected(&OPERAND_TYPE, &operand.token, noun).help(format!("use a register of type {types}"))
}

//! Checks the operands of texture and surface instructions: texels, references or handles, coordinates, offsets and derivatives.

use super::OperandSite;
use super::address;
use super::meaning::OperandMeaning;
use super::predicate::{self, Discard};
use super::types::Class;
use super::{scalar, vector};
use diagnostics::registry::{OPERAND_COUNT, OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{CheckResult, Diagnostic};
use isa::types::Type;
use isa::{MoveClass, OperandClass, OperandSpec, Role, TextureClass};
use syntax::{ConstantType, Operand, OperandKind};

/// Checks an operand of a texture or surface instruction.
pub(super) fn operand(site: &OperandSite, operand: &Operand, wanted: &OperandSpec, class: TextureClass) -> CheckResult {
    match class {
        TextureClass::Texels => texels(site, operand, wanted),
        TextureClass::Texel => texel(site, operand, wanted),
        TextureClass::Texture => access(site, operand, Reference::Texture),
        TextureClass::Surface => access(site, operand, Reference::Surface),
        TextureClass::TextureHandle => query(site, operand, Reference::Texture),
        TextureClass::SurfaceHandle => query(site, operand, Reference::Surface),
        TextureClass::TexelOffsets => offsets(site, operand),
        TextureClass::Derivatives => numbers(site, operand, Type::F32, derivative_counts(site)),
    }
}

/// What an address refers to.
#[derive(Clone, Copy, PartialEq)]
enum Reference {
    Texture,
    Surface,
}

impl Reference {
    fn noun(self) -> &'static str {
        match self {
            Reference::Texture => "texture",
            Reference::Surface => "surface",
        }
    }

    /// Whether a variable of this type is such a reference.
    fn has_type(self, ty: &str) -> bool {
        match self {
            // Samplers are queried like textures.
            Reference::Texture => matches!(ty, ".texref" | ".samplerref"),
            Reference::Surface => ty == ".surfref",
        }
    }
}

/// A list of as many registers as the vector modifier requires, optionally followed by `|` and a predicate.
fn texels(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let Some((list, resident)) = operand.pair() else {
        return vector::check(site, operand, wanted);
    };
    vector::check(site, &list, wanted)?;
    predicate::result(site, &resident, Discard::Rejected)
}

/// An element of a surface. Measured: a list passes for a scalar, and a scalar for a list.
fn texel(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let mut wanted = *wanted;
    wanted.class = OperandClass::Move(MoveClass::Wider);
    let is_constant = |lane: &Operand| lane.kind == OperandKind::Constant;
    if operand.kind == OperandKind::Vector {
        return match wanted.lanes > 1 && !operand.lanes().iter().any(is_constant) {
            true => vector::check(site, operand, &wanted),
            false => Ok(()),
        };
    }
    let is_vector = matches!(site.lookup.meaning(operand)?, Some(OperandMeaning::VectorRegister { .. }));
    match wanted.role {
        _ if is_vector || wanted.lanes > 1 => Ok(()),
        Role::Destination => scalar::destination_of(site, operand, &wanted),
        _ => scalar::value_of(site, operand, &wanted),
    }
}

/// A texture or surface with coordinates, and a sampler between them if there are three parts.
fn access(site: &OperandSite, operand: &Operand, reference: Reference) -> CheckResult {
    if operand.kind != OperandKind::Address {
        return Err(address::no_brackets(site, operand)?);
    }
    match operand.address_parts().as_slice() {
        [handle, coordinates] => {
            self::handle(site, handle, reference)?;
            self::coordinates(site, coordinates)
        }
        // Measured: with a sampler the assembler checks neither it nor the coordinates, unless the module has the independent texture mode.
        [handle, sampler, _] if reference == Reference::Texture => {
            self::handle(site, handle, reference)?;
            site.lookup.meaning(sampler).map(|_| ())
        }
        _ => {
            let noun = reference.noun();
            let message = format!("expected a {noun} and coordinates, found `{}`", operand.token.text);
            Err(Diagnostic::new(&OPERAND_COUNT, operand.token.range.clone(), message)
                .help(format!("write `[{noun}, {{coordinates}}]`")))
        }
    }
}

/// A texture or surface alone.
fn query(site: &OperandSite, operand: &Operand, reference: Reference) -> CheckResult {
    if operand.kind != OperandKind::Address {
        return Err(address::no_brackets(site, operand)?);
    }
    match operand.address_parts().as_slice() {
        [handle] => self::handle(site, handle, reference),
        _ => Err(Diagnostic::new(
            &OPERAND_COUNT,
            operand.token.range.clone(),
            format!("expected a {}, found `{}`", reference.noun(), operand.token.text),
        )
        .help("remove the coordinates")),
    }
}

/// A variable of an opaque type, or a register with a 64-bit handle.
fn handle(site: &OperandSite, operand: &Operand, reference: Reference) -> CheckResult {
    match site.lookup.meaning(operand)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty, .. }) if ty.is_integer() && ty.bits == 64 => Ok(()),
        // Modules before PTX 1.5 declare textures in a space of their own.
        Some(OperandMeaning::Variable(variable))
            if reference.has_type(&variable.ty.text) || variable.space.text == ".tex" =>
        {
            Ok(())
        }
        Some(meaning) => {
            let (noun, ty) = match reference {
                Reference::Texture => ("texture", ".texref"),
                Reference::Surface => ("surface", ".surfref"),
            };
            Err(meaning
                .unexpected(&OPERAND_TYPE, &operand.token, format!("a {noun}"))
                .help(format!("use a variable of type `{ty}`, or a 64-bit register with a handle")))
        }
    }
}

/// How many coordinates a list may have.
#[derive(Clone, Copy)]
struct CoordinateCounts {
    least: usize,
    /// Whether a list of four is accepted too.
    padded: bool,
}

fn coordinate_counts(site: &OperandSite) -> CoordinateCounts {
    let least = match site.legal.word("geom") {
        Some("1d") => 1,
        Some("2d" | "a1d") => 2,
        _ => 4,
    };
    CoordinateCounts { least, padded: true }
}

fn derivative_counts(site: &OperandSite) -> CoordinateCounts {
    let least = match site.legal.word("geom") {
        Some("1d" | "a1d") => 1,
        Some("2d" | "a2d") => 2,
        _ => 4,
    };
    CoordinateCounts { least, padded: false }
}

/// Coordinates: numbers of the type, integers for surfaces. The index of an array in front of them is an integer.
fn coordinates(site: &OperandSite, operand: &Operand) -> CheckResult {
    let ty = site.legal.source_ty.unwrap_or(Type::S32);
    let counts = coordinate_counts(site);
    let indexed = site.legal.word("geom").is_some_and(|geometry| geometry.starts_with('a'));
    if !indexed || operand.kind != OperandKind::Vector {
        return numbers(site, operand, ty, counts);
    }
    let elements = operand.lanes();
    check_count(operand, elements.len(), counts)?;
    elements.first().map_or(Ok(()), |index| number(site, index, Type::U32))?;
    alike(site, &elements, ty)
}

/// Checks the elements of a list. Measured: elements of different types make a list that fits every type.
fn alike(site: &OperandSite, elements: &[Operand], ty: Type) -> CheckResult {
    let mut first = None;
    for element in elements {
        let found = match site.lookup.meaning(element)? {
            Some(OperandMeaning::Register { ty, .. }) => Some(ty),
            _ => None,
        };
        if *first.get_or_insert(found) != found {
            return Ok(());
        }
    }
    elements.iter().try_for_each(|element| number(site, element, ty))
}

/// Offsets: one integer for each coordinate.
fn offsets(site: &OperandSite, operand: &Operand) -> CheckResult {
    numbers(site, operand, Type::S32, CoordinateCounts { padded: true, ..derivative_counts(site) })
}

/// A list of 32-bit numbers of a type. Measured: a single register passes for a list, but not for derivatives.
fn numbers(site: &OperandSite, operand: &Operand, ty: Type, counts: CoordinateCounts) -> CheckResult {
    if operand.kind != OperandKind::Vector {
        if counts.padded || matches!(site.lookup.meaning(operand)?, Some(OperandMeaning::VectorRegister { .. }) | None)
        {
            return number(site, operand, ty);
        }
        let message = format!("expected a list of numbers in braces, found `{}`", operand.token.text);
        return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message)
            .help(format!("write {} in braces", counted(counts.least))));
    }
    let elements = operand.lanes();
    check_count(operand, elements.len(), counts)?;
    alike(site, &elements, ty)
}

fn check_count(operand: &Operand, count: usize, counts: CoordinateCounts) -> CheckResult {
    let fits = match counts.padded {
        true => matches!(count, 1 | 2 | 4) && count >= counts.least,
        false => count == counts.least,
    };
    if fits {
        return Ok(());
    }
    let wanted = counted(counts.least);
    let message = format!("expected {wanted}, found {count}");
    Err(Diagnostic::new(&VECTOR_SIZE, operand.token.range.clone(), message).help(format!("write {wanted}")))
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 element".to_owned(),
        count => format!("{count} elements"),
    }
}

/// A number of 32 bits: a register or a constant.
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
    if fits {
        return Ok(());
    }
    let (noun, types) = match float {
        true => ("a 32-bit floating-point number", "`.f32` or `.b32`"),
        false => ("a 32-bit integer", "`.b32`, `.u32` or `.s32`"),
    };
    Err(meaning.unexpected(&OPERAND_TYPE, &operand.token, noun).help(format!("use a register of type {types}")))
}

//! Checks the operands of texture and surface instructions: texels, references and handles.

use crate::operands::meaning::OperandMeaning;
use crate::operands::predicate;
use crate::operands::predicate::Discard;
use crate::operands::types::Class;
use crate::operands::{OperandSite, address, coordinates, scalar, vector};
use diagnostics::registry::{OPERAND_COUNT, OPERAND_TYPE};
use diagnostics::{CheckResult, Context, Diagnostic};
use isa::{MoveClass, OperandClass, OperandSpec, Role, TextureClass};
use syntax::{ConstantType, Operand, OperandKind};

/// Checks an operand of a texture or surface instruction.
pub(super) fn operand(site: &OperandSite, operand: &Operand, wanted: &OperandSpec, class: TextureClass) -> CheckResult {
    match class {
        TextureClass::Texels => texels(site, operand, wanted),
        TextureClass::Texel => texel(site, operand, wanted),
        TextureClass::Texture => access(site, operand, wanted, Reference::Texture),
        TextureClass::Surface => access(site, operand, wanted, Reference::Surface),
        TextureClass::TextureHandle => query(site, operand, queried(site)),
        TextureClass::SurfaceHandle => query(site, operand, Reference::Surface),
        TextureClass::TexelOffsets => coordinates::offsets(site, operand, wanted),
        TextureClass::Derivatives => coordinates::derivatives(site, operand, wanted),
        TextureClass::Level => coordinates::level(site, operand, wanted),
    }
}

/// Whether textures have samplers of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SamplerMode {
    /// A texture contains its sampler.
    Unified,
    /// Each access names a texture and a sampler.
    Independent,
}

impl SamplerMode {
    /// The mode of a module.
    pub(super) fn of(context: &Context) -> Self {
        if context.has_independent_samplers() { SamplerMode::Independent } else { SamplerMode::Unified }
    }
}

/// What an address refers to.
#[derive(Clone, Copy, PartialEq)]
enum Reference {
    Texture,
    Sampler,
    Surface,
}

impl Reference {
    fn noun(self) -> &'static str {
        match self {
            Reference::Texture => "texture",
            Reference::Sampler => "sampler",
            Reference::Surface => "surface",
        }
    }

    /// Whether a variable of this type is such a reference.
    fn has_type(self, ty: &str, samplers: SamplerMode) -> bool {
        match (self, samplers) {
            (Reference::Texture, SamplerMode::Unified) => matches!(ty, ".texref" | ".samplerref"),
            _ => ty == self.ty(),
        }
    }

    /// The type of variables for it.
    fn ty(self) -> &'static str {
        match self {
            Reference::Texture => ".texref",
            Reference::Sampler => ".samplerref",
            Reference::Surface => ".surfref",
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

/// An element of a surface, or a list of them. Measured: where several elements are stored, a single one is accepted too.
fn texel(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    let mut wanted = *wanted;
    wanted.class = OperandClass::Move(MoveClass::Wider);
    let lanes = match (operand.kind, site.lookup.meaning(operand)?) {
        (OperandKind::Vector, _) => Some(operand.lanes().len()),
        (_, Some(OperandMeaning::VectorRegister { lanes, .. })) => Some(usize::from(lanes)),
        _ => None,
    };
    let is_reduction = site.legal.family.name.starts_with("sured");
    match lanes {
        Some(1 | 2 | 4) if wanted.lanes == 1 && !is_reduction => parts_of_texel(site, operand, &wanted),
        Some(count)
            if count > 1 && count == usize::from(wanted.lanes) && operand.lanes().first().is_some_and(is_constant) =>
        {
            parts_of_texel(site, operand, &wanted)
        }
        Some(_) if wanted.lanes > 1 => vector::check(site, operand, &wanted),
        None if wanted.lanes > 1 && wanted.role == Role::Destination => vector::check(site, operand, &wanted),
        _ if wanted.role == Role::Destination => scalar::destination_of(site, operand, &wanted),
        _ => scalar::value_of(site, operand, &wanted),
    }
}

fn is_constant(operand: &Operand) -> bool {
    operand.kind == OperandKind::Constant
}

/// A list in place of an element. Measured: its parts must be as wide as the element together, and a constant may be first if it is an integer.
fn parts_of_texel(site: &OperandSite, operand: &Operand, wanted: &OperandSpec) -> CheckResult {
    if operand.kind != OperandKind::Vector {
        return Ok(());
    }
    let parts = operand.lanes();
    let Some(list) = vector::list_type(site, operand, &parts, wanted)? else { return Ok(()) };
    let bits = list.ty.bits * parts.len() as u32;
    match list.literal {
        Some(ConstantType::Integer) => Ok(()),
        Some(literal) => Err(scalar::wrong_literal(&parts[0], literal, wanted.ty)),
        None if list.ty.class != Class::Predicate && bits >= wanted.ty.bits() => Ok(()),
        None => vector::check(site, operand, wanted),
    }
}

/// A texture or surface with coordinates, and a sampler between them if there are three parts.
fn access(site: &OperandSite, operand: &Operand, wanted: &OperandSpec, reference: Reference) -> CheckResult {
    if operand.kind != OperandKind::Address {
        return Err(address::no_brackets(site, operand)?);
    }
    match operand.address_parts().as_slice() {
        [_, coordinates] if reference == Reference::Texture && site.samplers == SamplerMode::Independent => Err(
            Diagnostic::new(&OPERAND_COUNT, coordinates.token.range.clone(), "missing sampler before the coordinates")
                .help("write `[texture, sampler, {coordinates}]`, or remove `texmode_independent` from `.target`"),
        ),
        [handle, coordinates] => {
            self::handle(site, handle, reference)?;
            coordinates::check(site, coordinates, wanted)
        }
        [handle, sampler, coordinates]
            if reference == Reference::Texture && site.samplers == SamplerMode::Independent =>
        {
            self::handle(site, handle, Reference::Texture)?;
            self::handle(site, sampler, Reference::Sampler)?;
            coordinates::check(site, coordinates, wanted)
        }
        [handle, sampler, coordinates] if reference == Reference::Texture => {
            self::handle(site, handle, reference)?;
            // Measured: after a texture in a register, the sampler may be any register.
            match site.lookup.meaning(handle)? {
                Some(OperandMeaning::Variable(_)) => self::sampler(site, sampler)?,
                _ => site.lookup.meaning(sampler).map(|_| ())?,
            }
            coordinates::check_with_sampler(site, coordinates, wanted)
        }
        _ => {
            let noun = reference.noun();
            let message = format!("expected a {noun} and coordinates, found `{}`", operand.token.text);
            Err(Diagnostic::new(&OPERAND_COUNT, operand.token.range.clone(), message)
                .help(format!("write `[{noun}, {{coordinates}}]`")))
        }
    }
}

/// What has a property that is queried: a texture or its sampler. Measured: in the unified mode, a texture has those of its sampler but one.
fn queried(site: &OperandSite) -> Reference {
    match site.legal.word("property") {
        Some("force_unnormalized_coords") => Reference::Sampler,
        Some("filter_mode" | "addr_mode_0" | "addr_mode_1" | "addr_mode_2")
            if site.samplers == SamplerMode::Independent =>
        {
            Reference::Sampler
        }
        _ => Reference::Texture,
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

/// A sampler in the unified mode. Measured: a texture is accepted too, and `tex.level` accepts any register.
fn sampler(site: &OperandSite, operand: &Operand) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Register { .. }) if site.legal.family.name == "tex.level" => Ok(()),
        _ => handle(site, operand, Reference::Texture).or_else(|_| handle(site, operand, Reference::Sampler)),
    }
}

/// A variable of an opaque type, or a register with a 64-bit handle.
fn handle(site: &OperandSite, operand: &Operand, reference: Reference) -> CheckResult {
    match site.lookup.meaning(operand)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty, .. }) if ty.is_integer() && ty.bits == 64 => Ok(()),
        // Modules before PTX 1.5 declare textures in a space of their own.
        Some(OperandMeaning::Variable(variable))
            if !variable.array && reference.has_type(&variable.ty.text, site.samplers)
                || variable.space.text == ".tex" =>
        {
            Ok(())
        }
        Some(meaning) => {
            let (noun, ty) = (reference.noun(), reference.ty());
            Err(meaning
                .unexpected(&OPERAND_TYPE, &operand.token, format!("a {noun}"))
                .help(format!("use a variable of type `{ty}`, or a 64-bit register with a handle")))
        }
    }
}

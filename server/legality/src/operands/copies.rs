//! Checks the operands of asynchronous copies: sizes, masks, tensor maps with coordinates, offsets.
//!
//! Measured with `kinds.py` (`tests/evidence/operands/kinds`).

use crate::operands::OperandSite;
use crate::operands::address;
use crate::operands::integers;
use crate::operands::meaning::OperandMeaning;
use crate::operands::predicate;
use crate::operands::range;
use crate::operands::scalar;
use crate::operands::types::RegisterType;
use diagnostics::registry::{OPERAND_COUNT, OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{CheckResult, Diagnostic};
use isa::GivenModifier;
use isa::types::{Space, Type};
use syntax::{ConstantType, Operand, OperandKind};

/// Checks how many bytes of a copy are read. Measured: a predicate is accepted too, also negated.
pub(super) fn source_size(site: &OperandSite, operand: &Operand) -> CheckResult {
    match predicate::value(site, operand) {
        Ok(()) => Ok(()),
        Err(_) => scalar::count(site, operand),
    }
}

/// Checks that a copy does not read more bytes than its size.
pub(super) fn source_fits(size: &Operand, source_size: &Operand) -> CheckResult {
    let given = range::constant(size).zip(range::constant(source_size));
    match given {
        Some((size, source)) if !(0..=size).contains(&source) => {
            Err(range::out_of_range(source_size, format!("expected 0 to {size}"))
                .help("read at most as many bytes as are copied"))
        }
        _ => Ok(()),
    }
}

/// Checks the mask of a multicast, of 16 bits, or of 32 with `::32b`. Measured: a list of 16-bit registers counts as their bits together.
pub(super) fn cta_mask(site: &OperandSite, operand: &Operand) -> CheckResult {
    let bits = if site.legal.word("multicast") == Some("multicast::cluster::32b") { 32 } else { 16 };
    match operand.kind {
        OperandKind::Vector => return list_of_integers(site, operand, bits / 16, 16),
        _ if bits == 32 => scalar::count(site, operand)?,
        _ => integers::plain(site, operand, Type::B16)?,
    }
    match range::constant(operand) {
        Some(given) if !(0..1 << bits).contains(&given) => {
            Err(range::out_of_range(operand, format!("the mask has {bits} bits"))
                .help(format!("use a constant of {bits} bits")))
        }
        _ => Ok(()),
    }
}

/// Checks the mask of the bytes of a copy. Measured: a constant may have any value, and a list of 16-bit integers is accepted.
pub(super) fn byte_mask(site: &OperandSite, operand: &Operand) -> CheckResult {
    match operand.kind {
        OperandKind::Vector => list_of_integers(site, operand, operand.lanes().len(), 16),
        _ => integers::plain(site, operand, Type::B16),
    }
}

/// Checks a tensor map with its coordinates, and what replaces its properties between them.
pub(super) fn tensor_address(site: &OperandSite, operand: &Operand) -> CheckResult {
    if operand.kind != OperandKind::Address {
        return Err(address::no_brackets(site, operand)?);
    }
    let parts = operand.address_parts();
    let names: Vec<_> = ["map"].into_iter().chain(replaced_properties(site)).chain(["{coordinates}"]).collect();
    let [map, .., coordinates] = tensor_parts(operand, &parts, &names)? else { return Ok(()) };
    tensor_map(site, map)?;
    list_of_integers(site, coordinates, coordinate_count(site), 32)
}

/// Checks a tensor of another GPU: a tensor map, the handle of an endpoint, addresses, what replaces further properties, and coordinates.
pub(super) fn endpoint_tensor(site: &OperandSite, operand: &Operand) -> CheckResult {
    if operand.kind != OperandKind::Address {
        return Err(address::no_brackets(site, operand)?);
    }
    let parts = operand.address_parts();
    let mut names = vec!["map", "handle", "address"];
    names.extend(site.legal.word("counted").map(|_| "counter_address"));
    let addresses = names.len();
    names.extend(replaced_properties(site).skip(1).chain(["{coordinates}"]));
    let [map, handle, .., coordinates] = tensor_parts(operand, &parts, &names)? else { return Ok(()) };
    tensor_map(site, map)?;
    integer_register(site, handle, 32)?;
    parts[2..addresses].iter().try_for_each(|part| integer_register(site, part, 64))?;
    list_of_integers(site, coordinates, coordinate_count(site), 32)
}

/// The parts of a tensor address that replace properties of its map.
fn replaced_properties(site: &OperandSite) -> impl Iterator<Item = &'static str> {
    let names: &[&str] = match (site.legal.word("override"), site.legal.word("override_sizes")) {
        (None, _) => &[],
        (Some(_), None) => &["address"],
        (Some(_), Some("override::global_dim")) => &["address", "{sizes}"],
        (Some(_), Some(_)) => &["address", "{sizes}", "{lower strides}", "upper strides"],
    };
    names.iter().copied()
}

/// The parts of a tensor address, which must be as many as these names.
fn tensor_parts<'p, 'a>(
    operand: &Operand,
    parts: &'p [Operand<'a>],
    names: &[&str],
) -> Result<&'p [Operand<'a>], Diagnostic> {
    if parts.len() == names.len() {
        return Ok(parts);
    }
    let message = format!("expected {} parts of a tensor address, found {}", names.len(), parts.len());
    Err(Diagnostic::new(&OPERAND_COUNT, operand.token.range.clone(), message)
        .help(format!("write `[{}]`", names.join(", "))))
}

/// Checks the address of a tensor map. Measured: any register is accepted, a variable must be in `.global` memory, and no offset may follow.
fn tensor_map(site: &OperandSite, map: &Operand) -> CheckResult {
    match site.lookup.meaning(map)? {
        None => Ok(()),
        Some(OperandMeaning::Register { .. }) => Ok(()),
        Some(OperandMeaning::Special { ty, .. }) if ty.is_integer() => Ok(()),
        Some(OperandMeaning::Variable(variable)) => {
            // Measured: only this instruction accepts a generic address.
            let generic = site.legal.family.name == "applypriority.async.bulk.tensor";
            let global = GivenModifier { value: Space::Global, at: None };
            address::space(site, variable, &map.token, if generic { site.legal.space } else { global })
        }
        Some(meaning) => Err(meaning
            .unexpected(&OPERAND_KIND, &map.token, "the address of a tensor map")
            .help("use a 64-bit register, or a variable in `.global` memory")),
    }
}

/// The parts of an address of another GPU, with their widths in bits. `.counted::bytes` counts in memory at the last one.
const ENDPOINT: [(&str, u32); 3] = [("handle", 32), ("offset", 64), ("counter_offset", 64)];

/// Checks an address of another GPU. Measured: all parts must be integer registers.
pub(super) fn endpoint(site: &OperandSite, operand: &Operand) -> CheckResult {
    if operand.kind != OperandKind::Address {
        return Err(address::no_brackets(site, operand)?);
    }
    let expected = if site.legal.word("counted").is_some() { &ENDPOINT[..] } else { &ENDPOINT[..2] };
    let parts = operand.address_parts();
    if parts.len() != expected.len() {
        let names: Vec<_> = expected.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let message = format!("expected `[{names}]`, found `{}`", operand.token.text);
        return Err(Diagnostic::new(&OPERAND_COUNT, operand.token.range.clone(), message)
            .help(format!("write `[{names}]`: the 32-bit handle of an endpoint, and 64-bit registers")));
    }
    parts.iter().zip(expected).try_for_each(|(part, (_, bits))| integer_register(site, part, *bits))
}

/// Checks a register of an untyped or integer type of exactly this width.
fn integer_register(site: &OperandSite, part: &Operand, bits: u32) -> CheckResult {
    match site.lookup.meaning(part)? {
        None => Ok(()),
        Some(OperandMeaning::Register { ty, element: false, .. }) if ty.is_integer() && ty.bits == bits => Ok(()),
        Some(meaning) => Err(meaning
            .unexpected(&OPERAND_TYPE, &part.token, format!("a {bits}-bit register"))
            .help(format!("use a register of type `.b{bits}`, `.u{bits}` or `.s{bits}`"))),
    }
}

/// The number of coordinates that the modifiers require.
fn coordinate_count(site: &OperandSite) -> usize {
    match site.legal.word("load_mode") {
        Some("tile::gather4" | "tile::scatter4") => 5,
        _ => dimensions(site),
    }
}

/// The number of dimensions in `.2d` and the like.
fn dimensions(site: &OperandSite) -> usize {
    site.legal.word("dim").and_then(|word| word.strip_suffix('d')?.parse().ok()).unwrap_or(1)
}

/// Checks the offsets of an `im2col` mode: one for each dimension of the filter, or two.
pub(super) fn offsets(site: &OperandSite, operand: &Operand) -> CheckResult {
    let count = match site.legal.word("load_mode") {
        Some("im2col") => dimensions(site).saturating_sub(2),
        _ => 2,
    };
    list_of_integers(site, operand, count, 16)
}

/// Checks a list of integers of a width, or a vector register of them. Measured: no element may be `_`.
fn list_of_integers(site: &OperandSite, operand: &Operand, count: usize, bits: u32) -> CheckResult {
    let noun = if count == 1 { "integer" } else { "integers" };
    if operand.kind != OperandKind::Vector {
        let meaning = site.lookup.meaning(operand)?;
        return match &meaning {
            None => Ok(()),
            Some(OperandMeaning::VectorRegister { ty, lanes, .. })
                if usize::from(*lanes) == count && ty.is_integer() && ty.bits == bits =>
            {
                Ok(())
            }
            Some(meaning) => Err(meaning
                .unexpected(&OPERAND_KIND, &operand.token, format!("a list of {count} {noun}"))
                .help(format!("write {count} {noun} of {bits} bits in braces"))),
        };
    }
    let elements = operand.lanes();
    if elements.len() != count {
        let message = format!("expected {count} {noun}, found {}", elements.len());
        return Err(Diagnostic::new(&VECTOR_SIZE, operand.token.range.clone(), message)
            .help(format!("write {count} {noun} of {bits} bits in braces")));
    }
    for element in &elements {
        match site.lookup.meaning(element)? {
            None | Some(OperandMeaning::Constant(ConstantType::Integer) | OperandMeaning::Variable(_)) => {}
            Some(OperandMeaning::Register { ty, .. } | OperandMeaning::Special { ty, .. })
                if ty.is_integer() && ty.bits == bits => {}
            Some(_) if is_untyped(site, &elements, bits)? => return Ok(()),
            Some(meaning) => return Err(integers::no_integer(element, &meaning, bits)),
        }
    }
    Ok(())
}

/// Whether registers of different types make a list untyped. Measured: then each may have any type of the width.
fn is_untyped(site: &OperandSite, elements: &[Operand], bits: u32) -> CheckResult<bool> {
    let mut classes = Vec::with_capacity(elements.len());
    for element in elements {
        match site.lookup.meaning(element)? {
            Some(OperandMeaning::Register { ty, .. }) if ty.bits == bits => classes.push(ty.class),
            _ => return Ok(false),
        }
    }
    Ok(classes.iter().any(|class| *class != classes[0]))
}

/// Checks the mbarrier of a bulk copy. Measured: where no further operand follows, an integer that could be a policy or a mask is accepted.
pub(super) fn bulk_barrier(site: &OperandSite, operand: &Operand, accessed: GivenModifier<Space>) -> CheckResult {
    let alone = ["multicast", "bounds", "hint"].iter().all(|slot| site.legal.at(slot).is_none());
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Constant(ConstantType::Integer)) if alone => Ok(()),
        Some(OperandMeaning::List) if alone => byte_mask(site, operand),
        Some(OperandMeaning::Register { ty, .. }) if alone && ty.is_integer() && matches!(ty.bits, 16 | 64) => Ok(()),
        _ => address::check(site, operand, accessed),
    }
}

/// Checks an address of shared memory in a fabric instruction. Measured: its brackets are optional, and the register has 32 or 64 bits.
fn address_of_fabric(site: &OperandSite, operand: &Operand, accessed: GivenModifier<Space>) -> CheckResult {
    let is_wide = |ty: RegisterType| ty.bits == 64 || ty.bits == 32 && ty.is_integer();
    let base = operand.address().map(|address| address.base);
    match site.lookup.meaning(base.as_ref().unwrap_or(operand))? {
        Some(meaning @ OperandMeaning::Register { ty, .. }) if !is_wide(ty) => Err(meaning
            .unexpected(&OPERAND_TYPE, &operand.token, "an integer address")
            .help("use a `.b32` or `.b64` register")),
        _ if operand.kind == OperandKind::Address => address::check(site, operand, accessed),
        None | Some(OperandMeaning::Register { .. }) => Ok(()),
        Some(OperandMeaning::Sum { register: Some(ty), .. }) if is_wide(ty) => Ok(()),
        Some(OperandMeaning::Variable(variable)) => address::space(site, variable, &operand.token, accessed),
        Some(_) => Err(address::no_brackets(site, operand)?),
    }
}

/// Checks an address whose brackets are optional. Measured: then any register is accepted, and a variable of the space.
pub(super) fn unbracketed_address(
    site: &OperandSite,
    operand: &Operand,
    accessed: GivenModifier<Space>,
) -> CheckResult {
    if site.legal.family.name.starts_with("fabric.") {
        return address_of_fabric(site, operand, accessed);
    }
    if operand.kind == OperandKind::Address {
        return address::check(site, operand, accessed);
    }
    match site.lookup.meaning(operand)? {
        None
        | Some(OperandMeaning::Register { .. } | OperandMeaning::Sum { register: Some(_), .. })
        | Some(OperandMeaning::Constant(ConstantType::Single | ConstantType::Double)) => Ok(()),
        Some(OperandMeaning::Variable(variable)) => address::space(site, variable, &operand.token, accessed),
        Some(_) if predicate::value(site, operand).is_ok() && operand.kind == OperandKind::Negation => Ok(()),
        Some(_) => Err(address::no_brackets(site, operand)?),
    }
}

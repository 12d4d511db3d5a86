//! Checks vector operands: lists in braces, and vector registers.
//!
//! The assembler gives a list the type of its first typed element. Adjacent elements must be compatible: the same type, untyped bits on one
//! side, both integers, or both floats. Elements of different types make the list untyped. The type of the list must be valid for the
//! type of the instruction.

use crate::operands::OperandSite;
use crate::operands::meaning::OperandMeaning;
use crate::operands::types;
use crate::operands::types::{Class, RegisterPosition, RegisterType, RegisterWidth};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{CheckResult, Diagnostic, remove, replace};
use isa::types::{Type, TypeKind};
use isa::{MoveClass, OperandClass, Role};
use syntax::{ConstantType, Declaration, Operand, OperandKind};

/// Checks a vector destination or source.
pub(super) fn check(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> CheckResult {
    match operand.kind {
        OperandKind::Vector => list(site, operand, wanted),
        _ => whole(site, operand, wanted),
    }
}

/// Checks a vector that is not a list: a vector register, or `_`.
fn whole(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> CheckResult {
    let text = &operand.token.text;
    let family = site.legal.family.name;
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let range = operand.token.range.clone();
    let report = |rule, message: String| Diagnostic::new(rule, range.clone(), message).declared(meaning.declaration());
    match &meaning {
        OperandMeaning::Sink if wanted.role == Role::Destination && family == "atom" => Ok(()),
        OperandMeaning::VectorRegister { lanes, .. } if *lanes != wanted.lanes => Err(report(
            &VECTOR_SIZE,
            format!("expected a vector of {} elements, found {lanes} in `{text}`", wanted.lanes),
        )
        .help(format!("use a register declared as `.v{}`, or list the elements in braces", wanted.lanes))),
        OperandMeaning::VectorRegister { ty, .. }
            if !types::holds_with(width(wanted), *ty, wanted.ty, RegisterPosition::Element) =>
        {
            Err(meaning
                .unexpected(&OPERAND_TYPE, &operand.token, format!("`.{}` elements", wanted.ty.word()))
                .help(element_help(wanted)))
        }
        OperandMeaning::VectorRegister { lanes, .. } if family.starts_with("multimem") => {
            let names = ["x", "y", "z", "w"].iter().take(usize::from(*lanes)).map(|name| format!("{text}.{name}"));
            let spelt = format!("{{{}}}", names.collect::<Vec<_>>().join(", "));
            Err(report(&OPERAND_KIND, format!("`{family}` does not support vector registers"))
                .help(format!("list the elements: `{spelt}`"))
                .fix(format!("Replace with `{spelt}`"), [replace(range.clone(), spelt)]))
        }
        OperandMeaning::VectorRegister { .. } => Ok(()),
        _ => Err(meaning
            .unexpected(&OPERAND_KIND, &operand.token, format!("a vector of {} elements", wanted.lanes))
            .help(format!("write {} elements in braces", wanted.lanes))),
    }
}

/// The type of one element of a list.
struct ListElement {
    ty: RegisterType,
    literal: Option<ConstantType>,
    selected: bool,
}

/// The type of a list.
pub(super) struct ListType {
    pub ty: RegisterType,
    /// The constant that the first element is.
    pub literal: Option<ConstantType>,
    /// The index of the first element that has a type.
    first: usize,
    /// The type of that element.
    start: RegisterType,
}

pub(super) fn list(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> CheckResult {
    let lanes = operand.lanes();
    if lanes.len() != usize::from(wanted.lanes) {
        return Err(size(site, operand, &lanes, wanted));
    }
    let Some(list) = list_type(site, operand, &lanes, wanted)? else { return Ok(()) };
    if fits(site, &list, wanted) {
        return Ok(());
    }
    let (first, start) = (&lanes[list.first], list.start);
    Err(match list.literal {
        Some(literal) => crate::operands::scalar::wrong_literal(first, literal, wanted.ty),
        None => {
            let (expected, found) = (wanted.ty.word(), &first.token.text);
            let message = format!("expected `.{expected}` elements, found `{found}`, a `{start}` register");
            Diagnostic::new(&OPERAND_TYPE, first.token.range.clone(), message)
                .help(element_help(wanted))
                .declared(site.lookup.meaning(first).ok().flatten().and_then(|meaning| meaning.declaration()))
        }
    })
}

/// The type of the elements of a list; `None` if one is unknown.
pub(super) fn list_type(
    site: &OperandSite,
    operand: &Operand,
    lanes: &[Operand],
    wanted: &isa::OperandSpec,
) -> CheckResult<Option<ListType>> {
    let mut elements = Vec::with_capacity(lanes.len());
    let mut first = None;
    for (index, lane) in lanes.iter().enumerate() {
        match element(site, lane, wanted)? {
            ElementType::Element(element) => {
                first = first.or(Some(index));
                elements.push((lane, element));
            }
            ElementType::Sink => {}
            ElementType::Unknown => return Ok(None),
        }
    }
    let (Some(index), Some(((lane, start), rest))) = (first, elements.split_first()) else {
        return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), "vector of `_` elements has no type")
            .help("write `_` without braces to discard the result, or use a register")
            .fix(
                "Replace with `_`",
                (site.legal.family.name == "atom").then(|| replace(operand.token.range.clone(), "_")),
            ));
    };
    let ty = joined_type((*lane, start), rest)?;
    Ok(Some(ListType { ty, literal: start.literal, first: index, start: start.ty }))
}

/// The type of a list with these elements.
fn joined_type(
    (first, start): (&Operand, &ListElement),
    rest: &[(&Operand, ListElement)],
) -> CheckResult<RegisterType> {
    let mut joined = start.ty;
    let mut before = (first, start.ty);
    for (lane, element) in rest {
        if start.literal.is_none() && element.literal.is_none() && element.ty.bits != start.ty.bits {
            return Err(mismatch(lane, element.ty, first, start.ty, "have different widths"));
        }
        if !are_compatible(before.1, element.ty) {
            return Err(mismatch(lane, element.ty, before.0, before.1, "have incompatible types"));
        }
        if joined != element.ty {
            let bits = if start.literal.is_some() { element.ty.bits } else { joined.bits };
            joined = RegisterType { class: Class::Bits, bits };
        }
        before = (lane, element.ty);
    }
    let elements = || std::iter::once((first, start)).chain(rest.iter().map(|(lane, element)| (*lane, element)));
    let selected = elements().find(|(_, element)| element.selected);
    let literal = elements().find(|(_, element)| element.literal.is_some());
    if let (Some((selected, _)), Some((literal, _))) = (selected, literal) {
        let message = format!("constant `{}` next to a vector element, `{}`", literal.token.text, selected.token.text);
        return Err(Diagnostic::new(&OPERAND_KIND, literal.token.range.clone(), message)
            .help("move the constant into a register"));
    }
    Ok(joined)
}

enum ElementType {
    Element(ListElement),
    Sink,
    /// The type is unknown, so the list is not checked.
    Unknown,
}

fn element(site: &OperandSite, lane: &Operand, wanted: &isa::OperandSpec) -> CheckResult<ElementType> {
    let Some(meaning) = site.lookup.meaning(lane)? else { return Ok(ElementType::Unknown) };
    let result = wanted.role == Role::Destination;
    let range = lane.token.range.clone();
    match &meaning {
        OperandMeaning::Register { ty, element, .. } | OperandMeaning::Special { ty, element, .. } => {
            Ok(ElementType::Element(ListElement { ty: *ty, literal: None, selected: *element }))
        }
        // Measured: a scalar variable or parameter in a list is treated as a register of its type.
        OperandMeaning::Variable(Declaration { vector, ty, array: false, .. })
            if vector.text.is_empty() && !isa::types::is_opaque(&ty.text) =>
        {
            match RegisterType::parse(&ty.text) {
                Some(ty) => Ok(ElementType::Element(ListElement { ty, literal: None, selected: false })),
                None => Ok(ElementType::Unknown),
            }
        }
        OperandMeaning::Constant(literal) if !result => {
            let (class, bits) = match literal {
                ConstantType::Integer => (Class::Signed, 64),
                ConstantType::Single => (Class::Float, 32),
                ConstantType::Double => (Class::Float, 64),
            };
            Ok(ElementType::Element(ListElement {
                ty: RegisterType { class, bits },
                literal: Some(*literal),
                selected: false,
            }))
        }
        OperandMeaning::Sink if result || may_leave_out(wanted) => Ok(ElementType::Sink),
        OperandMeaning::Sink => {
            Err(Diagnostic::new(&OPERAND_KIND, range, "`_` is not a valid source operand").help(element_help(wanted)))
        }
        _ => Err(meaning
            .unexpected(&OPERAND_KIND, &lane.token, "a register as vector element")
            .help(element_help(wanted))),
    }
}

/// Whether elements of a source may be `_`. Measured: `mov` of a vector of bits leaves them out, and so does `mov.b32` that
/// packs one register, but not `mov` to another width.
fn may_leave_out(wanted: &isa::OperandSpec) -> bool {
    match wanted.class {
        OperandClass::Move(MoveClass::AddressOrValue) => wanted.ty.kind() == TypeKind::Bits,
        OperandClass::Move(MoveClass::Packed) => wanted.ty == Type::B32,
        _ => false,
    }
}

/// Whether elements of two types may be adjacent.
fn are_compatible(first: RegisterType, next: RegisterType) -> bool {
    let either = |class: Class| first.class == class || next.class == class;
    let both = |classes: &[Class]| classes.contains(&first.class) && classes.contains(&next.class);
    first == next || either(Class::Bits) || both(&[Class::Unsigned, Class::Signed]) || both(&[Class::Float])
}

/// Whether the type of a list is valid for the instruction. The cases with a literal in first position are measured.
fn fits(site: &OperandSite, list: &ListType, wanted: &isa::OperandSpec) -> bool {
    let (joined, literal_first) = (list.ty, list.literal);
    let bits = joined.class == Class::Bits;
    let holds = |ty| types::holds_with(width(wanted), joined, ty, RegisterPosition::Element);
    if let Some(literal) = literal_first.filter(|_| matches!(site.legal.family.name, "ld" | "ldu" | "mov" | "st")) {
        let float = wanted.ty.kind() == TypeKind::Float;
        let takes = types::takes(literal, wanted.ty);
        return match joined == list.start {
            true => takes || types::holds(joined, wanted.ty, RegisterPosition::Element),
            false => {
                takes && (float || literal == ConstantType::Integer)
                    || holds(wanted.ty)
                    || literal == ConstantType::Integer && float && bits
            }
        };
    }
    match (literal_first, wanted.ty) {
        (None, Type::E4m3x4 | Type::E5m2x4) if wanted.role == Role::Destination && joined.class == Class::Predicate => {
            true
        }
        (None, ty) => holds(ty),
        (Some(ConstantType::Integer), Type::F32 | Type::F16) => bits,
        (Some(ConstantType::Integer), Type::S32) => true,
        (Some(literal), Type::F32 | Type::F64) if wanted.lanes == 1 => {
            types::takes(literal, wanted.ty) || types::holds(joined, wanted.ty, RegisterPosition::Element)
        }
        (Some(_), Type::F32) => {
            site.legal.family.name != "multimem.st" || types::holds(joined, wanted.ty, RegisterPosition::Element)
        }
        (Some(_), Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2) => false,
        (Some(_), ty) => types::holds(joined, ty, RegisterPosition::Element),
    }
}

/// How wide the registers must be.
fn width(wanted: &isa::OperandSpec) -> RegisterWidth {
    match wanted.class {
        OperandClass::Move(MoveClass::Wider) => RegisterWidth::AtLeast,
        _ => RegisterWidth::Exact,
    }
}

fn element_help(wanted: &isa::OperandSpec) -> String {
    format!("use registers of type {}", types::holders(wanted.ty, RegisterPosition::Element))
}

fn mismatch(
    lane: &Operand,
    ty: RegisterType,
    first: &Operand,
    start: RegisterType,
    how: &str,
) -> diagnostics::Diagnostic {
    let message = format!("`{}` (`{ty}`) and `{}` (`{start}`) {how}", lane.token.text, first.token.text);
    Diagnostic::new(&OPERAND_TYPE, lane.token.range.clone(), message).help("use the same type for all elements")
}

fn size(
    site: &OperandSite,
    operand: &Operand,
    lanes: &[Operand],
    wanted: &isa::OperandSpec,
) -> diagnostics::Diagnostic {
    let modifier = site.legal.at("vec").map_or(String::new(), |at| format!(" for `.{}`", site.opcode.words()[at]));
    let message = format!("expected {}{modifier}, found {}", counted(usize::from(wanted.lanes)), lanes.len());
    let surplus = lanes.get(usize::from(wanted.lanes)..).filter(|surplus| !surplus.is_empty());
    let Some([first, ..]) = surplus else {
        return Diagnostic::new(&VECTOR_SIZE, operand.token.range.clone(), message)
            .help(format!("write {} elements", wanted.lanes));
    };
    let last = &lanes[lanes.len() - 1].token.range;
    let kept = &lanes[usize::from(wanted.lanes) - 1].token.range;
    Diagnostic::new(&VECTOR_SIZE, first.token.range.start..last.end, message)
        .help(format!("write {} elements", wanted.lanes))
        .unsafe_fix("Remove the extra elements", [remove(kept.end..last.end)])
}

fn counted(n: usize) -> String {
    match n {
        1 => "1 element".to_owned(),
        n => format!("{n} elements"),
    }
}

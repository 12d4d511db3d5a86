//! Vectors: lists in braces, whose elements agree on one type, and whole vector registers.
//!
//! The assembler gives a list the type of its first element that has one. Neighbours must go together: the same type, plain bits on one
//! side, integers, or floats. Elements of the same type leave the list's type, others turn it into plain bits; it must hold the
//! instruction's type.

use super::OperandSite;
use super::meaning::OperandMeaning;
use super::types::{self, Class, RegisterType};
use diagnostics::registry::{OPERAND_KIND, OPERAND_TYPE, VECTOR_SIZE};
use diagnostics::{Diagnostic, Verdict, remove, replace};
use isa::Role;
use isa::types::Type;
use syntax::{ConstantType, Declaration, Operand, OperandKind};

/// Checks a vector that takes the result or is read.
pub(super) fn check(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> Verdict {
    match operand.kind {
        OperandKind::Vector => list(site, operand, wanted),
        _ => whole(site, operand, wanted),
    }
}

/// What is no list: one vector register, or `_` for a result that nobody wants.
fn whole(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> Verdict {
    let text = &operand.token.text;
    let family = site.legal.family.name;
    let Some(meaning) = site.lookup.meaning(operand)? else { return Ok(()) };
    let range = operand.token.range.clone();
    let report = |rule, message: String| Diagnostic::new(rule, range.clone(), message).declared(meaning.declaration());
    match &meaning {
        OperandMeaning::Sink if wanted.role == Role::Destination && family == "atom" => Ok(()),
        OperandMeaning::VectorRegister { lanes, .. } if *lanes != wanted.lanes => {
            Err(report(&VECTOR_SIZE, format!("`{text}` has {lanes} elements, the instruction wants {}", wanted.lanes))
                .help(format!("write a register declared as `.v{}`, or the elements in braces", wanted.lanes)))
        }
        OperandMeaning::VectorRegister { ty, .. } if !types::holds(*ty, wanted.ty, true) => Err(report(
            &OPERAND_TYPE,
            format!("`{text}` is {}; the instruction works on `.{}`", meaning.describe(), wanted.ty.word()),
        )
        .help(elements_wanted(wanted))),
        OperandMeaning::VectorRegister { lanes, .. } if family != "atom" && family != "red" => {
            let names = ["x", "y", "z", "w"].iter().take(usize::from(*lanes)).map(|name| format!("{text}.{name}"));
            let spelt = format!("{{{}}}", names.collect::<Vec<_>>().join(", "));
            Err(report(&OPERAND_KIND, format!("`{family}` wants the elements one by one"))
                .help(format!("write `{spelt}`"))
                .fix(format!("Write `{spelt}`"), [replace(range.clone(), spelt)]))
        }
        OperandMeaning::VectorRegister { .. } => Ok(()),
        _ => Err(report(
            &OPERAND_KIND,
            format!("the instruction works on a vector of {}; `{text}` is {}", wanted.lanes, meaning.describe()),
        )
        .help(format!("write {} elements in braces", wanted.lanes))),
    }
}

/// What one element of a list brings to its type.
struct ListElement {
    ty: RegisterType,
    literal: Option<ConstantType>,
    selected: bool,
}

fn list(site: &OperandSite, operand: &Operand, wanted: &isa::OperandSpec) -> Verdict {
    let lanes = operand.lanes();
    if lanes.len() != usize::from(wanted.lanes) {
        return Err(size(site, operand, &lanes, wanted));
    }
    let mut elements = Vec::with_capacity(lanes.len());
    for lane in &lanes {
        match element(site, lane, wanted)? {
            ElementType::Element(element) => elements.push((lane, element)),
            ElementType::Sink => {}
            ElementType::Nothing => return Ok(()),
        }
    }
    let Some(((first, start), rest)) = elements.split_first() else {
        return Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), "a list of `_` only has no type")
            .help("write `_` without braces to drop the whole result, or name a register")
            .fix("Write `_`", (site.legal.family.name == "atom").then(|| replace(operand.token.range.clone(), "_"))));
    };
    let mut joined = start.ty;
    let mut before = (first, start.ty);
    for (lane, element) in rest {
        if start.literal.is_none() && element.literal.is_none() && element.ty.bits != start.ty.bits {
            return Err(differ(lane, element.ty, first, start.ty, "have different widths"));
        }
        if !alike(before.1, element.ty) {
            return Err(differ(lane, element.ty, before.0, before.1, "cannot stand side by side"));
        }
        if joined != element.ty {
            let bits = if start.literal.is_some() { element.ty.bits } else { joined.bits };
            joined = RegisterType { class: Class::Bits, bits };
        }
        before = (lane, element.ty);
    }
    let selected = elements.iter().find(|(_, element)| element.selected);
    let literal = elements.iter().find(|(_, element)| element.literal.is_some());
    if let (Some((selected, _)), Some((literal, _))) = (selected, literal) {
        let message =
            format!("`{}` cannot stand beside a part of a vector, `{}`", literal.token.text, selected.token.text);
        return Err(Diagnostic::new(&OPERAND_KIND, literal.token.range.clone(), message)
            .help("put the constant into a register"));
    }
    if fits(site, joined, start.literal, wanted) {
        return Ok(());
    }
    Err(match start.literal {
        Some(literal) => super::scalar::wrong_literal(first, literal, wanted.ty),
        None => Diagnostic::new(
            &OPERAND_TYPE,
            first.token.range.clone(),
            format!("`{}` is `{}`; the elements are `.{}`", first.token.text, start.ty, wanted.ty.word()),
        )
        .help(elements_wanted(wanted))
        .declared(site.lookup.meaning(first).ok().flatten().and_then(|meaning| meaning.declaration())),
    })
}

enum ElementType {
    Element(ListElement),
    Sink,
    /// Nothing can be said of the whole list.
    Nothing,
}

fn element(site: &OperandSite, lane: &Operand, wanted: &isa::OperandSpec) -> Verdict<ElementType> {
    let Some(meaning) = site.lookup.meaning(lane)? else { return Ok(ElementType::Nothing) };
    let result = wanted.role == Role::Destination;
    let (range, text) = (lane.token.range.clone(), &lane.token.text);
    match &meaning {
        OperandMeaning::Register { ty, element, .. } | OperandMeaning::Special { ty, element } => {
            Ok(ElementType::Element(ListElement { ty: *ty, literal: None, selected: *element }))
        }
        // Measured: a scalar variable or parameter in a list is taken for a register of its type.
        OperandMeaning::Variable(Declaration { vector, ty, array: false, .. }) if vector.text.is_empty() => {
            match RegisterType::parse(&ty.text) {
                Some(ty) => Ok(ElementType::Element(ListElement { ty, literal: None, selected: false })),
                None => Ok(ElementType::Nothing),
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
        OperandMeaning::Sink if result => Ok(ElementType::Sink),
        OperandMeaning::Sink => Err(Diagnostic::new(
            &OPERAND_KIND,
            range,
            "`_` drops a result; a value that is read needs a register or a constant",
        )
        .help(elements_wanted(wanted))),
        _ => Err(Diagnostic::new(
            &OPERAND_KIND,
            range,
            format!("an element of a vector is a register; `{text}` is {}", meaning.describe()),
        )
        .help(elements_wanted(wanted))
        .declared(meaning.declaration())),
    }
}

/// Whether elements of two types may be neighbours.
fn alike(first: RegisterType, next: RegisterType) -> bool {
    let either = |class: Class| first.class == class || next.class == class;
    let both = |classes: &[Class]| classes.contains(&first.class) && classes.contains(&next.class);
    first == next || either(Class::Bits) || both(&[Class::Unsigned, Class::Signed]) || both(&[Class::Float])
}

/// Whether a list of a type will do. What a literal in first place leads to is measured, not designed.
fn fits(
    site: &OperandSite,
    joined: RegisterType,
    literal_first: Option<ConstantType>,
    wanted: &isa::OperandSpec,
) -> bool {
    let bits = joined.class == Class::Bits;
    match (literal_first, wanted.ty) {
        (None, Type::E4m3x4 | Type::E5m2x4) if wanted.role == Role::Destination && joined.class == Class::Predicate => {
            true
        }
        (None, ty) => types::holds(joined, ty, true),
        (Some(ConstantType::Integer), Type::F32 | Type::F16) => bits,
        (Some(literal), Type::F32 | Type::F64) if wanted.lanes == 1 => {
            types::takes(literal, wanted.ty) || types::holds(joined, wanted.ty, true)
        }
        (Some(_), Type::F32) => site.legal.family.name != "multimem.st" || types::holds(joined, wanted.ty, true),
        (Some(_), Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2) => false,
        (Some(_), ty) => types::holds(joined, ty, true),
    }
}

fn elements_wanted(wanted: &isa::OperandSpec) -> String {
    format!("elements are registers of type {}", types::holders(wanted.ty, true))
}

fn differ(
    lane: &Operand,
    ty: RegisterType,
    first: &Operand,
    start: RegisterType,
    how: &str,
) -> diagnostics::Diagnostic {
    let message = format!("`{}` (`{ty}`) and `{}` (`{start}`) {how}", lane.token.text, first.token.text);
    Diagnostic::new(&OPERAND_TYPE, lane.token.range.clone(), message).help("give all elements one type")
}

fn size(
    site: &OperandSite,
    operand: &Operand,
    lanes: &[Operand],
    wanted: &isa::OperandSpec,
) -> diagnostics::Diagnostic {
    let said = site.legal.at("vec").map_or(String::new(), |at| format!(", as `.{}` says", site.opcode.words()[at]));
    let message = format!("{} in a vector of {}{said}", counted(lanes.len()), wanted.lanes);
    let surplus = lanes.get(usize::from(wanted.lanes)..).filter(|surplus| !surplus.is_empty());
    let Some([first, ..]) = surplus else {
        return Diagnostic::new(&VECTOR_SIZE, operand.token.range.clone(), message)
            .help(format!("write {} elements", wanted.lanes));
    };
    let last = &lanes[lanes.len() - 1].token.range;
    let kept = &lanes[usize::from(wanted.lanes) - 1].token.range;
    Diagnostic::new(&VECTOR_SIZE, first.token.range.start..last.end, message)
        .help(format!("write {} elements", wanted.lanes))
        .unsafe_fix("Remove what is too much", [remove(kept.end..last.end)])
}

fn counted(n: usize) -> String {
    match n {
        1 => "1 element".to_owned(),
        n => format!("{n} elements"),
    }
}

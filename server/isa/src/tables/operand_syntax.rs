//! The operands of a form, as the rows write them.
//!
//! An operand is a name: `d` is the destination, `a`, `b` and `c` are sources, all of the instruction's type. `name:word` specifies what else is accepted
//! there (`b:count`, [`OperandClass`]) or which type it has (`d:u32`, `a:source`, `d:wide`). `name:integer(…)` is a constant of the integers named:
//! `integer(-1|1)`, `integer(0..3)`, `integer(32..512/32)` for the multiples of 32 in the range ([`crate::IntegerSet`]). `name:selectors(0..3;0|1)` is a list of
//! two, of which constants must be in these sets.
//! `[name]:in=slot` is an address in the space that fills a slot, `[name]:in=shared` in this one. `name:when=slot` is there exactly if the slot is filled.
//! `[name]:align=16` is a multiple of 16 bytes, `align=size` of the value of the operand `size`, `align=none` of nothing that is known; other addresses are a multiple
//! of what is accessed.
//! `name:value` is read and `name:destination` must be a register as that of a result, whatever the name.
//! `name:optional` may be left out; `name:since=8.8+sm_100` requires PTX 8.8 and sm_100.

use crate::operand_class::OperandClass;
use crate::since::Since;
use crate::tables::form::{AddressAlignment, OperandList, OperandSpec, OperandType, Role};
use crate::tables::rows::ReadPart;
use crate::types::Type;

impl OperandList {
    /// Reads the operands of a form.
    ///
    /// # Errors
    /// A class or type that does not exist.
    pub(crate) fn read(text: &'static str) -> ReadPart<OperandList> {
        let operands = operand_names(text).map(|name| read_operand(name, text)).collect::<ReadPart<Vec<_>>>()?;
        Ok(OperandList { syntax: with_optional(without_classes(text), &operands), operands })
    }
}

/// The operands of a syntax line: the parts between commas outside of brackets.
fn operand_names(all: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0;
    let parts = all.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    });
    parts.map(|name| name.trim_matches([' ', '{', '}'])).filter(|name| !name.is_empty())
}

/// Operands, those that may be left out in braces.
fn with_optional(mut syntax: String, operands: &[OperandSpec]) -> String {
    for operand in operands.iter().filter(|operand| operand.optional) {
        let (plain, braced) = (format!(", {}", operand.name), format!("{{, {}}}", operand.name));
        if !syntax.contains(&braced) {
            syntax = syntax.replacen(&plain, &braced, 1);
        }
    }
    syntax
}

/// Operands without the parts after their colons; colons inside brackets stay.
fn without_classes(operands: &str) -> String {
    let mut shown = String::with_capacity(operands.len());
    let (mut depth, mut skips) = (0, false);
    for c in operands.chars() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        skips = (skips || c == ':' && depth == 0) && !matches!(c, ',' | '{' | '}' | ' ');
        if !skips {
            shown.push(c);
        }
    }
    shown
}

/// Reads an operand: its name, and the accepted class after a colon.
fn read_operand(text: &'static str, all: &'static str) -> ReadPart<OperandSpec> {
    let (name, accepted) = match text.rfind(']') {
        Some(end) => text.split_at(end + 1),
        None => text.split_once(':').unwrap_or((text, "")),
    };
    let compares = operand_names(all).any(|name| name == "c") && all.contains("[a]");
    let role = match name {
        "d" => Role::Destination,
        "[a]" => Role::Address,
        "b" if compares => Role::Compare,
        "a" | "b" | "c" => Role::Value,
        "policy" => Role::Policy,
        _ => Role::Other,
    };
    let ty = if role == Role::Policy { Type::B64 } else { Type::B32 };
    let mut operand = OperandSpec {
        role,
        name,
        ty,
        lanes: 1,
        class: OperandClass::Typed,
        optional: false,
        when: (role == Role::Policy).then_some("hint"),
        space: None,
        alignment: AddressAlignment::Access,
        since: Since::ALWAYS,
        source: OperandType::Instruction,
    };
    for word in accepted.split(':').filter(|word| !word.is_empty()) {
        if let Some(class) = OperandClass::read(word)? {
            operand.class = class;
            operand.source = class.fixed_type().map_or(operand.source, OperandType::Fixed);
        } else if let Some(source) = operand_type(word) {
            operand.source = source;
        } else if let Some(slot) = word.strip_prefix("when=") {
            operand.when = Some(slot);
        } else if let Some(space) = word.strip_prefix("in=") {
            operand.space = Some(space);
            operand.role = if name.starts_with('[') { Role::Address } else { operand.role };
        } else if let Some(alignment) = word.strip_prefix("align=") {
            operand.alignment = match (alignment, alignment.parse()) {
                ("none", _) => AddressAlignment::Any,
                (_, Ok(bytes)) => AddressAlignment::Bytes(bytes),
                (name, Err(_)) => AddressAlignment::Operand(name),
            };
        } else if let Some(since) = word.strip_prefix("since=") {
            operand.since = Since::read(&since.replace('+', " "))?;
        } else {
            match word {
                "value" => operand.role = Role::Value,
                "destination" => operand.role = Role::Destination,
                "optional" => operand.optional = true,
                _ => return Err(format!("unknown operand class or type `{word}`")),
            }
        }
    }
    Ok(operand)
}

fn operand_type(word: &str) -> Option<OperandType> {
    Some(match word {
        "source" => OperandType::Source,
        "wide" => OperandType::Wide,
        word => OperandType::Fixed(Type::parse(word)?),
    })
}

//! The operands of a form, as the rows write them.
//!
//! An operand is a name: `d` takes the result, `a`, `b` and `c` are read, all of them of the instruction's type. `name:word` says what else is accepted
//! there (`b:count`, [`OperandClass`]) or which type it has (`d:u32`, `a:source`, `d:wide`). `name:integer(…)` is a constant of the integers named:
//! `integer(-1|1)`, `integer(0..3)`, `integer(32..512/32)` for the multiples of 32 in the range ([`IntegerSet`]). `name:selectors(0..3;0|1)` is a list of
//! two, of which constants must be in these sets.
//! `[name]:in=slot` is an address in the space that fills a slot, `[name]:in=shared` in this one. `name:when=slot` is there exactly if the slot is filled.
//! `name:optional:sm_90` may be left out, and requires that target.

use crate::form::{IntegerSet, OperandClass, OperandList, OperandSpec, OperandType, Role};
use crate::rows::ReadPart;
use crate::since::Since;
use crate::types::Type;

impl OperandList {
    /// Reads the operands of a form.
    ///
    /// # Errors
    /// A class or type that does not exist.
    pub(crate) fn read(text: &'static str) -> ReadPart<OperandList> {
        let operands = operand_names(text).map(|name| read_operand(name, text)).collect::<ReadPart<_>>()?;
        Ok(OperandList { syntax: without_classes(text), operands })
    }
}

/// The operands of a syntax line: what stands between its commas, those inside brackets aside.
fn operand_names(all: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0;
    let parts = all.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth == 0
    });
    parts.map(|name| name.trim_matches([' ', '{', '}'])).filter(|name| !name.is_empty())
}

/// Operands without what is said of each behind its colon; colons inside brackets stay.
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

/// Reads an operand: its name, and behind a colon what is accepted there.
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
        since: Since::ALWAYS,
        source: OperandType::Instruction,
    };
    for word in accepted.split(':').filter(|word| !word.is_empty()) {
        if let Some(class) = operand_class(word)? {
            operand.class = class;
            operand.source = type_of_class(class).map_or(operand.source, OperandType::Fixed);
        } else if let Some(source) = operand_type(word) {
            operand.source = source;
        } else if let Some(slot) = word.strip_prefix("when=") {
            operand.when = Some(slot);
        } else if let Some(space) = word.strip_prefix("in=") {
            operand.space = Some(space);
            operand.role = if name.starts_with('[') { Role::Address } else { operand.role };
        } else if word.starts_with("sm_") {
            operand.since = Since::read(word)?;
        } else {
            match word {
                "value" => operand.role = Role::Value,
                "optional" => operand.optional = true,
                _ => return Err(format!("no class or type of operands: `{word}`")),
            }
        }
    }
    Ok(operand)
}

fn operand_class(word: &'static str) -> ReadPart<Option<OperandClass>> {
    let inside = |name: &str| word.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some(integers) = inside("integer") {
        return IntegerSet::read(integers).map(|set| Some(OperandClass::Integer(set)));
    }
    if let Some(integers) = inside("count") {
        return IntegerSet::read(integers).map(|set| Some(OperandClass::CountAmong(set)));
    }
    if let Some(integers) = inside("predicate") {
        return IntegerSet::read(integers).map(|set| Some(OperandClass::PredicateAmong(set)));
    }
    if let Some(sets) = inside("selectors") {
        let (first, second) = sets.split_once(';').ok_or_else(|| format!("no `;` in `{word}`"))?;
        return Ok(Some(OperandClass::Selectors(IntegerSet::read(first)?, IntegerSet::read(second)?)));
    }
    if let Some(integers) = inside("wrapping") {
        return IntegerSet::read(integers).map(|set| Some(OperandClass::Wrapping(set)));
    }
    if let Some(integers) = inside("any_size") {
        return IntegerSet::read(integers).map(|set| Some(OperandClass::AnySize(set)));
    }
    Ok(Some(match word {
        "register" => OperandClass::Register,
        "integer" => OperandClass::PlainInteger,
        "state" => OperandClass::BarrierState,
        "wait_result" => OperandClass::WaitResult,
        "report" => OperandClass::Report,
        "match_result" => OperandClass::MatchResult,
        "shuffle_result" => OperandClass::ShuffleResult,
        "fraction" => OperandClass::Fraction,
        "symbol" => OperandClass::SymbolAddress,
        "any_address" => OperandClass::GenericAddress,
        "bracketed" => OperandClass::Bracketed,
        "bulk_barrier" => OperandClass::BulkBarrier,
        "scalar_or_list" => OperandClass::ScalarOrList,
        "source_size" => OperandClass::SourceSize,
        "cta_mask" => OperandClass::CtaMask,
        "byte_mask" => OperandClass::ByteMask,
        "tensor_map" => OperandClass::TensorMap,
        "arrivals" => OperandClass::Arrivals,
        "offsets" => OperandClass::Offsets,
        "unbracketed" => OperandClass::UnbracketedAddress,
        "registers" => OperandClass::Registers,
        "descriptor" => OperandClass::Descriptor,
        "tensor" => OperandClass::TensorAddress,
        "droppable" => OperandClass::Droppable,
        "count" => OperandClass::Count,
        "byte" => OperandClass::Byte,
        "immediate" => OperandClass::Immediate,
        "predicate" => OperandClass::Predicate,
        "predicate_register" => OperandClass::PredicateRegister,
        "predicate_result" => OperandClass::PredicateResult,
        "droppable_predicate" => OperandClass::DroppablePredicate,
        "predicate_pair" => OperandClass::PredicatePair,
        "with_predicate" => OperandClass::WithPredicate,
        "result" => OperandClass::IntegerResult,
        "address_or_value" => OperandClass::AddressOrValue,
        "packed" => OperandClass::Packed,
        "wider" => OperandClass::Wider,
        "wider_or_special" => OperandClass::WiderOrSpecial,
        "four" => OperandClass::Four,
        "bits" => OperandClass::Bits,
        "plain" => OperandClass::Plain,
        _ => return Ok(None),
    }))
}

/// The type of the operands of a class that is the same in every instruction.
fn type_of_class(class: OperandClass) -> Option<Type> {
    match class {
        OperandClass::Predicate
        | OperandClass::PredicateAmong(_)
        | OperandClass::PredicateRegister
        | OperandClass::PredicateResult
        | OperandClass::DroppablePredicate
        | OperandClass::PredicatePair => Some(Type::Pred),
        OperandClass::Count
        | OperandClass::CountAmong(_)
        | OperandClass::TensorAddress
        | OperandClass::Byte
        | OperandClass::Immediate
        | OperandClass::Integer(_)
        | OperandClass::Selectors(..) => Some(Type::U32),
        OperandClass::Descriptor => Some(Type::U64),
        OperandClass::Typed
        | OperandClass::Register
        | OperandClass::Registers
        | OperandClass::Droppable
        | OperandClass::IntegerResult
        | OperandClass::WithPredicate
        | OperandClass::AddressOrValue
        | OperandClass::Packed
        | OperandClass::Wider
        | OperandClass::WiderOrSpecial
        | OperandClass::Four
        | OperandClass::Bits
        | OperandClass::Plain
        | OperandClass::Wrapping(_)
        | OperandClass::Arrivals
        | OperandClass::SourceSize
        | OperandClass::CtaMask
        | OperandClass::ByteMask
        | OperandClass::TensorMap
        | OperandClass::Offsets
        | OperandClass::UnbracketedAddress
        | OperandClass::PlainInteger
        | OperandClass::BarrierState
        | OperandClass::MatchResult
        | OperandClass::ShuffleResult
        | OperandClass::SymbolAddress
        | OperandClass::GenericAddress
        | OperandClass::AnySize(_)
        | OperandClass::BulkBarrier
        | OperandClass::Bracketed
        | OperandClass::ScalarOrList => None,
        OperandClass::WaitResult => Some(Type::Pred),
        OperandClass::Report => Some(Type::U8),
        OperandClass::Fraction => Some(Type::F32),
    }
}

fn operand_type(word: &str) -> Option<OperandType> {
    Some(match word {
        "source" => OperandType::Source,
        "wide" => OperandType::Wide,
        word => OperandType::Fixed(Type::parse(word)?),
    })
}

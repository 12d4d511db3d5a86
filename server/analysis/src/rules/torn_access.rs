//! Packed and vector atomics that are used as if they were one access: each of their elements is one on its own.

use crate::flow::{Flow, Place, Step, Value, size};
use crate::report::{With, finding};
use crate::{Finding, Related};
use isa::Role;
use std::ops::Range;

/// How many steps around an atomic are looked at.
const NEAR: usize = 500;

/// Looks at every atomic of several elements.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Finding>) {
    for (at, step, legal) in flow.atomics() {
        let parts = i64::from(legal.ty.map_or(1, isa::types::Type::packed)) * i64::from(legal.lanes);
        if parts < 2 || !matches!(legal.family.name, "atom" | "red") {
            continue;
        }
        let element = size(legal) / parts;
        let Some(other) = compared(flow, step).or_else(|| taken_whole(flow, at, element)) else { continue };
        let message = format!(
            "each of the {parts} elements is added on its own, but what is done with them takes all for one access"
        );
        let mut report = finding("torn-access", step.opcode.range.clone(), message)
            .help("use a scalar atomic for flags, locks and whatever must be seen as a whole");
        report.related.push(Related { range: other, message: "here they are taken for one".to_owned() });
        findings.push(*report);
    }
}

/// Where the packed result is compared as an integer.
fn compared(flow: &Flow, step: &Step) -> Option<Range<usize>> {
    let (_, Value::Register(register)) = step.operand(Role::Destination)? else { return None };
    tested(flow, *register).map(|at| flow.step(at).opcode.range.clone())
}

/// Where an integer comparison reads a register.
fn tested(flow: &Flow, register: usize) -> Option<usize> {
    let integers = ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"];
    let whole = |at: &usize| flow.mnemonic(*at) == "setp" && integers.iter().any(|ty| flow.has(*at, ty));
    flow.mentions(register).filter(|mention| mention.reads).map(|mention| mention.at).find(whole)
}

/// Where a wider access to the same place, which counts as one, gives a value that is compared: a flag or a lock.
fn taken_whole(flow: &Flow, at: usize, element: i64) -> Option<Range<usize>> {
    let place = flow.address(flow.step(at)).filter(|place| place.offset.is_some())?;
    let whole = |other: &usize| {
        let one = match flow.mnemonic(*other) {
            "atom" => flow.has(*other, "cas") || flow.has(*other, "exch"),
            "ld" => flow.has(*other, "acquire") || flow.has(*other, "relaxed") || flow.has(*other, "volatile"),
            _ => false,
        };
        if !one || *other == at || flow.has(*other, "v2") || flow.has(*other, "v4") {
            return false;
        }
        let step = flow.step(*other);
        let bits = step.opcode.modifiers.last().map_or("", |word| &word.text);
        let bytes = bits.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<i64>().unwrap_or(0) / 8;
        let same = |found: Place| found.root == place.root && found.offset == place.offset;
        let read = matches!(step.values.first(), Some(Value::Register(value)) if tested(flow, *value).is_some());
        bytes > element && read && flow.address(step).is_some_and(same)
    };
    let near = at.saturating_sub(NEAR)..flow.len().min(at + NEAR);
    near.into_iter().find(whole).map(|other| flow.step(other).opcode.range.clone())
}

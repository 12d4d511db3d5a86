//! Packed and vector atomics that are used as if they were one access: each of their elements is one on its own.

use crate::flow::{Definition, DefinitionSite, Flow, FlowStep, OperandValue, Root, size};
use diagnostics::Diagnostic;
use diagnostics::registry::TORN_ACCESS;
use std::collections::HashMap;

/// The types of comparisons that take a register as a whole.
const INTEGERS: [&str; 9] = ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"];

/// The step that compares a value as an integer, by value.
type Tested = HashMap<Definition, usize>;

/// Looks at every atomic of several elements.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    let parts = |legal: &isa::ResolvedInstruction| {
        i64::from(legal.ty.map_or(1, isa::types::Type::packed)) * i64::from(legal.lanes)
    };
    let several = |legal: &isa::ResolvedInstruction| parts(legal) > 1 && matches!(legal.family.name, "atom" | "red");
    if !flow.atomics().any(|(_, _, legal)| several(legal)) {
        return;
    }
    let tested = tested(flow);
    let whole = taken_whole(flow, &tested);
    for (at, step, legal) in flow.atomics().filter(|(_, _, legal)| several(legal)) {
        let parts = parts(legal);
        let wider = || {
            let place = flow.address(step)?;
            let same = whole.get(&place.anchor)?;
            same.iter().find(|(other, bytes)| *other != at && *bytes > size(legal) / parts).map(|(other, _)| *other)
        };
        let other = compared(step, &tested).or_else(wider);
        let Some(other) = other else { continue };
        let message = format!(
            "each of the {parts} elements is added on its own, but what is done with them takes all for one access"
        );
        let report = Diagnostic::new(&TORN_ACCESS, step.opcode.range.clone(), message)
            .help("use a scalar atomic for flags, locks and whatever must be seen as a whole");
        findings.push(report.related(flow.step(other).opcode.range.clone(), "here they are taken for one"));
    }
}

fn tested(flow: &Flow) -> Tested {
    let mut tested = Tested::new();
    let integer = |at: &usize| flow.mnemonic(*at) == "setp" && INTEGERS.iter().any(|ty| flow.has(*at, ty));
    for at in (0..flow.len()).filter(integer) {
        for place in flow.step(at).values.iter().skip(1).filter_map(|value| flow.place(value, at)) {
            if let (Root::Value(definition), 0) = place.anchor {
                tested.entry(definition).or_insert(at);
            }
        }
    }
    tested
}

/// Where the result of a step is compared as an integer.
fn compared(step: &FlowStep, tested: &Tested) -> Option<usize> {
    let OperandValue::Register(register) = step.values.first()? else { return None };
    tested.get(&Definition { register: *register, site: DefinitionSite::Step(step.at) }).copied()
}

/// The accesses that count as one and whose value is compared, flags and locks, by place: step and bytes.
fn taken_whole(flow: &Flow, tested: &Tested) -> HashMap<(Root, i64), Vec<(usize, i64)>> {
    let mut found: HashMap<(Root, i64), Vec<(usize, i64)>> = HashMap::new();
    if tested.is_empty() {
        return found;
    }
    for at in 0..flow.len() {
        let one = match flow.mnemonic(at) {
            "atom" => flow.has(at, "cas") || flow.has(at, "exch"),
            "ld" => flow.has(at, "acquire") || flow.has(at, "relaxed") || flow.has(at, "volatile"),
            _ => false,
        };
        if !one || flow.has(at, "v2") || flow.has(at, "v4") {
            continue;
        }
        let step = flow.step(at);
        let bits = step.opcode.modifiers.last().map_or("", |word| &word.text);
        let bytes = bits.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<i64>().unwrap_or(0) / 8;
        if compared(step, tested).is_some()
            && let Some(place) = flow.address(step)
        {
            found.entry(place.anchor).or_default().push((at, bytes));
        }
    }
    found
}

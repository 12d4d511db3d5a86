//! `torn-access`: packed and vector atomics that are used as a single access.

use analysis::values::{
    DecodedInstruction, Definition, DefinitionSite, FunctionValues, OperandValue, Root, access_size,
};
use diagnostics::Diagnostic;
use diagnostics::registry::TORN_ACCESS;
use std::collections::HashMap;

/// The types of comparisons of a whole register.
const INTEGERS: [&str; 9] = ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"];

/// For each value, the instruction that compares it as an integer.
type Comparisons = HashMap<Definition, usize>;

/// Checks every atomic with several elements.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    let element_count = |legal: &isa::ResolvedInstruction| {
        i64::from(legal.ty.map_or(1, isa::types::Type::packed)) * i64::from(legal.lanes)
    };
    let has_several_elements =
        |legal: &isa::ResolvedInstruction| element_count(legal) > 1 && matches!(legal.family.name, "atom" | "red");
    if !flow.atomics().any(|(_, _, legal)| has_several_elements(legal)) {
        return;
    }
    let comparisons = comparisons(flow);
    let single_accesses = single_accesses(flow, &comparisons);
    for (at, instruction, legal) in flow.atomics().filter(|(_, _, legal)| has_several_elements(legal)) {
        let elements = element_count(legal);
        let wider_access = || {
            let provenance = flow.address_provenance(instruction)?;
            let same = single_accesses.get(&provenance.anchor)?;
            same.iter()
                .find(|(other, bytes)| *other != at && *bytes > access_size(legal) / elements)
                .map(|(other, _)| *other)
        };
        let other = comparison_of(instruction, &comparisons).or_else(wider_access);
        let Some(other) = other else { continue };
        let message = format!("atomic on {elements} separate elements is used as a single access");
        let report = Diagnostic::new(&TORN_ACCESS, instruction.opcode.range(), message)
            .help("use a scalar atomic for flags, locks and other values that must be updated as a whole");
        diagnostics.push(report.related(flow.instruction(other).opcode.range(), "used as a single access here"));
    }
}

fn comparisons(flow: &FunctionValues) -> Comparisons {
    let mut comparisons = Comparisons::new();
    let integer = |at: &usize| flow.mnemonic(*at) == "setp" && INTEGERS.iter().any(|ty| flow.has(*at, ty));
    for at in (0..flow.len()).filter(integer) {
        for provenance in flow.instruction(at).values.iter().skip(1).filter_map(|value| flow.provenance(value, at)) {
            if let (Root::Value(definition), 0) = provenance.anchor {
                comparisons.entry(definition).or_insert(at);
            }
        }
    }
    comparisons
}

/// The instruction that compares the result of an instruction as an integer.
fn comparison_of(instruction: &DecodedInstruction, comparisons: &Comparisons) -> Option<usize> {
    let OperandValue::Register(register) = instruction.values.first()? else { return None };
    comparisons.get(&Definition { register: *register, site: DefinitionSite::Instruction(instruction.at) }).copied()
}

/// The single-copy atomic accesses whose values are compared, such as flags and locks, by address: instruction and size.
fn single_accesses(flow: &FunctionValues, comparisons: &Comparisons) -> HashMap<(Root, i64), Vec<(usize, i64)>> {
    let mut found: HashMap<(Root, i64), Vec<(usize, i64)>> = HashMap::new();
    if comparisons.is_empty() {
        return found;
    }
    for at in 0..flow.len() {
        let is_single = match flow.mnemonic(at) {
            "atom" => flow.has(at, "cas") || flow.has(at, "exch"),
            "ld" => flow.has(at, "acquire") || flow.has(at, "relaxed") || flow.has(at, "volatile"),
            _ => false,
        };
        if !is_single || flow.has(at, "v2") || flow.has(at, "v4") {
            continue;
        }
        let instruction = flow.instruction(at);
        let bits = instruction.opcode.modifiers().last().unwrap_or_default();
        let bytes = bits.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<i64>().unwrap_or(0) / 8;
        if comparison_of(instruction, comparisons).is_some()
            && let Some(provenance) = flow.address_provenance(instruction)
        {
            found.entry(provenance.anchor).or_default().push((at, bytes));
        }
    }
    found
}

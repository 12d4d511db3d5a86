//! The SASS of an instruction, as Markdown.

use crate::lowering::{Lowering, LoweringKind, Origin, RECORDED, ResultUse, everywhere, lowering, origins};
use crate::resolve::ResolvedInstruction;
use crate::tables::form::Role;
use crate::target::{Module, Target};
use crate::types::Op;
use std::fmt::Write;

/// The SASS of an instruction on the module's target, or on each recorded target if the module has none. Empty if it is unknown.
pub fn machine_code(instruction: &ResolvedInstruction, module: &Module) -> String {
    let found = |result| match module.target {
        Some(target) => lowering(instruction, target, result).into_iter().collect(),
        None => everywhere(instruction, result),
    };
    let (used, unused): (Vec<Lowering>, Vec<Lowering>) = (found(ResultUse::Used), found(ResultUse::Unused));
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for (used, unused) in used.iter().zip(&unused) {
        let text = one(instruction, used, unused);
        match groups.last_mut() {
            Some((targets, last)) if *last == text => targets.push(used.recorded),
            _ => groups.push((vec![used.recorded], text)),
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    let uses = |sign: &str| groups.iter().any(|(_, group)| group.contains(sign));
    let mut text = "\nSASS (ptxas 13.5".to_owned();
    text += if uses("{") { "; `{ … }` is a loop" } else { "" };
    text += if uses(" local`") { "; `local` is a load and a store, for an address in local memory" } else { "" };
    text += "):\n\n";
    for (targets, group) in groups {
        let asked = module.target.map(Target::name).filter(|name| !targets.contains(name));
        let on = asked.map_or(targets.join(", "), |name| format!("{name} (as {})", targets.join(", ")));
        let _ = writeln!(text, "- on {on}: {group}");
    }
    text
}

fn one(instruction: &ResolvedInstruction, used: &Lowering, unused: &Lowering) -> String {
    let returns = instruction.operands().any(|operand| operand.role == Role::Destination);
    let mut text = format!("`{}`, {}", used.code, used.summary());
    if returns && used.code != unused.code {
        let _ = write!(text, "; `{}` if the result is unused", unused.code);
    }
    let one = if used.one.is_empty() { &unused.one } else { &used.one };
    if !one.is_empty() {
        let when = if used.one.is_empty() && returns { " and the result is unused" } else { "" };
        let _ = write!(text, "; `{one}` if `b` is the constant 1{when}");
    }
    let summed = if used.sum.is_empty() { unused } else { used };
    if !summed.sum.is_empty() {
        let when = if used.sum.is_empty() && returns { " and the result is unused" } else { "" };
        let names = summed.sum.split(' ').map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let counted = if instruction.op == Some(Op::Add) { ", or a count if `b` is a constant" } else { "" };
        let how = format!("the values are combined first ({names}{counted}), and one lane accesses memory");
        let _ = write!(text, "; if all lanes of a warp have the same address{when}, {how}");
    }
    text
}

/// How many forms [`written_as`] names.
const NAMED: usize = 8;

/// The PTX that a machine instruction, given with all its modifiers, is generated from, as Markdown; `None` if there is none.
pub fn written_as(opcode: &str) -> Option<String> {
    let origins = origins(opcode);
    if origins.is_empty() {
        return None;
    }
    let mut text = format!("`{opcode}` is generated from (ptxas 13.5):\n\n");
    for origin in origins.iter().take(NAMED) {
        let _ = writeln!(text, "- `{}`{}", origin.form, remarks(origin));
    }
    if let Some(more) = origins.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {more} more forms");
    }
    Some(text)
}

fn remarks(origin: &Origin) -> String {
    let mut text = String::new();
    if origin.one {
        text += " with the constant 1";
    }
    if origin.unused {
        text += ", result unused";
    }
    text += match origin.kind {
        LoweringKind::Native => "",
        LoweringKind::Loop => ", as a loop",
        LoweringKind::Dispatch => ", for some addresses",
    };
    if origin.targets.len() < RECORDED.len() {
        let _ = write!(text, ", on {}", origin.targets.join(", "));
    }
    text
}

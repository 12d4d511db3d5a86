//! Example inputs of an instruction, and a table of their results for the hover.

use crate::comments::EvaluatedAtomic;
use crate::comments::evaluate::written_like;
use crate::run::AtomicRun;
use isa::ResolvedInstruction;
use isa::types::{Op, Space};
use syntax::OperandKind;
use values::AccessedSpace;
use values::interesting::{Example, examples};
use values::{Computation, Operation, Shape, Subnormals};

/// The operation of an instruction; for multimem that of one replica. A store is an exchange.
pub fn operation(instruction: &ResolvedInstruction, generic: AccessedSpace) -> Option<Operation> {
    let shape = Shape::new(instruction.ty?, instruction.lanes.into())?;
    let location = AccessedSpace::of(instruction.space.value, generic);
    let is_multimem = instruction.family.name.starts_with("multimem.");
    Operation::new(
        instruction.op.unwrap_or(Op::Exch),
        shape,
        Subnormals::of(instruction.noftz || is_multimem),
        location,
    )
    .ok()
}

/// The computation on interesting values.
fn runs(instruction: &ResolvedInstruction) -> Vec<AtomicRun> {
    let Some(operation) = operation(instruction, AccessedSpace::Global) else { return Vec::new() };
    let Ok(computation) = Computation::of(instruction, AccessedSpace::Global) else { return Vec::new() };
    let run = |Example { memory, b, c }: Example| match computation {
        Computation::Load(_) => AtomicRun { computation, memory: vec![memory, b], b, c: None },
        _ if computation.has_replicas() => AtomicRun { computation, memory: vec![memory, memory], b, c: None },
        _ => AtomicRun { computation, memory: vec![memory], b, c },
    };
    examples(operation).into_iter().map(run).collect()
}

/// Interesting inputs as the text of a comment without its prefix, except for constant operands.
pub fn inputs(subject: &EvaluatedAtomic) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for run in runs(&subject.instruction) {
        let mut items: Vec<String> =
            run.memory.iter().map(|value| format!("[a]={}", written_like(None, *value))).collect();
        for (at, value) in [run.computation.takes_b().then_some(run.b), run.c].into_iter().enumerate() {
            let Some(value) = value else { continue };
            if subject.inputs[at].as_ref().is_none_or(|operand| operand.kind != OperandKind::Constant) {
                items.push(format!("{}={}", subject.name(at), written_like(None, value)));
            }
        }
        let input = items.join(", ");
        if !all.contains(&input) {
            all.push(input);
        }
    }
    all
}

/// A Markdown table of interesting inputs and their results; `None` if the instruction cannot be evaluated.
pub fn table(instruction: &ResolvedInstruction) -> Option<String> {
    let runs = runs(instruction);
    let first = runs.first()?;
    let takes = [("`b`", first.computation.takes_b()), ("`c`", first.computation.takes_c())];
    let stores = !matches!(first.computation, Computation::Load(_));
    let returns = first.evaluate().destination.is_some();
    let mut head = vec!["`[a]`"];
    head.extend(takes.iter().filter(|(_, taken)| *taken).map(|(name, _)| *name));
    head.extend(stores.then_some("`[a]` after"));
    head.extend(returns.then_some("`d`"));
    head.push("");
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for run in &runs {
        let after = run.evaluate();
        let several = |values: &[values::Value]| {
            let all: Vec<_> = values.iter().map(|value| format!("`{}`", written_like(None, *value))).collect();
            all.join(" ")
        };
        let mut cells = vec![several(&run.memory)];
        cells.extend(run.computation.takes_b().then(|| several(&[run.b])));
        cells.extend(run.c.map(|c| several(&[c])));
        cells.extend(stores.then(|| several(&after.memory)));
        cells.extend(after.destination.map(|value| several(&[value])));
        cells.push(after.notes.join("; "));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    if instruction.space.value == Space::Generic {
        text += "\nThe address is assumed to be in global memory.\n";
    }
    Some(text)
}

//! Loops on compare-and-swap that compute what one atomic does.

use crate::flow::{Flow, FlowStep, KnownAddress, Loop, OperandValue};
use crate::lowering::emulated;
use diagnostics::Diagnostic;
use diagnostics::registry::HANDMADE_ATOMIC;
use isa::Role;
use isa::types::Op;

/// Looks at every compare-and-swap in a loop.
pub(super) fn check(flow: &Flow, findings: &mut Vec<Diagnostic>) {
    for (at, step, legal) in flow.atomics() {
        if legal.op != Some(Op::Cas) || legal.lanes > 1 || legal.family.name != "atom" {
            continue;
        }
        let Some(spin) = Loop::around(flow, at) else { continue };
        let Some((op, ty)) = computes(flow, at, step, &spin) else { continue };
        let Some(instead) = spelling(flow, step, legal, op, ty) else { continue };
        let message = format!("this loop computes what `{instead}` does at once");
        findings.push(Diagnostic::new(&HANDMADE_ATOMIC, step.opcode.range.clone(), message).help(format!(
            "write `{instead}`: where many threads meet, each round of the loop is lost to all but one of them"
        )));
    }
}

/// The operation and type of the atomic that a loop stands for.
fn computes(flow: &Flow, at: usize, step: &FlowStep, spin: &Loop) -> Option<(&'static str, &'static str)> {
    let (_, old) = step.operand(Role::Destination)?;
    let (_, compare) = step.operand(Role::Compare)?;
    let (_, new) = step.operand(Role::Value)?;
    // The loop ends as soon as memory held what was compared.
    let test = flow.step(spin.test?);
    let tested = |wanted: &dyn Fn(&OperandValue) -> bool| test.values.iter().skip(1).any(wanted);
    let OperandValue::Register(got) = old else { return None };
    let was = flow.place(compare, at);
    let is_same = |value: Option<KnownAddress>| was.zip(value).is_some_and(|(was, value)| was.same(&value));
    let again =
        tested(&|value| flow.is_from(value, test.at, *got, at)) && tested(&|value| is_same(flow.place(value, test.at)));
    let alone = (spin.top..=spin.branch).all(|other| {
        other == at || !matches!(flow.mnemonic(other), "atom" | "st" | "red" | "call" | "bar" | "fence" | "membar")
    });
    if !again || !alone {
        return None;
    }
    let (computed, before) = spin.source(flow, new, at);
    let OperandValue::Register(result) = computed else { return None };
    let op_at = flow.written(result, spin.top..before)?;
    let op = flow.step(op_at);
    let [OperandValue::Register(to), a, b] = op.values.as_slice() else { return None };
    let of_old = |value: &OperandValue| is_same(flow.place(value, op_at));
    let fixed = |value: &OperandValue| match spin.source(flow, value, op_at).0 {
        OperandValue::Register(register) => flow.written(register, spin.top..spin.branch + 1).is_none(),
        OperandValue::Number(_) => true,
        _ => false,
    };
    let fits = *to == result && op.guard.is_none() && (of_old(a) && fixed(b) || of_old(b) && fixed(a));
    fits.then(|| operation(op)).flatten()
}

/// The atomic operation and type of an instruction that computes the same.
fn operation(step: &FlowStep) -> Option<(&'static str, &'static str)> {
    let words = step.opcode.words();
    let [rest @ .., ty] = words.as_slice() else { return None };
    if !rest.is_empty() && rest != ["rn"] {
        return None;
    }
    Some(match (&*step.opcode.mnemonic.text, *ty) {
        ("add", "u32" | "b32") => ("add", "u32"),
        ("add", "s32") => ("add", "s32"),
        ("add", "u64" | "s64") => ("add", "u64"),
        ("add", "f32") => ("add", "f32"),
        ("add", "f64") => ("add", "f64"),
        ("min", "u32") => ("min", "u32"),
        ("min", "s32") => ("min", "s32"),
        ("min", "u64") => ("min", "u64"),
        ("min", "s64") => ("min", "s64"),
        ("max", "u32") => ("max", "u32"),
        ("max", "s32") => ("max", "s32"),
        ("max", "u64") => ("max", "u64"),
        ("max", "s64") => ("max", "s64"),
        ("and", "b32") => ("and", "b32"),
        ("and", "b64") => ("and", "b64"),
        ("or", "b32") => ("or", "b32"),
        ("or", "b64") => ("or", "b64"),
        ("xor", "b32") => ("xor", "b32"),
        ("xor", "b64") => ("xor", "b64"),
        _ => return None,
    })
}

/// The atomic in the words of the loop's compare-and-swap, where the module's target has it.
fn spelling(flow: &Flow, step: &FlowStep, legal: &isa::ResolvedInstruction, op: &str, ty: &str) -> Option<String> {
    let (op_at, type_at) = (legal.at("op")?, legal.at("type")?);
    let mut words = step.opcode.words();
    (words[op_at], words[type_at]) = (op, ty);
    let isa::Resolution::Legal(atomic) =
        isa::resolve(&isa::Spelling { mnemonic: "atom", modifiers: &words }, &flow.module)
    else {
        return None;
    };
    // A loop that the assembler writes is no better.
    emulated(&atomic, &flow.module).is_none().then(|| format!("atom.{}", words.join(".")))
}

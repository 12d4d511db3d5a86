//! `handmade-atomic`: compare-and-swap loops that a single atomic can replace.

use analysis::lowering::emulated;
use analysis::values::{AtomicLoop, DecodedInstruction, FunctionValues, OperandValue, Provenance};
use diagnostics::Diagnostic;
use diagnostics::registry::HANDMADE_ATOMIC;
use isa::Role;
use isa::types::Op;

/// Checks every compare-and-swap in a loop.
pub(crate) fn check(flow: &FunctionValues, diagnostics: &mut Vec<Diagnostic>) {
    for (at, instruction, legal) in flow.atomics() {
        if legal.op != Some(Op::Cas) || legal.lanes > 1 || legal.family.name != "atom" {
            continue;
        }
        let Some(atomic_loop) = AtomicLoop::around(flow, at) else { continue };
        let Some((op, ty)) = equivalent_operation(flow, at, instruction, &atomic_loop) else { continue };
        let Some(replacement) = spelling(flow, instruction, legal, op, ty) else { continue };
        let message = format!("compare-and-swap loop is equivalent to `{replacement}`");
        diagnostics.push(Diagnostic::new(&HANDMADE_ATOMIC, instruction.opcode.range(), message).help(format!(
            "write `{replacement}`; under contention, each loop iteration succeeds for only one thread"
        )));
    }
}

/// The operation and type of the atomic that is equivalent to a loop.
fn equivalent_operation(
    flow: &FunctionValues,
    at: usize,
    instruction: &DecodedInstruction,
    atomic_loop: &AtomicLoop,
) -> Option<(&'static str, &'static str)> {
    let (_, old) = instruction.operand(Role::Destination)?;
    let (_, compare) = instruction.operand(Role::Compare)?;
    let (_, new) = instruction.operand(Role::Value)?;
    // The loop ends when the old value equals the compare value.
    let test = flow.instruction(atomic_loop.test?);
    let tested = |wanted: &dyn Fn(&OperandValue) -> bool| test.values.iter().skip(1).any(wanted);
    let OperandValue::Register(old_register) = old else { return None };
    let expected = flow.provenance(compare, at);
    let is_same =
        |value: Option<Provenance>| expected.zip(value).is_some_and(|(expected, value)| expected.same(&value));
    let retries = tested(&|value| flow.is_from(value, test.at, *old_register, at))
        && tested(&|value| is_same(flow.provenance(value, test.at)));
    let has_no_other_effects = (atomic_loop.top..=atomic_loop.branch).all(|other| {
        other == at || !matches!(flow.mnemonic(other), "atom" | "st" | "red" | "call" | "bar" | "fence" | "membar")
    });
    if !retries || !has_no_other_effects {
        return None;
    }
    let (computed, before) = atomic_loop.source(flow, new, at);
    let OperandValue::Register(result) = computed else { return None };
    let op_at = flow.last_write(result, atomic_loop.top..before)?;
    let op = flow.instruction(op_at);
    let [OperandValue::Register(to), a, b] = op.values.as_slice() else { return None };
    let is_old_value = |value: &OperandValue| is_same(flow.provenance(value, op_at));
    let is_loop_invariant = |value: &OperandValue| match atomic_loop.source(flow, value, op_at).0 {
        OperandValue::Register(register) => {
            flow.last_write(register, atomic_loop.top..atomic_loop.branch + 1).is_none()
        }
        OperandValue::Number(_) => true,
        _ => false,
    };
    let is_equivalent = *to == result
        && op.guard.is_none()
        && (is_old_value(a) && is_loop_invariant(b) || is_old_value(b) && is_loop_invariant(a));
    is_equivalent.then(|| operation(op)).flatten()
}

/// The atomic operation and type that compute the same as an instruction.
fn operation(instruction: &DecodedInstruction) -> Option<(&'static str, &'static str)> {
    let words = instruction.opcode.words();
    let [rest @ .., ty] = words.as_slice() else { return None };
    if !rest.is_empty() && rest != ["rn"] {
        return None;
    }
    Some(match (instruction.opcode.mnemonic(), *ty) {
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

/// The atomic with the other modifiers of the compare-and-swap, if the module's target supports it.
fn spelling(
    flow: &FunctionValues,
    instruction: &DecodedInstruction,
    legal: &isa::ResolvedInstruction,
    op: &str,
    ty: &str,
) -> Option<String> {
    let (op_at, type_at) = (legal.at("op")?, legal.at("type")?);
    let mut words = instruction.opcode.words();
    (words[op_at], words[type_at]) = (op, ty);
    let isa::Resolution::Legal(atomic) =
        isa::resolve(&isa::Spelling { mnemonic: "atom", modifiers: &words }, &flow.module)
    else {
        return None;
    };
    // An atomic that the assembler lowers to a loop is not better.
    emulated(&atomic, &flow.module).is_none().then(|| format!("atom.{}", words.join(".")))
}

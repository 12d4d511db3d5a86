//! Checks the operands of a legal opcode against its row: count, kind, register groups, offsets and constant addresses.

use diagnostics::Diagnostic;
use diagnostics::registry::{MISALIGNED_ADDRESS, OFFSET_RANGE, OPERAND_COUNT, OPERAND_KIND, REGISTER_PAIR};
use isa::sass::{ExtendedAddress, ResolvedSass, SassDialect, SassRole};
use std::ops::Range;
use syntax::Token;
use syntax::sass::{AddressTerm, SassAddress, SassOperand, SassOperandKind, TermKind};

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AddressBase {
    Register,
    /// No register, or only `RZ`.
    Zero,
}

/// The highest general register. The next number encodes RZ.
const HIGHEST: u32 = 254;

/// Checks the operands of an instruction.
pub fn check(instruction: &syntax::sass::SassInstruction, legal: &ResolvedSass, diagnostics: &mut Vec<Diagnostic>) {
    let operands = instruction.operands();
    let roles = legal.operands();
    if operands.len() != roles.len() {
        diagnostics.push(count(instruction, legal, &operands));
        return;
    }
    for (operand, role) in operands.iter().zip(roles) {
        match role {
            SassRole::Address => match &operand.kind {
                SassOperandKind::Address(one) => address(legal, operand, one, diagnostics),
                _ => diagnostics.push(kind(operand, *role, "write the address in brackets: `[R2]`")),
            },
            SassRole::Done => match &operand.kind {
                SassOperandKind::Register(name) if is_predicate(&name.text) => {}
                _ => diagnostics.push(kind(operand, *role, "write `PT`, or `P0` to `P6`")),
            },
            SassRole::Destination if legal.op == "CAST.SPIN" && is_done(operand) => {}
            SassRole::Destination | SassRole::Value | SassRole::New => value(legal, operand, *role, diagnostics),
        }
    }
}

/// Whether the destination is only a predicate that reports success, as in `CAST.SPIN`.
fn is_done(operand: &SassOperand) -> bool {
    matches!(&operand.kind, SassOperandKind::Register(name) if is_predicate(&name.text))
}

fn count(instruction: &syntax::sass::SassInstruction, legal: &ResolvedSass, operands: &[SassOperand]) -> Diagnostic {
    let roles: Vec<&str> = legal.operands().iter().map(|role| role.name()).collect();
    let opcode = instruction.opcode();
    let range = match operands.get(legal.operands().len()) {
        Some(surplus) => surplus.token.range.start..operands.last().map_or(0, |last| last.token.range.end),
        None => opcode.range.clone(),
    };
    let (takes, has) = (roles.len(), operands.len());
    let plural = if takes == 1 { "operand" } else { "operands" };
    let message = format!("`{}.{}` requires {takes} {plural}, found {has}", legal.family.name, legal.op);
    Diagnostic::new(&OPERAND_COUNT, range, message).help(format!("write `{} {};`", opcode.text, roles.join(", ")))
}

fn kind(operand: &SassOperand, role: SassRole, help: &str) -> Diagnostic {
    let message = format!("expected {}, found `{}`", role.summary(), operand.token.text);
    Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message).help(help.to_owned())
}

fn is_predicate(name: &str) -> bool {
    let name = name.strip_prefix('U').unwrap_or(name);
    matches!(name, "PT" | "P0" | "P1" | "P2" | "P3" | "P4" | "P5" | "P6" | "P7")
}

/// The number of a general or uniform register; `Some(None)` for the zero register.
pub fn register(name: &str) -> Option<Option<u32>> {
    let name = name.strip_prefix('U').unwrap_or(name).strip_prefix('R')?;
    if name == "Z" {
        return Some(None);
    }
    let digits = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if digits { name.parse().ok().map(Some) } else { None }
}

fn value(legal: &ResolvedSass, operand: &SassOperand, role: SassRole, diagnostics: &mut Vec<Diagnostic>) {
    let SassOperandKind::Register(name) = &operand.kind else {
        diagnostics.push(kind(operand, role, "use a register such as `R5`; move a constant into a register first"));
        return;
    };
    let count = legal.size.bits().div_ceil(32);
    group(name, count, &format!("a {}-bit value", legal.size.bits()), diagnostics);
}

/// Checks the first register of a group.
fn group(name: &Token, count: u32, noun: &str, diagnostics: &mut Vec<Diagnostic>) {
    let unknown = |message: String| {
        let help = format!("valid registers are R0 to R{HIGHEST}, and RZ, which is always zero");
        Diagnostic::new(&OPERAND_KIND, name.range.clone(), message).help(help)
    };
    match register(&name.text) {
        None => diagnostics.push(unknown(format!("invalid register `{}`", name.text))),
        Some(Some(number)) if number > HIGHEST => {
            diagnostics.push(unknown(format!("unknown register `{}`", name.text)));
        }
        Some(Some(number)) if !number.is_multiple_of(count) || number + count - 1 > HIGHEST => {
            let letter = name.text.trim_end_matches(|c: char| c.is_ascii_digit());
            let first = (number - number % count).min(HIGHEST + 1 - count);
            let first = first - first % count;
            let message = if number.is_multiple_of(count) {
                format!("{noun} requires {count} registers, but `{}` is the last one", name.text)
            } else {
                format!("{noun} requires {count} registers starting at a multiple of {count}, found `{}`", name.text)
            };
            let last = first + count - 1;
            let help = format!("use `{letter}{first}`, for the registers {letter}{first} to {letter}{last}");
            diagnostics.push(Diagnostic::new(&REGISTER_PAIR, name.range.clone(), message).help(help));
        }
        Some(_) => {}
    }
}

fn address(legal: &ResolvedSass, operand: &SassOperand, address: &SassAddress, diagnostics: &mut Vec<Diagnostic>) {
    let before = diagnostics.len();
    for term in &address.descriptor {
        if let TermKind::Register(name, _) = &term.kind {
            group(name, 2, "a descriptor", diagnostics);
        }
    }
    let registers = address.terms.iter().filter_map(|term| match &term.kind {
        TermKind::Register(name, words) => Some((term, name, words)),
        TermKind::Number(_) => None,
    });
    let max_registers = if legal.family.dialect == SassDialect::Maxwell { 1 } else { 2 };
    for (at, (term, name, words)) in registers.clone().enumerate() {
        let is_unsupported =
            legal.family.dialect == SassDialect::Maxwell && (name.text.starts_with('U') || !words.is_empty());
        if at >= max_registers || (is_unsupported || term.negative && max_registers == 1) {
            let help = "write one register and an offset: `[R0 + 0x10]`".to_owned();
            let message = format!("invalid address term `{}`", term.token.text);
            diagnostics.push(Diagnostic::new(&OPERAND_KIND, term.token.range.clone(), message).help(help));
            continue;
        }
        let narrow = !legal.extended || words.iter().any(|word| word == "U32");
        group(name, if narrow { 1 } else { 2 }, "a 64-bit address", diagnostics);
    }
    let is_zero = |name: &str| register(name) == Some(None);
    let is_absolute = registers.clone().all(|(_, name, _)| is_zero(&name.text));
    let base = if is_absolute { AddressBase::Zero } else { AddressBase::Register };
    let numbers: Vec<&AddressTerm> =
        address.terms.iter().filter(|term| matches!(term.kind, TermKind::Number(_))).collect();
    if numbers.is_empty() || diagnostics.len() > before {
        return;
    }
    let range = numbers[0].token.range.start..numbers[numbers.len() - 1].token.range.end;
    let sum = numbers.iter().try_fold(0i128, |sum, term| match term.kind {
        TermKind::Number(Some(value)) => Some(if term.negative { sum - value } else { sum + value }),
        _ => None,
    });
    match sum.and_then(|sum| i64::try_from(sum).ok()) {
        None => diagnostics.push(out_of_range(legal, range, None, base)),
        Some(offset) => constant(legal, operand, range, offset, base, diagnostics),
    }
}

/// Checks whether a constant offset can be encoded, and whether a constant address is aligned.
fn constant(
    legal: &ResolvedSass,
    operand: &SassOperand,
    range: Range<usize>,
    offset: i64,
    base: AddressBase,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(address) = encode(legal, offset, base) else {
        diagnostics.push(out_of_range(legal, range, Some(offset), base));
        return;
    };
    let size = u64::from(legal.size.bits() / 8);
    if base == AddressBase::Zero && !address.is_multiple_of(size) {
        let message = format!("address {address:#x} is not a multiple of the access size, {size} bytes");
        let below = address / size * size;
        let above = below.checked_add(size).map_or(String::new(), |above| format!(" or {above:#x}"));
        let help = format!("use a multiple of {size}, such as {below:#x}{above}");
        diagnostics.push(Diagnostic::new(&MISALIGNED_ADDRESS, operand.token.range.clone(), message).help(help));
    }
}

/// The value of a constant offset as the instruction computes it; `None` if the offset cannot be encoded.
fn encode(legal: &ResolvedSass, offset: i64, base: AddressBase) -> Option<u64> {
    let narrow = !legal.extended;
    // Addresses have 32 bits and wrap: a high absolute address can be encoded as a negative offset.
    let offset = match u32::try_from(offset) {
        Ok(address) if narrow && base == AddressBase::Zero => i64::from(address as i32),
        _ => offset,
    };
    let sum = if narrow { u64::from(offset as u32) } else { offset as u64 };
    legal.family.offsets().contains(&offset).then_some(sum)
}

fn out_of_range(legal: &ResolvedSass, range: Range<usize>, offset: Option<i64>, base: AddressBase) -> Diagnostic {
    let (offsets, bits) = (legal.family.offsets(), legal.family.offset_bits);
    let noun = if base == AddressBase::Zero { "address" } else { "offset" };
    let number = offset.map_or(noun.to_owned(), |offset| format!("{noun} {offset}"));
    let message = format!("{number} is out of range of {bits} signed bits");
    let shared = legal.family.extended == ExtendedAddress::Never;
    let also = if base == AddressBase::Zero && !legal.extended && !shared {
        let top = (1u64 << 32) - (1u64 << (bits - 1));
        format!(" or {top:#x} to 0xffffffff")
    } else {
        String::new()
    };
    let help = format!(
        "use {} to {} ({:#x}){also}, or add the offset to the register first",
        offsets.start(),
        offsets.end(),
        offsets.end()
    );
    Diagnostic::new(&OFFSET_RANGE, range, message).help(help)
}

//! `asm-uninitialized-output`: operands that a statement reads, but only declares as outputs.

use diagnostics::registry::ASM_UNINITIALIZED_OUTPUT;
use diagnostics::{Diagnostic, replace};
use hosts::inline_asm::{AsmDialect, AsmFragment, AsmOperand};
use std::collections::HashMap;
use std::ops::Range;
use syntax::{Instruction, instructions, is_word_char};

/// What the first instruction that names an operand does with it.
enum FirstUse {
    /// It reads it, here.
    Read(Range<usize>),
    /// It writes it, or this is not known.
    Other,
}

/// An output that is read before it is written.
struct ReadOutput<'a> {
    operand: &'a AsmOperand,
    name: String,
    /// The place of the read in the host text.
    at: Range<usize>,
}

/// Checks the outputs of a statement.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let (statement, template) = (fragment.statement, &fragment.template);
    let is_whole = !statement.open && statement.groups.is_empty() && !template.has_placeholder;
    if !is_whole || !template.incomplete.is_empty() || !template.unknown.is_empty() {
        return;
    }
    if !fragment.operands.iter().any(|operand| is_output_only(operand)) {
        return;
    }
    let mut uses = first_uses(fragment);
    // An input with the number of an output has the same register.
    for tied in fragment.operands.iter().filter_map(|operand| operand.constraint.as_deref()) {
        uses.remove(&format!("{}{tied}", statement.dialect.sigil()));
    }
    let outputs = fragment.operands.iter().enumerate().filter(|(_, operand)| is_output_only(operand));
    let read = outputs.filter_map(|(number, operand)| {
        let name = operand.ptx_name(statement.dialect, number);
        let FirstUse::Read(range) = uses.get(&name)? else { return None };
        Some(ReadOutput { operand, at: template.region.to_host(range)?, name })
    });
    let read: Vec<ReadOutput> = read.collect();
    diagnostics.extend(read.first().map(|first| report(statement.dialect, first, &read)));
}

fn is_output_only(operand: &AsmOperand) -> bool {
    operand.constraint.as_deref().is_some_and(|constraint| constraint.starts_with('='))
}

/// The first use of each operand, of those before the first branch or call.
fn first_uses(fragment: &AsmFragment) -> HashMap<String, FirstUse> {
    let (mut uses, mut is_straight) = (HashMap::new(), true);
    let sigil = fragment.statement.dialect.sigil();
    instructions(fragment.file(), fragment.template.body.clone(), |instruction| {
        is_straight &= !matches!(&*instruction.opcode().mnemonic.text, "bra" | "brx" | "call");
        if is_straight {
            for (name, first) in uses_of(&instruction, sigil) {
                uses.entry(name).or_insert(first);
            }
        }
    });
    uses
}

/// How an instruction uses operands: what it reads, then what it writes.
fn uses_of(instruction: &Instruction, sigil: char) -> Vec<(String, FirstUse)> {
    let results = results(instruction);
    let (mut read, mut others) = (Vec::new(), Vec::new());
    let operands = instruction.operands();
    let texts: Vec<&str> = operands.iter().map(|operand| &*operand.token.text).collect();
    // The result does not depend on the value.
    let clears = matches!(&*instruction.opcode().mnemonic.text, "xor" | "sub") && texts.get(1) == texts.get(2);
    for (at, operand) in operands.iter().enumerate() {
        let (text, start) = (&*operand.token.text, operand.token.range.start);
        let is_read = (at >= results || text.starts_with('[')) && !clears;
        for (place, _) in text.match_indices(sigil) {
            let length = text[place + 1..].find(|c| !is_word_char(c)).unwrap_or(text.len() - place - 1);
            let range = place..place + 1 + length;
            let name = text[range.clone()].to_owned();
            match is_read {
                true => read.push((name, FirstUse::Read(start + range.start..start + range.end))),
                false => others.push((name, FirstUse::Other)),
            }
        }
    }
    read.append(&mut others);
    read
}

/// How many of its first operands an instruction writes, or may write. One of those may be an address.
fn results(instruction: &Instruction) -> usize {
    let opcode = instruction.opcode_token().text;
    match &*instruction.opcode().mnemonic.text {
        "spcompress" => 2,
        "tcgen05" if opcode.starts_with("tcgen05.ld.red") => 2,
        known if isa::mnemonics().any(|mnemonic| mnemonic == known) => 1,
        _ => usize::MAX,
    }
}

/// One report for all outputs of a statement.
fn report(dialect: AsmDialect, first: &ReadOutput, all: &[ReadOutput]) -> Diagnostic {
    let names: Vec<String> = all.iter().map(|read| format!("`{}`", read.name)).collect();
    let constraint = first.operand.constraint.as_deref().unwrap_or_default();
    let message = match names.as_slice() {
        [name] => format!("{name} is read, but `{constraint}` makes it an output without a value"),
        [most @ .., last] => {
            format!("{} and {last} are read, but `{constraint}` makes them outputs without values", most.join(", "))
        }
        [] => String::new(),
    };
    let found = Diagnostic::new(&ASM_UNINITIALIZED_OUTPUT, first.at.clone(), message)
        .related(first.operand.constraint_at.clone(), "declared as an output here");
    if dialect != AsmDialect::Nvcc {
        let number = first.name.trim_start_matches(['$', '%']);
        return found
            .help(format!("pass the value as an input whose constraint is `{number}`: it shares the register"));
    }
    let both = constraint.replacen('=', "+", 1);
    let edits = all.iter().filter_map(|read| {
        let text = read.operand.constraint.as_deref()?.replacen('=', "+", 1);
        Some(replace(read.operand.constraint_at.clone(), format!("\"{text}\"")))
    });
    found
        .help(format!("write `\"{both}\"`: the register then has the value of the variable"))
        .fix("Make it an input, too", edits)
}

//! `asm-uninitialized-output`: operands that a statement reads, but only declares as outputs.

use diagnostics::registry::ASM_UNINITIALIZED_OUTPUT;
use diagnostics::{Diagnostic, replace};
use hosts::inline_asm::{AsmDialect, AsmFragment, AsmOperand};
use std::ops::Range;
use syntax::{Instruction, Token, instructions};

/// The operands of an instruction.
struct OperandAccess<'a> {
    /// How many of the first ones are results, or may be.
    results: usize,
    operands: Vec<Token<'a>>,
}

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
    let accesses = accesses(fragment);
    let numbers = 0..fragment.operands.len();
    let read: Vec<ReadOutput> = numbers.filter_map(|number| read_output(fragment, &accesses, number)).collect();
    diagnostics.extend(read.first().map(|first| report(statement.dialect, first, &read)));
}

fn is_output_only(operand: &AsmOperand) -> bool {
    operand.constraint.as_deref().is_some_and(|constraint| constraint.starts_with('='))
}

/// The operands of the instructions before the first branch or call.
fn accesses<'a>(fragment: &'a AsmFragment) -> Vec<OperandAccess<'a>> {
    let (mut accesses, mut is_straight) = (Vec::new(), true);
    instructions(fragment.file(), fragment.template.body.clone(), |instruction| {
        is_straight &= !matches!(&*instruction.opcode().mnemonic.text, "bra" | "brx" | "call");
        if is_straight {
            let operands = instruction.operands().into_iter().map(|operand| operand.token).collect();
            accesses.push(OperandAccess { results: results(&instruction), operands });
        }
    });
    accesses
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

fn read_output<'a>(fragment: &'a AsmFragment, accesses: &[OperandAccess], number: usize) -> Option<ReadOutput<'a>> {
    let operand = Some(fragment.operands[number]).filter(|operand| is_output_only(operand))?;
    // An input with the number of an output has the same register.
    let is_tied = |other: &&AsmOperand| other.constraint.as_deref() == Some(&*number.to_string());
    if fragment.operands.iter().any(is_tied) {
        return None;
    }
    let name = operand.ptx_name(fragment.statement.dialect, number);
    let FirstUse::Read(range) = accesses.iter().find_map(|access| access.first_use(&name))? else { return None };
    let at = fragment.template.region.to_host(&range)?;
    Some(ReadOutput { operand, name, at })
}

impl OperandAccess<'_> {
    /// The use of an operand of the statement.
    fn first_use(&self, name: &str) -> Option<FirstUse> {
        let mut first = None;
        for (at, operand) in self.operands.iter().enumerate() {
            let Some(place) = find(&operand.text, name) else { continue };
            if at >= self.results || operand.text.starts_with('[') {
                let start = operand.range.start + place;
                return Some(FirstUse::Read(start..start + name.len()));
            }
            first = Some(FirstUse::Other);
        }
        first
    }
}

/// The offset of a name in an operand.
fn find(operand: &str, name: &str) -> Option<usize> {
    let ends = |at: &usize| !operand[at + name.len()..].starts_with(|c: char| c.is_ascii_digit());
    operand.match_indices(name).map(|(at, _)| at).find(ends)
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

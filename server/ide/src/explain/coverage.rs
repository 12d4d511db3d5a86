//! The page of what is checked and emulated, and of what is not.

use isa::coverage::{TableSize, names_without_rows, partly_checked_operands, table_size, without_operand_rules};
use isa::{sass, unchecked};
use kernel::reports::coverage::{NOT_EMULATED, NotEmulated};
use std::fmt::Write;

/// The page.
pub(super) fn page() -> String {
    let TableSize { instructions, mnemonics, forms, rows, modifiers, directives, special_registers } = table_size();
    let mut text = format!(
        "# Coverage\n\nWhat is checked of PTX {}, and what is not. `lint` counts the instructions of its files.\n\n## Checked\n\n",
        isa::target::Version::NEWEST
    );
    let _ = write!(
        text,
        "| | |\n|---|---|\n| instructions | {instructions}, of {mnemonics} mnemonics |\n| forms | {forms} |\n| rows | {rows} |\n\
         | modifiers | {modifiers} |\n| directives and types of declarations | {directives} |\n| special registers | {special_registers} |\n\
         | machine instructions (SASS) | {} |\n\n## Not checked\n\n",
        sass::mnemonics().len()
    );
    for line in not_checked() {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("\n## Not emulated\n\n`run` executes every instruction that is legal in the module but for these, which end a run:\n\n");
    for NotEmulated { what, .. } in NOT_EMULATED {
        let _ = writeln!(text, "- {what}");
    }
    text
}

/// What is not checked, a line for each kind.
fn not_checked() -> Vec<String> {
    let instructions = unchecked::instructions().iter().map(|one| {
        format!("`{}`: no rows, so neither modifiers nor operands are checked. {}", one.opcode, one.summary)
    });
    let operands = without_operand_rules().map(|family| format!("`{}`: operands", family.name));
    let partly = partly_checked_operands()
        .into_iter()
        .map(|(name, operand)| format!("`{name}`: the operand `{operand}`, beside its brackets"));
    let always = [
        "Directives: the fields of textures, samplers and surfaces, and the labels of debug sections.",
        "Instructions of an `asm` statement whose opcode contains an unknown macro: only the known words.",
        "SASS: every instruction that is not listed by `ptx-atomics explain`.",
    ];
    let mut lines: Vec<_> = instructions.collect();
    let names: Vec<_> = names_without_rows().map(|name| format!("`{name}`")).collect();
    if !names.is_empty() {
        lines.push(format!("Instructions without rows, which no manual describes: {}.", names.join(", ")));
    }
    lines.extend(operands.chain(partly).chain(always.map(str::to_owned)));
    lines
}

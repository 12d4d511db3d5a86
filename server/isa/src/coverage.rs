//! What the tables cover, and what is not checked of the instructions in them.

use crate::operand_class::{CopyClass, OperandClass};
use crate::pages::reference;
use crate::tables::form::Family;
use crate::tables::table;
use crate::{names, special};

/// The size of the tables.
#[derive(Clone, Copy, Debug)]
pub struct TableSize {
    /// Opcodes with rows.
    pub instructions: usize,
    /// Their mnemonics.
    pub mnemonics: usize,
    /// Lines of syntax.
    pub forms: usize,
    /// Combinations of modifiers with their version and target.
    pub rows: usize,
    /// Modifiers of all instructions, each once.
    pub modifiers: usize,
    /// Directives and types of declarations.
    pub directives: usize,
    /// Special registers, each numbered family once.
    pub special_registers: usize,
}

/// Counts the rows.
pub fn table_size() -> TableSize {
    TableSize {
        instructions: table::families().count(),
        mnemonics: table::mnemonics().count(),
        forms: table::families().map(|family| family.forms.len()).sum(),
        rows: table::families().map(|family| family.rows.len()).sum(),
        modifiers: reference::modifiers().len(),
        directives: crate::directives::directives().len(),
        special_registers: special::registers().len(),
    }
}

/// The instructions that the assembler knows by name, and that have no rows: nothing is reported about them.
pub fn names_without_rows() -> impl Iterator<Item = &'static str> {
    let begins = |opcode: &str, name: &str| {
        opcode.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    };
    names::instructions().filter(move |name| !table::opcodes().any(|opcode| begins(opcode, name)))
}

/// The instructions whose operands have no rules.
pub fn without_operand_rules() -> impl Iterator<Item = &'static Family> {
    table::families().filter(|family| !family.has_operand_rules())
}

/// The operands of which only the brackets are checked, each with its instruction.
pub fn partly_checked_operands() -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    for family in table::families() {
        let lists = family.forms.iter().flat_map(|form| &form.operand_lists);
        for operand in lists.flat_map(|list| &list.operands) {
            let one = (family.name, operand.name);
            if operand.class == OperandClass::Copy(CopyClass::Bracketed) && !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

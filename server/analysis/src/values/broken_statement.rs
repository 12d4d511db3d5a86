//! The possible effects of statements with a syntax error.

use isa::{Spelling, names};
use syntax::{BrokenStatement, is_name_char};

/// The possible effects of a broken statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::values) enum BrokenEffect {
    /// It is an instruction that writes only registers that it names.
    Named,
    /// It is an instruction that may write any register: its destination is missing or invalid.
    AnyRegister,
    /// It may also be a branch, a label or a declaration.
    Anything,
}

/// Mnemonics that affect control flow.
const CONTROL: [&str; 9] = ["bra", "brkpt", "brx", "call", "exit", "ret", "trap", "setmaxnreg", "griddepcontrol"];

/// The first words of declarations.
const DECLARATORS: [&str; 6] = [".const", ".global", ".local", ".param", ".reg", ".shared"];

impl BrokenEffect {
    /// The possible effects of a statement. `is_register` recognizes the names of registers.
    pub(in crate::values) fn of(statement: &BrokenStatement, is_register: impl FnMut(&str) -> bool) -> Self {
        match operands(&statement.text) {
            None => BrokenEffect::Anything,
            Some(operands) if has_destination(operands, is_register) => BrokenEffect::Named,
            Some(_) => BrokenEffect::AnyRegister,
        }
    }
}

/// Whether a statement may declare the names in it.
pub(in crate::values) fn may_declare(statement: &BrokenStatement) -> bool {
    operands(&statement.text).is_none()
}

/// The operands of a statement that is certainly a single instruction and not a branch.
fn operands(text: &str) -> Option<&str> {
    let text = after_guard(after_labels(text));
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.:".contains(c))).unwrap_or(text.len());
    let (opcode, operands) = text.split_at(end);
    let mut words = opcode.split('.').map(str::trim);
    let mnemonic = words.next()?;
    let words: Vec<&str> = words.collect();
    let known = names::name(&Spelling { mnemonic, modifiers: &words }).is_some();
    let plain = |word: &str| !CONTROL.contains(&word) && !DECLARATORS.contains(&word);
    let only = plain(mnemonic) && !operands.contains([':', '"']) && operands.split(is_separator).all(plain);
    (known && !words.is_empty() && only).then_some(operands)
}

/// Whether the first operand consists of registers and is complete.
fn has_destination(operands: &str, mut is_register: impl FnMut(&str) -> bool) -> bool {
    let operands = operands.trim_start();
    let (destination, rest) = match operands.strip_prefix('{') {
        Some(list) => list.split_once('}').unwrap_or((list, "")),
        None => operands.find(',').map_or((operands, ""), |end| operands.split_at(end)),
    };
    rest.trim_start().starts_with(',') && destination.split([',', '|']).all(|name| is_register(name.trim()))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || ",;[](){}".contains(c)
}

/// A statement without its labels and source positions.
fn after_labels(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let end = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
        let rest = text[end..].trim_start();
        text = match (rest.strip_prefix(':'), text.strip_prefix(".loc")) {
            (Some(rest), _) if end > 0 && !rest.starts_with(':') => rest.trim_start(),
            (_, Some(position)) if position.starts_with(char::is_whitespace) => {
                position.split_once('\n').map_or("", |(_, rest)| rest.trim_start())
            }
            _ => return text,
        };
    }
}

fn after_guard(text: &str) -> &str {
    let Some(guard) = text.strip_prefix('@') else { return text };
    let predicate = guard.trim_start_matches(|c: char| c == '!' || c.is_whitespace());
    predicate.trim_start_matches(is_name_char).trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> BrokenEffect {
        let statement = BrokenStatement { range: 0..text.len(), text: text.to_owned() };
        BrokenEffect::of(&statement, |name| ["r1", "r2", "%p"].contains(&name))
    }

    #[test]
    fn an_instruction_with_a_destination_writes_only_registers_that_it_names() {
        for text in [
            "add.u32 r1, r2 5",
            "\n  L: @!%p ld.global.u32 r1, [r2",
            ".loc 1 2 3\n\tatom.global.add.u32 r1, [r2], ",
            "setp.eq.u32 %p|r2, r1 r1",
            "ld.global.v2.u32 {r1, r2}, r1]",
        ] {
            assert_eq!(of(text), BrokenEffect::Named, "{text}");
        }
    }

    #[test]
    fn an_instruction_without_a_destination_may_write_any_register() {
        for text in
            ["add.u32 ", "add.u32 r1", "mov.u32 , r2", "mov.u32 r1 r2, r2", "ld.v2.u32 {r1, }, [r2", "st.u32 [r1, r2"]
        {
            assert_eq!(of(text), BrokenEffect::AnyRegister, "{text}");
        }
    }

    #[test]
    fn a_statement_that_may_not_be_an_instruction_may_do_anything() {
        for text in [
            "",
            "@%p ",
            "foo add.u32 r1, r2, r1",
            "add",
            "add.u32 r1, r2, r1 bra L",
            "add.u32 r1, r2\n.reg .u32 r3",
            "bra.uni",
            "L : : add.u32 r1, r2",
            "add.u32 r1, L: r2",
            ".b32 r1",
            "ad.u32 r1, r2",
            "mov.u32 r1, \" r2",
        ] {
            assert_eq!(of(text), BrokenEffect::Anything, "{text}");
        }
    }
}

//! Statements with a syntax error: what they may do, as far as their words tell.

use isa::{Spelling, names};
use syntax::{BrokenStatement, is_name_char};

/// What a broken statement may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// It is an instruction, and writes no register that it does not name.
    Named,
    /// It is an instruction, and may write any register: its destination is missing or cannot be read.
    AnyRegister,
    /// It may also branch, be a label, or declare names.
    Anything,
}

/// Mnemonics that decide where control goes.
const CONTROL: [&str; 9] = ["bra", "brkpt", "brx", "call", "exit", "ret", "trap", "setmaxnreg", "griddepcontrol"];

/// Words that begin a declaration.
const DECLARATORS: [&str; 6] = [".const", ".global", ".local", ".param", ".reg", ".shared"];

impl Broken {
    /// What a statement may do; `is_register` knows the registers.
    pub(super) fn of(statement: &BrokenStatement, is_register: impl Fn(&str) -> bool) -> Self {
        match operands(&statement.text) {
            None => Broken::Anything,
            Some(operands) if has_destination(operands, is_register) => Broken::Named,
            Some(_) => Broken::AnyRegister,
        }
    }
}

/// Whether a statement may be anything, so that its words may be names that it declares.
pub(super) fn may_declare(statement: &BrokenStatement) -> bool {
    operands(&statement.text).is_none()
}

/// The text behind the opcode of a statement that is surely one instruction and no branch.
fn operands(text: &str) -> Option<&str> {
    let text = behind_guard(behind_labels(text));
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.:".contains(c))).unwrap_or(text.len());
    let (opcode, operands) = text.split_at(end);
    let mut words = opcode.split('.').map(str::trim);
    let mnemonic = words.next()?;
    let words: Vec<&str> = words.collect();
    let known = names::name(&Spelling { mnemonic, modifiers: &words }).is_some();
    let plain = |word: &str| !CONTROL.contains(&word) && !DECLARATORS.contains(&word);
    let only = plain(mnemonic) && !operands.contains([':', '"']) && operands.split(is_gap).all(plain);
    (known && !words.is_empty() && only).then_some(operands)
}

/// Whether the first operand is made of registers, and ends where it seems to.
fn has_destination(operands: &str, is_register: impl Fn(&str) -> bool) -> bool {
    let operands = operands.trim_start();
    let (destination, rest) = match operands.strip_prefix('{') {
        Some(list) => list.split_once('}').unwrap_or((list, "")),
        None => operands.find(',').map_or((operands, ""), |end| operands.split_at(end)),
    };
    rest.trim_start().starts_with(',') && destination.split([',', '|']).all(|name| is_register(name.trim()))
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || ",;[](){}".contains(c)
}

/// A statement without the labels and the source positions before it.
fn behind_labels(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let end = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
        let behind = text[end..].trim_start();
        text = match (behind.strip_prefix(':'), text.strip_prefix(".loc")) {
            (Some(behind), _) if end > 0 && !behind.starts_with(':') => behind.trim_start(),
            (_, Some(position)) if position.starts_with(char::is_whitespace) => {
                position.split_once('\n').map_or("", |(_, behind)| behind.trim_start())
            }
            _ => return text,
        };
    }
}

fn behind_guard(text: &str) -> &str {
    let Some(guard) = text.strip_prefix('@') else { return text };
    let predicate = guard.trim_start_matches(|c: char| c == '!' || c.is_whitespace());
    predicate.trim_start_matches(is_name_char).trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Broken {
        let statement = BrokenStatement { range: 0..text.len(), text: text.to_owned() };
        Broken::of(&statement, |name| ["r1", "r2", "%p"].contains(&name))
    }

    #[test]
    fn an_instruction_with_its_destination_writes_what_it_names() {
        for text in [
            "add.u32 r1, r2 5",
            "\n  L: @!%p ld.global.u32 r1, [r2",
            ".loc 1 2 3\n\tatom.global.add.u32 r1, [r2], ",
            "setp.eq.u32 %p|r2, r1 r1",
            "ld.global.v2.u32 {r1, r2}, r1]",
        ] {
            assert_eq!(of(text), Broken::Named, "{text}");
        }
    }

    #[test]
    fn without_its_destination_an_instruction_may_write_any_register() {
        for text in
            ["add.u32 ", "add.u32 r1", "mov.u32 , r2", "mov.u32 r1 r2, r2", "ld.v2.u32 {r1, }, [r2", "st.u32 [r1, r2"]
        {
            assert_eq!(of(text), Broken::AnyRegister, "{text}");
        }
    }

    #[test]
    fn what_is_not_surely_one_instruction_may_be_anything() {
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
            assert_eq!(of(text), Broken::Anything, "{text}");
        }
    }
}

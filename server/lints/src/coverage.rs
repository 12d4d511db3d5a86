//! How much of a text was checked: an instruction without diagnostics may be unchecked.

use hosts::inline_asm::UnreadStatements;
use std::ops::AddAssign;

/// The number of statements and instructions of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of `asm` statements with PTX.
    pub statements: usize,
    /// The number of those whose instructions were all checked.
    pub checked_statements: usize,
    /// The number of instructions that the tables have rows for, with an opcode that is known in whole.
    pub checked: usize,
    /// The number of other instructions.
    pub unchecked: usize,
    /// The number of `asm` statements whose text is not read.
    pub unread: UnreadStatements,
}

impl Coverage {
    /// Counts an instruction.
    pub(crate) fn instruction(&mut self, has_rows: bool) {
        let count = if has_rows { &mut self.checked } else { &mut self.unchecked };
        *count += 1;
    }
}

impl AddAssign for Coverage {
    fn add_assign(&mut self, other: Self) {
        self.statements += other.statements;
        self.checked_statements += other.checked_statements;
        self.checked += other.checked;
        self.unchecked += other.unchecked;
        self.unread += other.unread;
    }
}

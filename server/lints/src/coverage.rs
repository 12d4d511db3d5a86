//! How much of a text was checked, for summaries: silence about an instruction is no verdict on it.

use std::ops::AddAssign;

/// What a check from scratch looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// How many `asm` statements with PTX there were.
    pub statements: usize,
    /// How many instructions the tables have rows for.
    pub checked: usize,
    /// How many instructions they have none for.
    pub unchecked: usize,
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
        self.checked += other.checked;
        self.unchecked += other.unchecked;
    }
}

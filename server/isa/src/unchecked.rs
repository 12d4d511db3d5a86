//! The instructions of PTX 9.5 without rows, for hover and completion. Their modifiers are not checked.
//!
//! `tables/unchecked.rows` has a line for each.

use crate::since::Since;
use crate::tables::rows::{Line, RowError, expect_read, rows_file};
use std::sync::LazyLock;

/// An instruction without rows.
#[derive(Clone, Copy, Debug)]
pub struct UncheckedInstruction {
    /// Its opcode: the mnemonic, with the words that distinguish instructions of the same mnemonic.
    pub opcode: &'static str,
    /// The smallest requirement of its forms.
    pub since: Since,
    /// What it does, in one sentence.
    pub summary: &'static str,
}

static INSTRUCTIONS: LazyLock<Vec<UncheckedInstruction>> =
    LazyLock::new(|| expect_read(rows_file!("unchecked.rows").lines().map(read).collect()));

fn read(line: Line) -> Result<UncheckedInstruction, RowError> {
    let (head, summary) = line.text.split_once(" | ").ok_or_else(|| line.error("missing ` | ` before the summary"))?;
    let (opcode, since) = Since::read_named(head).map_err(|message| line.error(message))?;
    Ok(UncheckedInstruction { opcode, since, summary })
}

/// All of them, in alphabetical order.
pub fn instructions() -> &'static [UncheckedInstruction] {
    &INSTRUCTIONS
}

/// The instruction of a written opcode, such as `cp.async.ca.shared.global`.
pub fn find(opcode: &str) -> Option<&'static UncheckedInstruction> {
    // A word may continue after two colons, as in `tcgen05.wait::ld`.
    let fits = |other: &&UncheckedInstruction| {
        opcode.strip_prefix(other.opcode).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    };
    instructions().iter().filter(fits).max_by_key(|other| other.opcode.len())
}

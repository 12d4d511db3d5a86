//! The instructions of PTX 9.5 that have no rows: a line each, for hover and completion. Nothing is said of their modifiers.
//!
//! They stand in `tables/unchecked.rows`.

use crate::rows::{Line, RowError, expect_read, rows_file};
use crate::since::Since;
use std::sync::LazyLock;

/// An instruction without rows.
#[derive(Clone, Copy, Debug)]
pub struct UncheckedInstruction {
    /// Its opcode: the mnemonic, and where several share one, what tells them apart.
    pub opcode: &'static str,
    /// The least demanding of its forms asks for this.
    pub since: Since,
    /// What it does, in one sentence.
    pub summary: &'static str,
}

static INSTRUCTIONS: LazyLock<Vec<UncheckedInstruction>> =
    LazyLock::new(|| expect_read(rows_file!("unchecked.rows").lines().map(read).collect()));

fn read(line: Line) -> Result<UncheckedInstruction, RowError> {
    let (head, summary) = line.text.split_once(" | ").ok_or_else(|| line.error("no ` | ` before what it does"))?;
    let (opcode, since) = head.split_once(" PTX ").ok_or_else(|| line.error("no ` PTX ` and version"))?;
    Ok(UncheckedInstruction {
        opcode: opcode.trim(),
        since: Since::read(since).map_err(|message| line.error(message))?,
        summary,
    })
}

/// All of them, in alphabetical order.
pub fn instructions() -> &'static [UncheckedInstruction] {
    &INSTRUCTIONS
}

/// The one that an opcode as it is written, such as `cp.async.ca.shared.global`, is an instance of.
pub fn find(opcode: &str) -> Option<&'static UncheckedInstruction> {
    // A part may go on behind two colons, as in `tcgen05.wait::ld`.
    let fits = |other: &&UncheckedInstruction| {
        opcode.strip_prefix(other.opcode).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    };
    instructions().iter().filter(fits).max_by_key(|other| other.opcode.len())
}

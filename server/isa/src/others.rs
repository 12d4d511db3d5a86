//! The instructions of PTX 9.5 that have no rows: a line each, for hover and completion. Nothing is said of their modifiers.
//!
//! They stand in `tables/others.rows`. Must not know anything else of them.

use crate::rows::{Line, RowError, expect_read, rows_file};
use crate::since::Since;
use std::sync::LazyLock;

/// An instruction without rows.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// Its opcode: the mnemonic, and where several share one, what tells them apart.
    pub opcode: &'static str,
    /// The least demanding of its forms asks for this.
    pub since: Since,
    /// What it does, in one sentence.
    pub about: &'static str,
}

static OTHERS: LazyLock<Vec<Other>> =
    LazyLock::new(|| expect_read(rows_file!("others.rows").lines().map(read).collect()));

fn read(line: Line) -> Result<Other, RowError> {
    let (head, about) = line.text.split_once(" | ").ok_or_else(|| line.error("no ` | ` before what it does"))?;
    let (opcode, since) = head.split_once(" PTX ").ok_or_else(|| line.error("no ` PTX ` and version"))?;
    Ok(Other { opcode: opcode.trim(), since: Since::read(since).map_err(|message| line.error(message))?, about })
}

/// All of them, in alphabetical order.
pub fn others() -> &'static [Other] {
    &OTHERS
}

/// The one that an opcode as it is written, such as `cp.async.ca.shared.global`, is an instance of.
pub fn other(opcode: &str) -> Option<&'static Other> {
    // A part may go on behind two colons, as in `tcgen05.wait::ld`.
    let fits = |other: &&Other| {
        opcode.strip_prefix(other.opcode).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    };
    others().iter().filter(fits).max_by_key(|other| other.opcode.len())
}

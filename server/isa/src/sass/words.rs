//! The words of opcodes of all mnemonics.

use crate::sass::families;

/// Cache hints as disassemblers print them between operation and size.
pub(super) const CACHE: &[&str] = &["EF", "EL", "LU", "EU", "NA"];
/// How strong an access is.
pub(super) const STRENGTH: &[&str] = &["STRONG", "WEAK"];
/// Who may observe it.
pub(super) const SCOPE: &[&str] = &["CTA", "SM", "VC", "GPU", "SYS"];

/// Every operation that some row has.
pub(super) fn all_ops() -> impl Iterator<Item = &'static str> + Clone {
    families().iter().flat_map(|family| family.rows.iter().flat_map(|row| row.ops.iter().copied()))
}

//! The memory that an access has missed, for messages.

use std::fmt;
use std::sync::Arc;

/// Memory that an address is near to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestMemory {
    /// Its name.
    pub name: Arc<str>,
    /// The offset of the address from its beginning, in bytes.
    pub offset: i64,
    /// Its length in bytes.
    pub length: u64,
    /// Why it may be too short.
    pub reason: Option<&'static str>,
}

impl fmt::Display for NearestMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, offset, length, reason } = self;
        match *offset {
            offset if offset < 0 => write!(f, "{} bytes before `{name}`", offset.unsigned_abs()),
            offset if offset as u64 == *length => write!(f, "directly after the end of `{name}` ({length} bytes)"),
            offset if offset as u64 > *length => {
                write!(f, "{} bytes after the end of `{name}` ({length} bytes)", offset as u64 - length)
            }
            offset => write!(f, "at byte {offset} of `{name}` ({length} bytes)"),
        }?;
        reason.iter().try_for_each(|reason| write!(f, "; {reason}"))
    }
}

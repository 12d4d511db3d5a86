//! Standard output. Whoever stops reading, as `head` does, is no failure of ours.

use std::io::{self, Write};

/// Writes there; the error is a sentence for people.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), String> {
    match io::stdout().lock().write_all(text.as_ref()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write: {}", project::read::reason(&error)))
        }
        _ => Ok(()),
    }
}

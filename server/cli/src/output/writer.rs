//! A writer that escapes lines.

use super::escape::{EscapeStyle, lines};
use std::io::{self, Write};

/// Escapes output line by line.
pub struct EscapingWriter<W> {
    escape_style: EscapeStyle,
    inner: W,
    /// The incomplete last line.
    begun: Vec<u8>,
}

impl<W: Write> EscapingWriter<W> {
    /// A writer with an escape style.
    pub fn new(escape_style: EscapeStyle, inner: W) -> Self {
        EscapingWriter { escape_style, inner, begun: Vec::new() }
    }

    /// Writes whole lines with another escape style.
    pub fn write_as(&mut self, escape_style: EscapeStyle, text: &str) -> io::Result<()> {
        self.pass()?;
        self.inner.write_all(lines(text, escape_style).as_bytes())
    }

    /// Flushes and returns the inner writer.
    pub fn into_inner(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.inner)
    }

    fn pass(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.begun);
        self.inner.write_all(lines(&String::from_utf8_lossy(&text), self.escape_style).as_bytes())
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only whole lines are written, so that no character or sequence is cut.
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (whole, begun) = bytes.split_at(end);
        if end > 0 {
            self.begun.extend_from_slice(whole);
            self.pass()?;
        }
        self.begun.extend_from_slice(begun);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_line_are_escaped_as_one() {
        let mut writer = EscapingWriter::new(EscapeStyle::Text, Vec::new());
        for piece in ["a\u{1b}", "[1m\n ", ":", ":error::\n\u{9b}", "é"].map(str::as_bytes).concat().chunks(1) {
            writer.write_all(piece).expect("a vector takes all");
        }
        writer.write_as(EscapeStyle::Json, "\u{7f}\n").expect("a vector takes all");
        let text = String::from_utf8(writer.into_inner().expect("a vector takes all")).expect("UTF-8");
        assert_eq!(text, "a\\u{1b}[1m\n \\u{3a}:error::\n\\u{9b}é\\u007f\n");
    }
}

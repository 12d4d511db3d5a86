//! The data of debug sections in canonical form: numbers, and addresses of labels.
//!
//! They are most of a module with debug information, one number per line.

use crate::lexer::{Bytes, byte_lines};

impl Bytes<'_> {
    /// The end of the lines at an offset that have one byte each, if there are some.
    pub(super) fn byte_lines(&self, at: usize) -> Option<usize> {
        let length = byte_lines(self.slice(at..self.len()));
        (length > 0).then_some(at + length)
    }

    /// The end of one item of data. If it continues in a form that is not recognized, the next item fails: none begins with a comma or a sign.
    pub(super) fn data(&self, at: usize) -> Option<usize> {
        if self.at(at + 1) != b'b' {
            return None;
        }
        let width = match (self.at(at + 2), self.at(at + 3)) {
            (b'8', _) => at + 3,
            (b'1', b'6') | (b'3', b'2') | (b'6', b'4') => at + 4,
            _ => return None,
        };
        let at = self.gap(width)?;
        match self.at(at) {
            b'0'..=b'9' => self.integers(at),
            b'.' => {
                // Section names that are not directives, too.
                let name = self.word(self.after(at, b".debug_")?);
                self.offset(name)
            }
            _ => self.offset(self.name(at)?),
        }
    }

    /// The end of integers with commas.
    fn integers(&self, mut at: usize) -> Option<usize> {
        loop {
            at = self.integer(at)?;
            if self.at(at) != b',' {
                return Some(at);
            }
            at = self.blanks(at + 1);
        }
    }

    /// The end of an optional `+N` or `-name` after a name.
    fn offset(&self, at: usize) -> Option<usize> {
        match self.at(at) {
            b'+' => self.integer(at + 1),
            b'-' => self.name(at + 1).filter(|end| self.at(*end) != b'.'),
            b'.' => None,
            _ => Some(at),
        }
    }
}

//! The data of debug sections in plain spelling: numbers, and addresses of labels.

use super::bytes::{Bytes, WORD, is};

impl Bytes<'_> {
    /// The end of one item of data. What follows it must be the beginning of something.
    pub(super) fn data(&self, at: usize) -> Option<usize> {
        let width = self.after(at, b".b")?;
        let end = self.word(width);
        if !matches!(self.slice(width..end), b"8" | b"16" | b"32" | b"64") {
            return None;
        }
        let at = self.gap(end)?;
        match self.at(at) {
            b'0'..=b'9' => self.list(at),
            b'.' => {
                // Of the names of sections only those that are no words of directives.
                let name = self.word(self.after(at, b".debug_")?);
                self.offset(name)
            }
            _ => self.offset(self.name(at)?),
        }
    }

    /// The end of integers with commas.
    fn list(&self, mut at: usize) -> Option<usize> {
        loop {
            at = self.integer(at)?;
            let next = self.blanks(at);
            match self.at(next) {
                b',' => at = self.blanks(next + 1),
                _ => return self.ended(at),
            }
        }
    }

    /// The end of `+N` or `-name` behind a name, or of nothing.
    fn offset(&self, at: usize) -> Option<usize> {
        self.ended(match self.at(at) {
            b'+' => self.integer(at + 1)?,
            b'-' => self.name(at + 1)?,
            _ => at,
        })
    }

    /// The same place, if what follows cannot belong to what stands before it.
    fn ended(&self, at: usize) -> Option<usize> {
        let next = self.at(self.skipped(at));
        let begins = matches!(next, b'.' | b'}' | b'$' | b'_' | b'%') || next.is_ascii_alphabetic();
        (begins && !is(self.at(at), WORD)).then_some(at)
    }
}

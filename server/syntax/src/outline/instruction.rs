//! Instructions, labels and line information in plain spelling.

use super::Plain;
use super::bytes::{Bytes, LETTER, WORD, is};
use std::ops::Range;

impl Bytes<'_> {
    /// The end of a label's name.
    pub(super) fn label(&self, at: usize) -> Option<usize> {
        self.name(at).filter(|end| self.at(*end) == b':' && self.at(end + 1) != b':')
    }

    /// An instruction with its guard and `;`.
    pub(super) fn instruction(&self, start: usize) -> Option<Plain> {
        let mut opcode = start;
        if self.at(opcode) == b'@' {
            opcode += 1 + usize::from(self.at(opcode + 1) == b'!');
            opcode = self.gap(self.name(opcode)?)?;
        }
        let (opcode_end, end) = match self.at(opcode) == b'c' && self.call_word(opcode).is_some() {
            true => self.call(opcode)?,
            false => {
                let opcode_end = self.opcode(opcode)?;
                (opcode_end, self.operands(opcode_end)?)
            }
        };
        let number = |at: usize| at as u32;
        Some(Plain { start: number(start), opcode: number(opcode), opcode_end: number(opcode_end), end: number(end) })
    }

    /// The end of operands and the `;` behind them.
    fn operands(&self, at: usize) -> Option<usize> {
        let mut next = self.blanks(at);
        if self.at(next) == b';' {
            return Some(next + 1);
        }
        if next == at {
            return None;
        }
        let mut first = true;
        loop {
            next = self.blanks(self.operand(next, first)?);
            first = false;
            match self.at(next) {
                b',' => next = self.blanks(next + 1),
                b';' => return Some(next + 1),
                _ => return None,
            }
        }
    }

    /// The end of the word of a call.
    fn call_word(&self, at: usize) -> Option<usize> {
        self.after(at, b"call").filter(|end| !is(self.at(*end), WORD))
    }

    /// The end of a call's opcode and that of all of it: results, function, arguments, and a prototype.
    fn call(&self, at: usize) -> Option<(usize, usize)> {
        let word = self.call_word(at)?;
        let opcode_end = self.after(word, b".uni").unwrap_or(word);
        let mut at = self.gap(opcode_end)?;
        if self.at(at) == b'(' {
            at = self.blanks(self.arguments(at)?);
            at = self.blanks(self.after(at, b",")?);
        }
        at = self.blanks(self.name(at)?);
        if self.at(at) == b',' {
            at = self.blanks(self.arguments(self.blanks(at + 1))?);
            if self.at(at) == b',' {
                at = self.blanks(self.name(self.blanks(at + 1))?);
            }
        }
        (self.at(at) == b';').then_some((opcode_end, at + 1))
    }

    /// The end of names in parentheses.
    fn arguments(&self, at: usize) -> Option<usize> {
        let mut at = self.blanks(self.after(at, b"(")?);
        if self.at(at) == b')' {
            return Some(at + 1);
        }
        loop {
            at = self.blanks(self.name(at)?);
            match self.at(at) {
                b',' => at = self.blanks(at + 1),
                b')' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// The end of a mnemonic and its modifiers.
    fn opcode(&self, at: usize) -> Option<usize> {
        if !self.at(at).is_ascii_lowercase() {
            return None;
        }
        let mut end = self.word(at);
        // Calls have a grammar of their own; the others are no names of instructions.
        if matches!(self.slice(at..end), b"call" | b"inlined_at" | b"function_name") {
            return None;
        }
        while self.at(end) == b'.' {
            let word = end + 1;
            if !is(self.at(word), LETTER) {
                return None;
            }
            end = self.word(word);
            if is_directive(self.slice(word..end)) && self.at(end) != b':' {
                return None;
            }
            while self.at(end) == b':' {
                let part = end + 2;
                end = self.word(part);
                if self.at(part - 1) != b':' || end == part {
                    return None;
                }
            }
        }
        Some(end)
    }

    /// The end of an operand in one of its plainest shapes: a name, an element, a number, an address, a vector, a pair of
    /// predicates, `!p`, `_`.
    fn operand(&self, at: usize, first: bool) -> Option<usize> {
        match self.at(at) {
            b'0'..=b'9' => self.number(at),
            b'-' => self.integer(at + 1),
            b'!' => self.name(at + 1),
            b'[' => {
                let mut end = self.name(self.while_blank(at + 1))?;
                if self.at(end) == b'+' {
                    end += 1 + usize::from(self.at(end + 1) == b'-');
                    end = self.integer(end)?;
                }
                (self.at(end) == b']').then_some(end + 1)
            }
            b'{' => {
                let mut end = self.blanks(at + 1);
                loop {
                    end = self.blanks(if self.is_sink(end) { end + 1 } else { self.name(end)? });
                    match self.at(end) {
                        b',' => end = self.blanks(end + 1),
                        b'}' => return Some(end + 1),
                        _ => return None,
                    }
                }
            }
            b'_' if self.is_sink(at) => first.then_some(at + 1),
            _ => {
                let end = self.name(at)?;
                match self.at(end) {
                    b'|' if first => self.name(end + 1),
                    b'.' => self.selector(end),
                    _ => Some(end),
                }
            }
        }
    }

    /// The end of `.x` and the like behind a vector's name, as in `%tid.x`.
    fn selector(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        matches!(self.slice(at..end), b".x" | b".y" | b".z" | b".w").then_some(end)
    }

    fn is_sink(&self, at: usize) -> bool {
        self.at(at) == b'_' && !is(self.at(at + 1), WORD)
    }

    /// The end of `.loc` in the spelling of compilers, with its line break.
    pub(super) fn location(&self, at: usize) -> Option<usize> {
        let mut end = self.numbers(self.after(at, b".loc")?)?;
        if let Some(name) = self.after(end, b", function_name ") {
            end = self.name(name)?;
            if self.at(end) == b'+' {
                end = self.integer(end + 1)?;
            }
            end = self.numbers(self.after(end, b", inlined_at")?)?;
        }
        end += usize::from(self.at(end) == b'\r');
        (self.at(end) == b'\n').then_some(end + 1)
    }

    /// The end of three numbers, one blank before each.
    fn numbers(&self, at: usize) -> Option<usize> {
        (0..3).try_fold(at, |at, _| self.integer(at + 1).filter(|_| matches!(self.at(at), b' ' | b'\t')))
    }

    fn while_blank(&self, mut at: usize) -> usize {
        while matches!(self.at(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// The end of what ends with a `;` outside all brackets; `None` where a bracket has no partner, or there is a comment or a string with
    /// more in it than words.
    pub(super) fn semicolon(&self, mut at: usize) -> Option<usize> {
        let mut open = 0usize;
        loop {
            match self.at(at) {
                b';' if open == 0 => return Some(at + 1),
                b'{' | b'(' | b'[' => open += 1,
                b'}' | b')' | b']' => open = open.checked_sub(1)?,
                b'"' => at = self.string(at)? - 1,
                0 | b'/' | b';' | b'#' | b'@' => return None,
                _ => {}
            }
            at += 1;
        }
    }
}

/// Words that are free to be no modifiers, as the grammar has them.
fn is_directive(word: &[u8]) -> bool {
    matches!(
        word,
        b"abi_preserve"
            | b"abi_preserve_control"
            | b"address_size"
            | b"align"
            | b"attribute"
            | b"blocksareclusters"
            | b"branchtargets"
            | b"byte"
            | b"callprototype"
            | b"calltargets"
            | b"common"
            | b"entry"
            | b"explicitcluster"
            | b"extern"
            | b"file"
            | b"func"
            | b"language"
            | b"loc"
            | b"local_maxnreg"
            | b"managed"
            | b"maxclusterrank"
            | b"maxnctapersm"
            | b"maxnreg"
            | b"maxntid"
            | b"minnctapersm"
            | b"noreturn"
            | b"pragma"
            | b"ptr"
            | b"reg"
            | b"reqnctapercluster"
            | b"reqntid"
            | b"section"
            | b"target"
            | b"unified"
            | b"visible"
    )
}

/// The operands of an instruction in plain spelling, in written order: what lies between commas outside brackets, the lists of a call apart.
pub(crate) fn operands(text: &str) -> Vec<Range<usize>> {
    let text = text.strip_suffix(';').unwrap_or(text);
    let (mut found, mut open, mut start) = (Vec::with_capacity(4), 0usize, 0);
    let mut take = |start: usize, end: usize| {
        let piece = &text[start..end];
        let lead = piece.len() - piece.trim_ascii_start().len();
        let trimmed = start + lead..start + lead + piece.trim_ascii().len();
        found.extend((!trimmed.is_empty() && !text[trimmed.clone()].starts_with('(')).then_some(trimmed));
    };
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => open += 1,
            b'}' | b']' | b')' => open -= 1,
            b',' if open == 0 => {
                take(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    take(start, text.len());
    found
}

//! Instructions, labels and line information in canonical form.

use crate::fast_scanner::ScannedInstruction;
use crate::lexer::{Bytes, DIGIT, LETTER, WORD, is};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandPosition {
    /// May be a pair `a|b` of results, or `_`.
    First,
    Later,
}

impl Bytes<'_> {
    /// The ends of a label's name and of the label.
    pub(super) fn label(&self, at: usize) -> Option<(usize, usize)> {
        let name = self.name(at)?;
        let colon = self.skipped(name);
        // A label contains no line marker.
        let plain = colon == name || memchr::memchr(b'#', self.slice(name..colon)).is_none();
        (plain && self.at(colon) == b':' && self.at(colon + 1) != b':').then_some((name, colon + 1))
    }

    /// Where a list of targets or a prototype begins after a label; it is left to the parser together with the label.
    pub(super) fn labelled(&self, at: usize) -> Option<usize> {
        let word = self.skipped(at);
        let end = self.word(word + 1);
        matches!(self.slice(word..end), b".branchtargets" | b".calltargets" | b".callprototype").then_some(end)
    }

    /// An instruction with its guard and `;`.
    pub(super) fn instruction(&self, start: usize) -> Option<ScannedInstruction> {
        let opcode = if self.at(start) == b'@' { self.guard(start + 1)? } else { start };
        let (opcode_end, end) = if self.at(opcode) == b'c' && self.call_word(opcode).is_some() {
            self.call(opcode)?
        } else {
            let opcode_end = self.opcode(opcode)?;
            (opcode_end, self.operands(opcode_end)?)
        };
        let number = |at: usize| at as u32;
        Some(ScannedInstruction {
            start: number(start),
            opcode: number(opcode),
            opcode_end: number(opcode_end),
            end: number(end),
        })
    }

    /// The end of a guard, given the position after its `@`, and of white space.
    fn guard(&self, at: usize) -> Option<usize> {
        // `@@DWARF` is a directive.
        if self.after(at, b"progbits").is_some() {
            return None;
        }
        let mut at = self.skipped(at);
        if self.at(at) == b'!' {
            at = self.skipped(at + 1);
        }
        self.gap(self.name(at)?)
    }

    /// The end of operands and the `;`.
    fn operands(&self, at: usize) -> Option<usize> {
        let mut next = self.skipped(at);
        if self.at(next) == b';' {
            return Some(next + 1);
        }
        if next == at {
            return None;
        }
        let mut position = OperandPosition::First;
        loop {
            next = self.skipped(self.operand(next, position)?);
            position = OperandPosition::Later;
            match self.at(next) {
                b',' => next = self.skipped(next + 1),
                b';' => return Some(next + 1),
                _ => return None,
            }
        }
    }

    /// The end of the word `call`.
    fn call_word(&self, at: usize) -> Option<usize> {
        self.after(at, b"call").filter(|end| !is(self.at(*end), WORD))
    }

    /// The ends of a call's opcode and of the call: results, function, arguments, and a prototype.
    fn call(&self, at: usize) -> Option<(usize, usize)> {
        let opcode_end = self.modifiers(self.call_word(at)?)?;
        let mut at = self.skipped(opcode_end);
        if self.at(at) == b'(' {
            at = self.skipped(self.arguments(at)?);
            at = self.skipped(self.after(at, b",")?);
        }
        at = self.skipped(self.name(at)?);
        let mut arguments = true;
        while self.at(at) == b',' {
            at = self.skipped(at + 1);
            if !(arguments && self.at(at) == b'(') {
                at = self.skipped(self.name(at)?);
                break;
            }
            at = self.skipped(self.arguments(at)?);
            arguments = false;
        }
        (self.at(at) == b';').then_some((opcode_end, at + 1))
    }

    /// The end of names, constants and `_` in parentheses.
    fn arguments(&self, at: usize) -> Option<usize> {
        let at = self.skipped(self.after(at, b"(")?);
        if self.at(at) == b')' {
            return Some(at + 1);
        }
        self.list(at, b')', |at| self.sink(at).or_else(|| self.name(at)).or_else(|| self.constant(at)))
    }

    /// The end of a comma-separated list, its closing bracket included.
    pub(super) fn list(&self, mut at: usize, close: u8, element: impl Fn(usize) -> Option<usize>) -> Option<usize> {
        loop {
            at = self.skipped(element(at)?);
            match self.at(at) {
                b',' => at = self.skipped(at + 1),
                byte if byte == close => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// The end of a mnemonic and its modifiers.
    fn opcode(&self, at: usize) -> Option<usize> {
        if !self.at(at).is_ascii_lowercase() {
            return None;
        }
        let end = self.word(at);
        // Calls are read elsewhere; the others do not name instructions.
        if matches!(self.slice(at..end), b"call" | b"inlined_at" | b"function_name") {
            return None;
        }
        self.modifiers(end)
    }

    /// The end of the modifiers after a mnemonic.
    fn modifiers(&self, mut end: usize) -> Option<usize> {
        loop {
            let dot = if self.at(end) == b'.' { end } else { self.skipped(end) };
            let word = dot + 1;
            if self.at(dot) != b'.' || (dot > end && is(self.at(word), DIGIT)) {
                return Some(end);
            }
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
    }

    /// The end of an operand.
    fn operand(&self, at: usize, position: OperandPosition) -> Option<usize> {
        let first = position == OperandPosition::First;
        match self.at(at) {
            b'[' => self.address(at),
            b'{' => {
                let end = self.vector(at)?;
                if first { self.pair(end).or(Some(end)) } else { Some(end) }
            }
            b'-' => {
                let name = self.skipped(at + 1);
                self.name(name).map(|end| self.selected(end)).unwrap_or_else(|| self.constant(at))
            }
            b'!' => self.name(self.skipped(at + 1)).or_else(|| self.constant(at)),
            b'_' if self.sink(at).is_some() => {
                if first {
                    self.pair(at + 1).or(Some(at + 1))
                } else {
                    None
                }
            }
            _ => {
                let Some(end) = self.name(at) else { return self.constant(at) };
                let next = self.skipped(end);
                match self.at(next) {
                    b'|' if first => self.pair(end).or_else(|| self.sink(self.skipped(next + 1))),
                    b'.' => self.selector(next),
                    b'+' => self.constant(self.skipped(next + 1)),
                    b'[' => self.after(self.skipped(self.sum(self.skipped(next + 1))?), b"]"),
                    _ => Some(end),
                }
            }
        }
    }

    /// The end of `|` and the second of two names.
    fn pair(&self, at: usize) -> Option<usize> {
        self.name(self.skipped(self.after(self.skipped(at), b"|")?))
    }

    /// The end of a name with an optional offset, or of a constant.
    pub(super) fn sum(&self, at: usize) -> Option<usize> {
        let Some(name) = self.name(at) else { return self.constant(at) };
        let plus = self.skipped(name);
        if self.at(plus) == b'+' { self.constant(self.skipped(plus + 1)) } else { Some(name) }
    }

    /// The end of an address, or of a texture with its coordinates.
    fn address(&self, at: usize) -> Option<usize> {
        let base = self.skipped(at + 1);
        let mut end = self.skipped(self.sum(base)?);
        if self.at(end) == b',' && self.name(base).is_some_and(|name| self.skipped(name) == end) {
            let coordinates = self.skipped(end + 1);
            end = self.skipped(self.name(coordinates).or_else(|| self.coordinates(coordinates))?);
            if self.at(end) == b',' && self.at(coordinates) != b'{' {
                end = self.skipped(self.coordinates(self.skipped(end + 1))?);
            }
        }
        self.after(end, b"]")
    }

    fn coordinates(&self, at: usize) -> Option<usize> {
        if self.at(at) == b'{' { self.vector(at) } else { None }
    }

    /// The end of elements in braces.
    fn vector(&self, at: usize) -> Option<usize> {
        self.list(self.skipped(at + 1), b'}', |at| match self.sink(at) {
            Some(end) => Some(end),
            None => self.name(at).map_or_else(|| self.constant(at), |end| self.selected(end)),
        })
    }

    /// The end of a name and its optional selector.
    fn selected(&self, name: usize) -> Option<usize> {
        let dot = self.skipped(name);
        if self.at(dot) == b'.' { self.selector(dot) } else { Some(name) }
    }

    /// The end of a component such as `.x` after a vector's name, as in `%tid.x`.
    fn selector(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        matches!(self.slice(at..end), b".x" | b".y" | b".z" | b".w" | b".r" | b".g" | b".b" | b".a").then_some(end)
    }

    /// The end of the operand `_`.
    fn sink(&self, at: usize) -> Option<usize> {
        (self.at(at) == b'_' && !is(self.at(at + 1), WORD)).then_some(at + 1)
    }

    /// The end of `.loc` as compilers write it, with its line break.
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

    /// The end of three numbers, each after one space.
    fn numbers(&self, at: usize) -> Option<usize> {
        (0..3).try_fold(at, |at, _| self.integer(at + 1).filter(|_| matches!(self.at(at), b' ' | b'\t')))
    }

    /// The end of `.loc` in another form, if it has only a file, line and column.
    pub(super) fn respelt_location(&self, at: usize) -> Option<usize> {
        let mut end = self.after(at, b".loc")?;
        for _ in 0..3 {
            end = self.integer(self.gap(end)?)?;
        }
        (self.at(self.skipped(end)) != b',').then_some(end)
    }

    /// The end of a statement: its `;` outside brackets. `None` if brackets do not match, or if there is a directive comment or a
    /// string that contains more than words.
    pub(super) fn semicolon(&self, mut at: usize) -> Option<usize> {
        let mut open = 0usize;
        loop {
            match self.at(at) {
                b';' if open == 0 => return Some(at + 1),
                b'{' | b'(' | b'[' => open += 1,
                b'}' | b')' | b']' => open = open.checked_sub(1)?,
                b'"' => at = self.string(at)? - 1,
                b'/' if self.is_remark(at) => {
                    at = self.comment(at)?;
                    continue;
                }
                b'/' if matches!(self.at(at + 1), b'/' | b'*') => return None,
                0 | b';' | b'#' | b'@' => return None,
                _ => {}
            }
            at += 1;
        }
    }
}

/// Dotted words that are not reserved, so that they may be modifiers, as in the grammar.
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

/// The operands of an instruction in canonical form, in order: separated by commas outside brackets.
pub(crate) fn operands(text: &str) -> Vec<Range<usize>> {
    let bytes = Bytes::of(text.strip_suffix(';').unwrap_or(text));
    let (mut found, mut open) = (Vec::with_capacity(4), 0usize);
    let mut at = bytes.skipped(0);
    let mut operand = at..at;
    while at < bytes.len() {
        match bytes.at(at) {
            b'{' | b'[' | b'(' => open += 1,
            b'}' | b']' | b')' => open -= 1,
            _ => {}
        }
        if bytes.at(at) == b',' && open == 0 {
            at = bytes.skipped(at + 1);
            found.push(std::mem::replace(&mut operand, at..at));
        } else {
            operand.end = bytes.word(at + 1);
            at = bytes.skipped(operand.end);
        }
    }
    found.extend((!operand.is_empty()).then_some(operand));
    found
}

/// The operands of a call in canonical form, without its parenthesized lists.
pub(crate) fn call_operands(text: &str) -> Vec<Range<usize>> {
    let mut found = operands(text);
    found.retain(|operand| !text[operand.clone()].starts_with('('));
    found
}

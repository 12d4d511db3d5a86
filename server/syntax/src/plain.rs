//! Instructions in the plainest spelling, read by hand, so that a parser need not: nearly all that compilers write.
//!
//! What is recognised here is a part of the grammar's language, and a small one: whatever is spelt in another way is left to the parser. Where
//! the text cannot be followed with certainty, all of it is. Must not know mnemonics beyond those that the grammar knows.

use std::ops::Range;

/// An instruction in plain spelling: where it begins, where its opcode does, and where they end, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) start: u32,
    pub(crate) opcode: u32,
    pub(crate) opcode_end: u32,
    pub(crate) end: u32,
}

/// What is left out of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Instruction(Plain),
    /// A label's name; the `:` touches it.
    Label {
        start: u32,
        end: u32,
    },
}

impl Piece {
    pub(crate) fn start(self) -> usize {
        match self {
            Piece::Instruction(plain) => plain.start as usize,
            Piece::Label { start, .. } => start as usize,
        }
    }
}

/// What was recognised in a text.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The instructions and labels, in order.
    pub(crate) plain: Vec<Piece>,
    /// What a parser may pass over: these, what lies between them, and line information.
    pub(crate) holes: Vec<Range<usize>>,
}

/// Nested deeper, a text is left to the parser.
const DEEPEST: usize = 64;

/// Reads a text; `None` where it cannot be followed with certainty.
pub(crate) fn outline(text: &str) -> Option<Outline> {
    // A zero byte is an error wherever it stands, in comments too.
    if text.len() > u32::MAX as usize || text.contains('\0') {
        return None;
    }
    let mut scan = Scan { text: text.as_bytes(), at: 0, found: Outline::default(), hole: None };
    scan.module()?;
    Some(scan.found)
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    found: Outline,
    /// The hole that may still grow.
    hole: Option<Range<usize>>,
}

/// What a byte is, as a table: a lookup instead of a chain of comparisons.
const BLANK: u8 = 1;
const WORD: u8 = 2;
const LETTER: u8 = 4;
const DIGIT: u8 = 8;
const HEX: u8 = 16;
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        class[byte] = (if matches!(b, b' ' | b'\t' | b'\r' | b'\n') { BLANK } else { 0 })
            | (if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') { WORD } else { 0 })
            | (if b.is_ascii_alphabetic() { LETTER } else { 0 })
            | (if b.is_ascii_digit() { DIGIT } else { 0 })
            | (if b.is_ascii_hexdigit() { HEX } else { 0 });
        byte += 1;
    }
    class
};

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

impl Scan<'_> {
    /// The byte at a place; zero, which is nowhere in PTX, behind the end.
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn while_class(&self, mut at: usize, class: u8) -> usize {
        while at < self.text.len() && is(self.text[at], class) {
            at += 1;
        }
        at
    }

    fn blanks(&self, at: usize) -> usize {
        self.while_class(at, BLANK)
    }

    /// The end of the line that a place is in, its line break included.
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].iter().position(|&byte| byte == b'\n').map_or(self.text.len(), |end| at + end + 1)
    }

    /// The end of a comment that may begin at a place; `None` if none does, or it has no end.
    fn comment(&self, at: usize) -> Option<usize> {
        match self.byte(at + 1) {
            b'/' => Some(self.line_end(at)),
            b'*' => self.text[at + 2..].windows(2).position(|two| two == b"*/").map(|end| at + 2 + end + 2),
            _ => None,
        }
    }

    /// The end of a string; `None` if it does not end in its line.
    fn string(&self, at: usize) -> Option<usize> {
        let mut end = at + 1;
        loop {
            match self.byte(end) {
                b'"' => return Some(end + 1),
                b'\\' => end += 2,
                b'\n' | 0 => return None,
                _ => end += 1,
            }
        }
    }

    fn module(&mut self) -> Option<()> {
        let mut function = false;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'/' => self.at = self.comment(self.at)?,
                b'"' => self.at = self.string(self.at)?,
                b'{' => {
                    self.at += 1;
                    if std::mem::take(&mut function) { self.body()? } else { self.braces(1)? }
                }
                b'}' | 0 | b'#' => return None,
                b';' => {
                    function = false;
                    self.at += 1;
                }
                b'.' => {
                    let end = self.while_class(self.at + 1, WORD);
                    match &self.text[self.at..end] {
                        b".entry" | b".func" => function = true,
                        b".section" => function = false,
                        _ => {}
                    }
                    self.at = end;
                }
                _ => self.at += 1,
            }
        }
        Some(())
    }

    /// Up to the end of braces that are open; `None` if they have none.
    fn braces(&mut self, mut depth: usize) -> Option<()> {
        while depth > 0 {
            match self.byte(self.at) {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'/' => {
                    self.at = self.comment(self.at)?;
                    continue;
                }
                b'"' => {
                    self.at = self.string(self.at)?;
                    continue;
                }
                0 | b'#' => return None,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    /// A function's body, from behind its `{` to behind its `}`.
    fn body(&mut self) -> Option<()> {
        let (plain, holes) = (self.found.plain.len(), self.found.holes.len());
        let mut depth = 1;
        while depth > 0 {
            self.at = self.blanks(self.at);
            let at = self.at;
            match self.byte(at) {
                // A word to us is left to be read by those that it is meant for.
                b'/' if self.byte(at + 1) == b'/' && self.byte(at + 2) != b'=' => self.at = self.line_end(at),
                b'@' | b'a'..=b'z' | b'A'..=b'Z' | b'$' | b'%' | b'_' => match self.instruction(at) {
                    Some(instruction) => {
                        self.at = instruction.end as usize;
                        self.pass_over(at, self.at);
                        self.found.plain.push(Piece::Instruction(instruction));
                    }
                    None => match self.label(at) {
                        Some(end) => {
                            self.at = end + 1;
                            self.pass_over(at, self.at);
                            self.found.plain.push(Piece::Label { start: at as u32, end: end as u32 });
                        }
                        None => {
                            self.close();
                            self.at = self.semicolon(at + 1)?;
                        }
                    },
                },
                b'.' => match self.location(at) {
                    Some(end) => {
                        self.at = end;
                        self.pass_over(at, end);
                    }
                    None => {
                        self.close();
                        match self.directive(at) {
                            Some(end) => self.at = end,
                            // What may follow a label only, or what nobody knows: this function is left to the parser.
                            None => {
                                self.found.plain.truncate(plain);
                                self.found.holes.truncate(holes);
                                return self.braces(depth);
                            }
                        }
                    }
                },
                b'{' => {
                    self.close();
                    depth += 1;
                    self.at += 1;
                    if depth > DEEPEST {
                        return None;
                    }
                }
                b'}' => {
                    self.close();
                    depth -= 1;
                    self.at += 1;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Widens the open hole to a piece that follows it, or opens one.
    fn pass_over(&mut self, start: usize, end: usize) {
        match &mut self.hole {
            Some(hole) => hole.end = end,
            None => self.hole = Some(start..end),
        }
    }

    fn close(&mut self) {
        self.found.holes.extend(self.hole.take());
    }

    /// The end of a label's name.
    fn label(&self, at: usize) -> Option<usize> {
        self.name(at).filter(|end| self.byte(*end) == b':' && self.byte(end + 1) != b':')
    }

    /// The end of a declaration or pragma.
    fn directive(&self, at: usize) -> Option<usize> {
        let end = self.while_class(at + 1, WORD);
        match &self.text[at..end] {
            b".reg" | b".param" | b".local" | b".shared" | b".pragma" => self.semicolon(end),
            _ => None,
        }
    }

    /// The end of what ends with a `;` outside all brackets; `None` where a bracket has no partner, or there is a comment or a string with
    /// more in it than words.
    fn semicolon(&self, mut at: usize) -> Option<usize> {
        let mut open = 0usize;
        loop {
            match self.byte(at) {
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

    /// The end of `.loc` in the spelling of compilers, with its line break.
    fn location(&self, at: usize) -> Option<usize> {
        let after = |at: usize, text: &[u8]| self.text[at..].starts_with(text).then_some(at + text.len());
        let mut end = self.numbers(after(at, b".loc")?)?;
        if let Some(name) = after(end, b", function_name ") {
            end = self.name(name)?;
            if self.byte(end) == b'+' {
                let digits = self.while_class(end + 1, DIGIT);
                end = (digits > end + 1).then_some(digits)?;
            }
            end = self.numbers(after(end, b", inlined_at")?)?;
        }
        end += usize::from(self.byte(end) == b'\r');
        (self.byte(end) == b'\n').then_some(end + 1)
    }

    /// The end of three numbers, one blank before each.
    fn numbers(&self, mut at: usize) -> Option<usize> {
        for _ in 0..3 {
            let number = at + 1;
            let after = self.while_class(number, DIGIT);
            if !matches!(self.byte(at), b' ' | b'\t') || after == number {
                return None;
            }
            at = after;
        }
        Some(at)
    }

    fn while_blank(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    fn instruction(&self, start: usize) -> Option<Plain> {
        let mut at = start;
        if self.byte(at) == b'@' {
            at += 1 + usize::from(self.byte(at + 1) == b'!');
            let end = self.name(at)?;
            at = self.blanks(end);
            if at == end {
                return None;
            }
        }
        let opcode = at;
        at = self.opcode(at)?;
        let opcode_end = at;
        let mut next = self.blanks(at);
        let mut first = true;
        if self.byte(next) != b';' {
            if next == at {
                return None;
            }
            loop {
                next = self.blanks(self.operand(next, first)?);
                first = false;
                match self.byte(next) {
                    b',' => next = self.blanks(next + 1),
                    b';' => break,
                    _ => return None,
                }
            }
        }
        let number = |at: usize| at as u32;
        Some(Plain {
            start: number(start),
            opcode: number(opcode),
            opcode_end: number(opcode_end),
            end: number(next + 1),
        })
    }

    /// The end of a mnemonic and its modifiers.
    fn opcode(&self, at: usize) -> Option<usize> {
        if !self.byte(at).is_ascii_lowercase() {
            return None;
        }
        let mut end = self.while_class(at, WORD);
        // Calls have a grammar of their own; the others are no words of instructions.
        if matches!(&self.text[at..end], b"call" | b"inlined_at" | b"function_name") {
            return None;
        }
        while self.byte(end) == b'.' {
            let word = end + 1;
            if !is(self.byte(word), LETTER) {
                return None;
            }
            end = self.while_class(word, WORD);
            if is_directive(&self.text[word..end]) && self.byte(end) != b':' {
                return None;
            }
            while self.byte(end) == b':' {
                let part = end + 2;
                end = self.while_class(part, WORD);
                if self.byte(part - 1) != b':' || end == part {
                    return None;
                }
            }
        }
        Some(end)
    }

    /// The end of a name.
    fn name(&self, at: usize) -> Option<usize> {
        let first = self.byte(at);
        let end = self.while_class(at + 1, WORD);
        let long = matches!(first, b'%' | b'$' | b'_') && end > at + 1;
        if !is(first, LETTER) && !long {
            return None;
        }
        let reserved = matches!(first, b'W' | b'f' | b'i')
            && matches!(&self.text[at..end], b"WARP_SZ" | b"function_name" | b"inlined_at");
        (!reserved).then_some(end)
    }

    /// The end of an operand in one of its plainest shapes: a name, a number, an address, a vector, a pair of predicates, `!p`, `_`.
    fn operand(&self, at: usize, first: bool) -> Option<usize> {
        match self.byte(at) {
            b'0'..=b'9' => self.number(at),
            b'-' => self.integer(at + 1),
            b'!' => self.name(at + 1),
            b'[' => {
                let mut end = self.name(self.while_blank(at + 1))?;
                if self.byte(end) == b'+' {
                    end += 1 + usize::from(self.byte(end + 1) == b'-');
                    end = self.integer(end)?;
                }
                (self.byte(end) == b']').then_some(end + 1)
            }
            b'{' => {
                let mut end = self.blanks(at + 1);
                loop {
                    end = self.blanks(if self.is_sink(end) { end + 1 } else { self.name(end)? });
                    match self.byte(end) {
                        b',' => end = self.blanks(end + 1),
                        b'}' => return Some(end + 1),
                        _ => return None,
                    }
                }
            }
            b'_' if self.is_sink(at) => first.then_some(at + 1),
            _ => {
                let end = self.name(at)?;
                if first && self.byte(end) == b'|' { self.name(end + 1) } else { Some(end) }
            }
        }
    }

    fn is_sink(&self, at: usize) -> bool {
        self.byte(at) == b'_' && !is(self.byte(at + 1), WORD)
    }

    /// The end of an integer, or of a float by its bits.
    fn number(&self, at: usize) -> Option<usize> {
        let digits = match (self.byte(at), self.byte(at + 1)) {
            (b'0', b'f' | b'F') => 8,
            (b'0', b'd' | b'D') => 16,
            _ => return self.integer(at),
        };
        let end = self.while_class(at + 2, HEX);
        (end == at + 2 + digits && !is(self.byte(end), WORD)).then_some(end)
    }

    fn integer(&self, at: usize) -> Option<usize> {
        let end = match (self.byte(at), self.byte(at + 1)) {
            (b'0', b'x' | b'X') => {
                let end = self.while_class(at + 2, HEX);
                (end > at + 2).then_some(end)?
            }
            (b'0', _) => at + 1,
            (b'1'..=b'9', _) => self.while_class(at, DIGIT),
            _ => return None,
        };
        // A point or a letter would make it another number.
        (!is(self.byte(end), WORD) && self.byte(end) != b'.').then_some(end)
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

/// The operands of an instruction in plain spelling, in written order: what lies between commas outside brackets.
pub(crate) fn operands(text: &str) -> Vec<Range<usize>> {
    let text = text.strip_suffix(';').unwrap_or(text);
    let (mut found, mut open, mut start) = (Vec::with_capacity(4), 0usize, 0);
    let mut take = |start: usize, end: usize| {
        let piece = &text[start..end];
        let lead = piece.len() - piece.trim_ascii_start().len();
        let piece = start + lead..start + lead + piece.trim_ascii().len();
        found.extend((!piece.is_empty()).then_some(piece));
    };
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' => open += 1,
            b'}' | b']' => open -= 1,
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

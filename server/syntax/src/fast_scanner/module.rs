//! The pass over a text that finds what is spelt plainly, from item to item and from statement to statement.
//!
//! An item is left out as a whole or seen by the parser from its beginning to its end: what is left over must not read as something else.

use super::{ParsePart, ScanResult, ScannedElement};
use crate::lexer::Bytes;
use std::ops::Range;

/// Nested deeper, a text is left to the parser.
const DEEPEST: usize = 64;

/// A function with more holes than this is left to the parser, and a part with more ends: to go from hole to hole, the parser looks
/// at all of them.
const MOST_HOLES: usize = 256;

/// How long a part may become before it ends, in bytes.
const PART: usize = 256 << 10;

pub(super) struct FastScanner<'t> {
    bytes: Bytes<'t>,
    at: usize,
    found: ScanResult,
    /// The holes of the part that has not ended.
    holes: Vec<Range<usize>>,
    /// The hole that may still grow.
    hole: Option<Range<usize>>,
}

/// What the next `{` of a module opens.
#[derive(Clone, Copy, PartialEq)]
enum PendingBrace {
    Function,
    Section,
    Other,
}

/// What was found before a function or a section, so that it can be left to the parser after all.
struct ScanCheckpoint {
    pieces: usize,
    holes: usize,
}

impl<'t> FastScanner<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let found =
            ScanResult { has_directive_comment: false, pieces: Vec::new(), items: Vec::new(), parts: Vec::new() };
        FastScanner { bytes: Bytes::of(text), at: 0, found, holes: Vec::new(), hole: None }
    }

    pub(super) fn outline(mut self) -> Option<ScanResult> {
        self.module()?;
        self.end_part();
        Some(self.found)
    }

    fn module(&mut self) -> Option<()> {
        // Without the module's own directives, the first item is seen by the parser: it knows where they are missing.
        let head = self.bytes.directives(0);
        let (mut before, mut ended) = (PendingBrace::Other, head.is_some());
        self.at = head.unwrap_or_default();
        while self.at < self.bytes.len() {
            let at = self.at;
            match self.bytes.at(at) {
                b'/' => {
                    if !self.bytes.is_remark(at) {
                        self.close();
                    }
                    self.comment()?;
                }
                b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => self.at = self.bytes.blanks(at),
                b'.' if ended && self.item()? => {}
                byte => {
                    self.close();
                    ended = false;
                    match byte {
                        b'"' => self.at = self.bytes.string(at)?,
                        b'{' => {
                            self.at += 1;
                            let what = std::mem::replace(&mut before, PendingBrace::Other);
                            ended = what != PendingBrace::Other;
                            match what {
                                PendingBrace::Function => _ = self.function()?,
                                PendingBrace::Section | PendingBrace::Other => self.braces(1)?,
                            }
                        }
                        b'#' => self.at = self.bytes.line_end(at),
                        b'}' | 0 => return None,
                        b';' => {
                            (before, ended) = (PendingBrace::Other, true);
                            self.at += 1;
                        }
                        b'.' => {
                            self.at = self.bytes.word(at + 1);
                            match self.bytes.slice(at..self.at) {
                                b".entry" | b".func" => before = PendingBrace::Function,
                                b".section" => before = PendingBrace::Section,
                                // Elsewhere than at the head they are errors, which what is left over would not show.
                                b".version" | b".target" | b".address_size" if self.has_left_out() => return None,
                                _ => {}
                            }
                        }
                        _ => self.at += 1,
                    }
                }
            }
        }
        self.close();
        Some(())
    }

    fn comment(&mut self) -> Option<()> {
        self.found.has_directive_comment |= !self.bytes.is_remark(self.at);
        self.at = self.bytes.comment(self.at)?;
        Some(())
    }

    fn has_left_out(&self) -> bool {
        !self.found.parts.is_empty() || !self.holes.is_empty()
    }

    /// Passes over an item, if there is one in plain spelling.
    fn item(&mut self) -> Option<bool> {
        let at = self.at;
        if let Some(end) = self.bytes.file(at) {
            self.whole(at, end);
        } else if let Some(variable) = self.bytes.variable(at) {
            let (start, end) = (at as u32, variable.declared as u32);
            self.found.pieces.push(ScannedElement::Declaration { start, end });
            self.whole(at, variable.end);
        } else if let Some(open) = self.bytes.section(at) {
            if !self.section(open) {
                return Some(false);
            }
        } else {
            let mark = self.mark();
            let Some(end) = self.bytes.function(at, &mut self.found.pieces) else {
                self.back_to(&mark);
                return Some(false);
            };
            if self.bytes.at(end - 1) == b'{' {
                return self.with_body(&mark, end).map(|()| true);
            }
            self.found.pieces.push(ScannedElement::End(end as u32 - 1));
            self.whole(at, end);
        }
        self.end_long_part();
        Some(true)
    }

    /// Passes over a function whose head was read up to behind its `{`, or over what is plain in it.
    fn with_body(&mut self, mark: &ScanCheckpoint, body: usize) -> Option<()> {
        let (start, open) = (self.at, self.hole.take());
        let head = mark.pieces..self.found.pieces.len();
        self.found.pieces.push(ScannedElement::Open(body as u32 - 1));
        self.at = body;
        if self.function()? {
            let end = self.at as u32;
            self.found.pieces.extend([ScannedElement::Close(end - 1), ScannedElement::End(end - 1)]);
            self.holes.truncate(mark.holes);
            self.hole = open;
            self.whole(start, end as usize);
        } else {
            self.found.pieces.drain(head.start..head.end + 1);
            if let Some(open) = open {
                self.holes.insert(mark.holes, open);
            }
        }
        self.end_long_part();
        Some(())
    }

    /// Passes over an item of which nothing is left to the parser.
    fn whole(&mut self, start: usize, end: usize) {
        self.found.items.push(start as u32..end as u32);
        self.pass_over(start, end);
    }

    /// Up to the end of braces that are open; `None` if they have none.
    fn braces(&mut self, mut depth: usize) -> Option<()> {
        while depth > 0 {
            match self.bytes.at(self.at) {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'/' if matches!(self.bytes.at(self.at + 1), b'/' | b'*') => {
                    self.comment()?;
                    continue;
                }
                b'"' => {
                    self.at = self.bytes.string(self.at)?;
                    continue;
                }
                b'#' => {
                    self.at = self.bytes.line_end(self.at);
                    continue;
                }
                0 => return None,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    fn mark(&self) -> ScanCheckpoint {
        ScanCheckpoint { pieces: self.found.pieces.len(), holes: self.holes.len() }
    }

    fn back_to(&mut self, mark: &ScanCheckpoint) {
        self.found.pieces.truncate(mark.pieces);
        self.holes.truncate(mark.holes);
    }

    /// Goes through a function's body, from behind its `{` to behind its `}`, and says whether all of it was plain.
    fn function(&mut self) -> Option<bool> {
        let (start, mark) = (self.at, self.mark());
        let depth = self.body();
        // What may follow a label only, or what nobody knows, and what is too much of a patchwork: this function is left to the parser.
        let patches = self.holes.len() - mark.holes;
        if depth > 0 || patches > MOST_HOLES {
            self.hole = None;
            self.back_to(&mark);
            self.braces(depth)?;
            return Some(false);
        }
        let between = |hole: &Range<usize>| {
            self.bytes.skipped(start) >= hole.start && self.bytes.skipped(hole.end) + 1 >= self.at
        };
        Some(match patches {
            0 => self.bytes.skipped(start) + 1 == self.at,
            1 => between(&self.holes[mark.holes]),
            _ => false,
        })
    }

    fn end_part(&mut self) {
        self.close();
        let start = self.found.parts.last().map_or(0, |part| part.range.end);
        self.found.parts.push(ParsePart { range: start..self.at, holes: std::mem::take(&mut self.holes) });
    }

    /// Ends a part between items where it has become long.
    fn end_long_part(&mut self) {
        let start = self.found.parts.last().map_or(0, |part| part.range.end);
        if self.at - start > PART || self.holes.len() > MOST_HOLES {
            self.end_part();
        }
    }

    /// Goes through a function's body, and says how many braces are open where it cannot be gone on with.
    fn body(&mut self) -> usize {
        let mut depth = 1;
        while depth > 0 {
            self.at = self.bytes.skipped(self.at);
            let at = self.at;
            match self.bytes.at(at) {
                b'@' | b'a'..=b'z' | b'A'..=b'Z' | b'$' | b'%' | b'_' => {
                    if self.statement(at).is_none() {
                        return depth;
                    }
                }
                b'.' => {
                    if let Some(end) = self.location(at).or_else(|| self.bytes.pragma(at)) {
                        self.pass_over(at, end);
                    } else if let Some(end) = self.bytes.declaration(at) {
                        self.pass_over(at, end);
                        self.found.pieces.push(ScannedElement::Declaration { start: at as u32, end: end as u32 });
                    } else if let Some(end) = self.bytes.directive(at) {
                        self.close();
                        self.at = end;
                    } else {
                        return depth;
                    }
                }
                b'{' if depth < DEEPEST => {
                    self.pass_over(at, at + 1);
                    self.found.pieces.push(ScannedElement::Open(at as u32));
                    depth += 1;
                }
                b'}' => {
                    depth -= 1;
                    if depth > 0 {
                        self.pass_over(at, at + 1);
                        self.found.pieces.push(ScannedElement::Close(at as u32));
                    } else {
                        self.close();
                        self.at += 1;
                    }
                }
                _ => return depth,
            }
        }
        0
    }

    fn location(&self, at: usize) -> Option<usize> {
        self.bytes.location(at).or_else(|| self.bytes.respelt_location(at))
    }

    /// An instruction, a label, or what ends with a `;` and is left to the parser.
    fn statement(&mut self, at: usize) -> Option<()> {
        if let Some(instruction) = self.bytes.instruction(at) {
            self.pass_over(at, instruction.end as usize);
            self.found.pieces.push(ScannedElement::Instruction(instruction));
        } else if let Some((name, end)) = self.bytes.label(at) {
            if let Some(word) = self.bytes.labelled(end) {
                self.close();
                self.at = self.bytes.semicolon(word)?;
                return Some(());
            }
            self.pass_over(at, end);
            self.found.pieces.push(ScannedElement::Label { start: at as u32, end: name as u32 });
        } else {
            self.close();
            self.at = self.bytes.semicolon(at + 1)?;
        }
        Some(())
    }

    /// Passes over a debug section from here on, whose data begin at a place, if all of them are plain.
    fn section(&mut self, mut data: usize) -> bool {
        loop {
            data = self.bytes.skipped(data);
            let end = match self.bytes.at(data) {
                b'}' => {
                    self.whole(self.at, data + 1);
                    return true;
                }
                b'.' => self.bytes.data(data),
                _ => self.bytes.label(data).map(|(_, end)| end),
            };
            match end {
                Some(end) => data = end,
                None => return false,
            }
        }
    }

    /// Goes on behind a piece, and widens the open hole to it, or opens one.
    fn pass_over(&mut self, start: usize, end: usize) {
        self.at = end;
        match &mut self.hole {
            Some(hole) => hole.end = end,
            None => self.hole = Some(start..end),
        }
    }

    fn close(&mut self) {
        self.holes.extend(self.hole.take());
    }
}

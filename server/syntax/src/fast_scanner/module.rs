//! Scans the items of a module and the statements of functions.
//!
//! The parser skips an item as a whole, or reads it from its start to its end, so that the rest cannot be parsed as something else.

use crate::fast_scanner::{ParsePart, ScanResult, ScannedElement};
use crate::lexer::Bytes;
use std::ops::Range;

/// Blocks that are nested deeper are left to the parser.
const MAX_DEPTH: usize = 64;

/// A function with more excluded ranges is left to the parser, and a part with more is ended: tree-sitter searches all of them to go
/// from one to the next.
const MAX_EXCLUDED: usize = 256;

/// A part that is longer than this, in bytes, is ended.
const MAX_PART: usize = 256 << 10;

pub(super) struct FastScanner<'t> {
    bytes: Bytes<'t>,
    at: usize,
    found: ScanResult,
    /// The excluded ranges of the current part.
    excluded: Vec<Range<usize>>,
    /// The last excluded range, which may still grow.
    open_range: Option<Range<usize>>,
}

/// What the next `{` of a module begins.
#[derive(Clone, Copy, PartialEq)]
enum PendingBrace {
    Function,
    Section,
    Other,
}

/// The state before a function or section, to return to if it is left to the parser after all.
struct ScanCheckpoint {
    elements: usize,
    excluded: usize,
}

impl<'t> FastScanner<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let found =
            ScanResult { has_directive_comment: false, elements: Vec::new(), items: Vec::new(), parts: Vec::new() };
        FastScanner { bytes: Bytes::of(text), at: 0, found, excluded: Vec::new(), open_range: None }
    }

    pub(super) fn scan(mut self) -> Option<ScanResult> {
        self.module()?;
        self.end_part();
        Some(self.found)
    }

    /// The elements of a function that is the whole text; `None` if a part of it was not recognized.
    pub(super) fn only_function(mut self) -> Option<Vec<ScannedElement>> {
        let is_function = self.item()? && matches!(self.found.elements.first(), Some(ScannedElement::Function { .. }));
        let is_whole = self.found.items.first().is_some_and(|item| item.end as usize == self.bytes.len());
        (is_function && is_whole).then_some(self.found.elements)
    }

    fn module(&mut self) -> Option<()> {
        // Without the module's directives, the parser reads the first item, to report them as missing.
        let head = self.bytes.directives(0);
        let (mut before, mut ended) = (PendingBrace::Other, head.is_some());
        self.at = head.unwrap_or_default();
        while self.at < self.bytes.len() {
            let at = self.at;
            match self.bytes.at(at) {
                b'/' => {
                    if !self.bytes.is_remark(at) {
                        self.end_range();
                    }
                    self.comment()?;
                }
                b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => self.at = self.bytes.blanks(at),
                b'.' if ended && self.item()? => {}
                byte => {
                    self.end_range();
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
                                // They are errors after other items, but the parser does not read those.
                                b".version" | b".target" | b".address_size" if self.has_left_out() => return None,
                                _ => {}
                            }
                        }
                        _ => self.at += 1,
                    }
                }
            }
        }
        self.end_range();
        Some(())
    }

    fn comment(&mut self) -> Option<()> {
        self.found.has_directive_comment |= !self.bytes.is_remark(self.at);
        self.at = self.bytes.comment(self.at)?;
        Some(())
    }

    fn has_left_out(&self) -> bool {
        !self.found.parts.is_empty() || !self.excluded.is_empty()
    }

    /// Scans an item, if there is one in canonical form.
    fn item(&mut self) -> Option<bool> {
        let at = self.at;
        if let Some(end) = self.bytes.file(at) {
            self.whole(at, end);
        } else if let Some(variable) = self.bytes.variable(at) {
            let (start, end) = (at as u32, variable.declared as u32);
            self.found.elements.push(ScannedElement::Declaration { start, end });
            self.whole(at, variable.end);
        } else if let Some(open) = self.bytes.section(at) {
            if !self.section(open) {
                return Some(false);
            }
        } else {
            let checkpoint = self.checkpoint();
            let Some(end) = self.bytes.function(at, &mut self.found.elements) else {
                self.restore(&checkpoint);
                return Some(false);
            };
            if self.bytes.at(end - 1) == b'{' {
                return self.with_body(&checkpoint, end).map(|()| true);
            }
            self.found.elements.push(ScannedElement::End(end as u32 - 1));
            self.whole(at, end);
        }
        self.end_long_part();
        Some(true)
    }

    /// Scans a function after its head; `body` is the position after its `{`.
    fn with_body(&mut self, checkpoint: &ScanCheckpoint, body: usize) -> Option<()> {
        let (start, open) = (self.at, self.open_range.take());
        let head = checkpoint.elements..self.found.elements.len();
        self.found.elements.push(ScannedElement::Open(body as u32 - 1));
        self.at = body;
        if self.function()? {
            let end = self.at as u32;
            self.found.elements.extend([ScannedElement::Close(end - 1), ScannedElement::End(end - 1)]);
            self.excluded.truncate(checkpoint.excluded);
            self.open_range = open;
            self.whole(start, end as usize);
        } else {
            self.found.elements.drain(head.start..head.end + 1);
            if let Some(open) = open {
                self.excluded.insert(checkpoint.excluded, open);
            }
        }
        self.end_long_part();
        Some(())
    }

    /// Records an item that the parser does not read at all.
    fn whole(&mut self, start: usize, end: usize) {
        self.found.items.push(start as u32..end as u32);
        self.exclude(start, end);
    }

    /// Skips to the end of open braces; `None` if they are unmatched.
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

    fn checkpoint(&self) -> ScanCheckpoint {
        ScanCheckpoint { elements: self.found.elements.len(), excluded: self.excluded.len() }
    }

    fn restore(&mut self, checkpoint: &ScanCheckpoint) {
        self.found.elements.truncate(checkpoint.elements);
        self.excluded.truncate(checkpoint.excluded);
    }

    /// Scans a function's body, from after its `{` to after its `}`; returns whether all of it was recognized.
    fn function(&mut self) -> Option<bool> {
        let (start, checkpoint) = (self.at, self.checkpoint());
        let depth = self.body();
        // Something unknown, or that may only follow a label, or too many excluded ranges: this function is left to the parser.
        let count = self.excluded.len() - checkpoint.excluded;
        if depth > 0 || count > MAX_EXCLUDED {
            self.open_range = None;
            self.restore(&checkpoint);
            self.braces(depth)?;
            return Some(false);
        }
        let between = |range: &Range<usize>| {
            self.bytes.skipped(start) >= range.start && self.bytes.skipped(range.end) + 1 >= self.at
        };
        Some(match count {
            0 => self.bytes.skipped(start) + 1 == self.at,
            1 => between(&self.excluded[checkpoint.excluded]),
            _ => false,
        })
    }

    fn end_part(&mut self) {
        self.end_range();
        let start = self.found.parts.last().map_or(0, |part| part.range.end);
        self.found.parts.push(ParsePart { range: start..self.at, excluded: std::mem::take(&mut self.excluded) });
    }

    /// Ends a part between items if it is long.
    fn end_long_part(&mut self) {
        let start = self.found.parts.last().map_or(0, |part| part.range.end);
        if self.at - start > MAX_PART || self.excluded.len() > MAX_EXCLUDED {
            self.end_part();
        }
    }

    /// Scans a function's body; returns the number of open braces where it stops.
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
                        self.exclude(at, end);
                    } else if let Some(end) = self.bytes.declaration(at) {
                        self.exclude(at, end);
                        self.found.elements.push(ScannedElement::Declaration { start: at as u32, end: end as u32 });
                    } else if let Some(end) = self.bytes.directive(at) {
                        self.end_range();
                        self.at = end;
                    } else {
                        return depth;
                    }
                }
                b'{' if depth < MAX_DEPTH => {
                    self.exclude(at, at + 1);
                    self.found.elements.push(ScannedElement::Open(at as u32));
                    depth += 1;
                }
                b'}' => {
                    depth -= 1;
                    if depth > 0 {
                        self.exclude(at, at + 1);
                        self.found.elements.push(ScannedElement::Close(at as u32));
                    } else {
                        self.end_range();
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

    /// Scans an instruction, a label, or a statement up to its `;`, which is left to the parser.
    fn statement(&mut self, at: usize) -> Option<()> {
        if let Some(instruction) = self.bytes.instruction(at) {
            self.exclude(at, instruction.end as usize);
            self.found.elements.push(ScannedElement::Instruction(instruction));
        } else if let Some((name, end)) = self.bytes.label(at) {
            if let Some(word) = self.bytes.labelled(end) {
                self.end_range();
                self.at = self.bytes.semicolon(word)?;
                return Some(());
            }
            self.exclude(at, end);
            self.found.elements.push(ScannedElement::Label { start: at as u32, end: name as u32 });
        } else {
            self.end_range();
            self.at = self.bytes.semicolon(at + 1)?;
        }
        Some(())
    }

    /// Scans a debug section whose data begin at a position; returns whether all of it was recognized.
    fn section(&mut self, mut data: usize) -> bool {
        loop {
            data = self.bytes.skipped(data);
            let end = match self.bytes.at(data) {
                b'}' => {
                    self.whole(self.at, data + 1);
                    return true;
                }
                b'.' => self.bytes.byte_lines(data).or_else(|| self.bytes.data(data)),
                _ => self.bytes.label(data).map(|(_, end)| end),
            };
            match end {
                Some(end) => data = end,
                None => return false,
            }
        }
    }

    /// Advances to the end of an element, and adds it to the open range.
    fn exclude(&mut self, start: usize, end: usize) {
        self.at = end;
        match &mut self.open_range {
            Some(range) => range.end = end,
            None => self.open_range = Some(start..end),
        }
    }

    fn end_range(&mut self) {
        self.excluded.extend(self.open_range.take());
    }
}

//! Splits a template into statements, determines what is unknown because of placeholders, and what has to surround them in a module.

use super::template_char::{TemplateChar, TemplateCharKind, is_word};
use std::ops::Range;

/// The part of an instruction that is unknown because of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPart {
    /// Words of the opcode are missing: only its other words can be checked, one by one.
    Opcode,
    /// Operands are missing: only the opcode can be checked.
    Operands,
}

/// The statements of a text, and what has to surround it.
#[derive(Default)]
pub(super) struct Segmentation {
    pub segments: Vec<Segment>,
    /// The number of blocks that are closed here and were opened elsewhere.
    pub missing: usize,
    /// The number of blocks that are opened here and closed elsewhere.
    pub open: usize,
    /// Whether it is not part of a function.
    pub outside: bool,
    /// The character after which the `;` of the last instruction is missing.
    pub unterminated: Option<usize>,
    /// The last instruction, if the text ends within it.
    pub unfinished: Option<Range<usize>>,
}

/// A statement, a label or a brace.
pub(super) struct Segment {
    pub units: Range<usize>,
    pub completeness: Completeness,
}

/// Whether a segment is complete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Completeness {
    /// It has no placeholder.
    Complete,
    /// A part of it is missing; the rest can be checked.
    Missing(MissingPart),
    /// It is unknown.
    Unknown,
}

/// Whether a statement ends with its `;`, brace or colon, or at the end of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SegmentEnd {
    Terminated,
    Unterminated,
}

/// Splits a text into statements.
pub(super) fn segments(units: &[TemplateChar]) -> Segmentation {
    let mut splitter = Splitter::new(units);
    while splitter.at < units.len() {
        splitter.step();
    }
    splitter.finish()
}

/// A position in a text, and the statements before it.
struct Splitter<'u> {
    units: &'u [TemplateChar],
    at: usize,
    /// The start of the current statement.
    start: usize,
    /// Whether the current statement has a character other than white space.
    has_content: bool,
    /// Whether the current statement has a colon; it has no further label then.
    has_colon: bool,
    /// The number of open blocks.
    depth: usize,
    /// Whether all statements so far are blank.
    is_blank: bool,
    made: Segmentation,
}

impl<'u> Splitter<'u> {
    fn new(units: &'u [TemplateChar]) -> Splitter<'u> {
        let made = Segmentation::default();
        Splitter { units, at: 0, start: 0, has_content: false, has_colon: false, depth: 0, is_blank: true, made }
    }

    fn char_at(&self, at: usize) -> char {
        self.units.get(at).map_or('\u{0}', |unit| unit.what.char())
    }

    /// Reads a comment or a character.
    fn step(&mut self) {
        match (self.char_at(self.at), self.char_at(self.at + 1)) {
            ('/', '/' | '*') => return self.skip_comment(),
            (';', _) => {
                self.end_statement();
                (self.has_content, self.has_colon) = (false, false);
            }
            ('{', _) if !self.has_content => {
                self.depth += 1;
                self.end_statement();
            }
            ('}', _) if !self.has_content => {
                match self.depth.checked_sub(1) {
                    Some(outer) => self.depth = outer,
                    None => self.made.missing += 1,
                }
                self.end_statement();
            }
            (':', next) if next != ':' && !self.has_colon && is_label(&self.units[self.start..self.at]) => {
                self.end_statement();
                self.has_content = false;
            }
            (c, _) => {
                self.has_content |= !c.is_whitespace();
                self.has_colon |= c == ':';
            }
        }
        self.at += 1;
    }

    fn skip_comment(&mut self) {
        let rest = &self.units[self.at..];
        self.at += if self.char_at(self.at + 1) == '/' {
            rest.iter().position(|unit| unit.what.char() == '\n').unwrap_or(rest.len())
        } else {
            block_comment(rest)
        };
    }

    /// Ends the current statement with the current character.
    fn end_statement(&mut self) {
        self.push(self.at + 1, SegmentEnd::Terminated);
    }

    fn push(&mut self, end: usize, termination: SegmentEnd) {
        let range = self.start..end;
        let units = &self.units[range.clone()];
        if self.is_blank && units.iter().any(|unit| !unit.what.char().is_whitespace()) {
            self.is_blank = false;
            self.made.outside = is_outside(units);
        }
        self.made.segments.push(Segment { units: range, completeness: completeness(units, termination) });
        self.start = end;
    }

    fn finish(mut self) -> Segmentation {
        let rest = self.start..self.units.len();
        if !rest.is_empty() {
            let units = &self.units[rest.clone()];
            self.made.unterminated = unterminated(units).map(|end| rest.start + end);
            if self.made.unterminated.is_none() && is_begun(units) {
                self.made.unfinished = Some(rest.clone());
            }
            self.push(rest.end, SegmentEnd::Unterminated);
        }
        self.made.open = self.depth;
        self.made
    }
}

/// Whether a text has an opcode that ends in a dot or has more after it, and nothing unknown.
fn is_begun(units: &[TemplateChar]) -> bool {
    let opcode = opcode(units);
    let char_at = |at: usize| units.get(at).map_or('\u{0}', |unit| unit.what.char());
    completeness(units, SegmentEnd::Unterminated) == Completeness::Complete
        && char_at(opcode.start).is_ascii_alphabetic()
        && (char_at(opcode.end - 1) == '.' || units[opcode.end..].iter().any(|unit| !unit.what.char().is_whitespace()))
}

/// The end of an instruction without a `;`, if it is complete otherwise.
fn unterminated(units: &[TemplateChar]) -> Option<usize> {
    let char_at = |at: usize| units.get(at).map_or('\u{0}', |unit| unit.what.char());
    let opcode = opcode(units);
    if completeness(units, SegmentEnd::Unterminated) != Completeness::Complete
        || !char_at(opcode.start).is_ascii_alphabetic()
    {
        return None;
    }
    let (mut at, mut end, mut open) = (opcode.start, opcode.end, 0usize);
    while at < units.len() {
        match (char_at(at), char_at(at + 1)) {
            ('/', '/') => at += units[at..].iter().position(|unit| unit.what.char() == '\n').unwrap_or(units.len()),
            ('/', '*') => at += block_comment(&units[at..]),
            (c, _) => {
                match c {
                    '{' | '[' | '(' => open += 1,
                    '}' | ']' | ')' => open = open.checked_sub(1)?,
                    _ => {}
                }
                at += 1;
                end = if c.is_whitespace() { end } else { at };
            }
        }
    }
    (open == 0 && !matches!(char_at(end - 1), ',' | '.' | ':')).then_some(end)
}

/// The length of the block comment that a text begins with.
fn block_comment(units: &[TemplateChar]) -> usize {
    let is_end = |pair: &[TemplateChar]| (pair[0].what.char(), pair[1].what.char()) == ('*', '/');
    units[2..].windows(2).position(is_end).map_or(units.len(), |end| end + 4)
}

/// Whether a statement is complete.
fn completeness(units: &[TemplateChar], termination: SegmentEnd) -> Completeness {
    if !units.iter().any(|unit| unit.what == TemplateCharKind::Placeholder) {
        return Completeness::Complete;
    }
    let opcode = opcode(units);
    let has_placeholder =
        |range: Range<usize>| units[range].iter().any(|unit| unit.what == TemplateCharKind::Placeholder);
    let mnemonic = opcode.start..opcode.clone().find(|at| units[*at].what.char() == '.').unwrap_or(opcode.end);
    // A macro at the start may end or begin anything, and so may directives and unterminated statements.
    if termination == SegmentEnd::Unterminated
        || opcode.is_empty()
        || has_placeholder(0..mnemonic.end)
        || units[opcode.start].what.char() == '.'
    {
        return Completeness::Unknown;
    }
    Completeness::Missing(if has_placeholder(opcode) { MissingPart::Opcode } else { MissingPart::Operands })
}

/// The range of the opcode in a statement, including placeholders.
pub(super) fn opcode(units: &[TemplateChar]) -> Range<usize> {
    let is_space = |at: usize| units.get(at).is_some_and(|unit| unit.what.char().is_whitespace());
    let mut at = 0;
    loop {
        while is_space(at) {
            at += 1;
        }
        match (units.get(at).map(|unit| unit.what), units.get(at + 1).map(|unit| unit.what)) {
            (Some(TemplateCharKind::Char('@')), _) => {
                at += 1;
                while is_space(at) {
                    at += 1;
                }
                while units.get(at).is_some_and(|unit| !unit.what.char().is_whitespace()) {
                    at += 1;
                }
            }
            (Some(TemplateCharKind::Char('/')), Some(TemplateCharKind::Char('/'))) => {
                while units.get(at).is_some_and(|unit| unit.what != TemplateCharKind::Char('\n')) {
                    at += 1;
                }
            }
            (Some(TemplateCharKind::Char('/')), Some(TemplateCharKind::Char('*'))) => at += block_comment(&units[at..]),
            _ => break,
        }
    }
    let part = |unit: &TemplateChar| match unit.what {
        TemplateCharKind::Placeholder => true,
        TemplateCharKind::Char(c) => is_word(c) || c == '.' || c == ':',
        TemplateCharKind::Operand(_) => false,
    };
    let end = units[at.min(units.len())..].iter().position(|unit| !part(unit)).map_or(units.len(), |end| at + end);
    at.min(end)..end
}

fn is_label(units: &[TemplateChar]) -> bool {
    let text: String = units.iter().map(|unit| unit.what.char()).collect();
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| is_word(c) || c == '%')
}

/// Whether a text begins with an item that is not allowed in functions.
fn is_outside(units: &[TemplateChar]) -> bool {
    let text: String = units.iter().map(|unit| unit.what.char()).collect();
    let word: String = text.trim_start().chars().take_while(|c| is_word(*c) || *c == '.').collect();
    [".visible", ".extern", ".weak", ".func", ".entry", ".global", ".const", ".common", ".alias", ".version", ".target"]
        .contains(&word.as_str())
}

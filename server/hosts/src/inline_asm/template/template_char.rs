//! The characters of a template, each with its range in the host text.

use std::num::NonZeroU32;
use std::ops::Range;

/// A character of the literals' text, or a placeholder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TemplateChar {
    pub what: TemplateCharKind,
    /// Its range in the host text; for text from a macro, that of the macro's name.
    pub outer: HostSpan,
    /// Whether it is written there literally.
    pub exact: bool,
    /// Its range in the definition, if it comes from a macro that may be edited.
    pub defined: Option<HostSpan>,
}

/// A byte range of the host text. 32 bits save memory: there is one for each character of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostSpan {
    start: u32,
    length: NonZeroU32,
}

impl HostSpan {
    pub fn new(range: Range<usize>) -> Self {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let length = NonZeroU32::new(number(range.len())).unwrap_or(NonZeroU32::MIN);
        HostSpan { start: number(range.start), length }
    }

    fn end(self) -> usize {
        self.start as usize + self.length.get() as usize
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end()
    }
}

impl TemplateChar {
    pub fn exact(at: usize, c: char) -> Self {
        let outer = HostSpan::new(at..at + c.len_utf8());
        TemplateChar { what: TemplateCharKind::Char(c), outer, exact: true, defined: None }
    }

    pub fn whole(what: TemplateCharKind, outer: Range<usize>) -> Self {
        TemplateChar { what, outer: HostSpan::new(outer), exact: false, defined: None }
    }

    /// One character for several adjacent ones.
    pub fn joined(what: TemplateCharKind, units: &[TemplateChar]) -> Self {
        let (Some(first), Some(last)) = (units.first(), units.last()) else { return TemplateChar::whole(what, 0..0) };
        let outer = first.outer.start as usize..last.outer.end().max(first.outer.end());
        let runs_on = |pair: &[TemplateChar]| {
            pair[0].defined.zip(pair[1].defined).is_some_and(|(a, b)| a.end() == b.start as usize)
        };
        let defined = first.defined.zip(last.defined).filter(|_| units.windows(2).all(runs_on));
        let defined = defined.map(|(first, last)| HostSpan::new(first.start as usize..last.end()));
        TemplateChar { what, outer: HostSpan::new(outer), exact: false, defined }
    }

    /// The range for diagnostics.
    pub fn place(self) -> Range<usize> {
        self.defined.unwrap_or(self.outer).range()
    }
}

/// The kind of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateCharKind {
    Char(char),
    Placeholder,
    /// One character of an operand's name.
    Operand(char),
}

impl TemplateCharKind {
    pub fn char(self) -> char {
        match self {
            TemplateCharKind::Char(c) | TemplateCharKind::Operand(c) => c,
            TemplateCharKind::Placeholder => '\u{0}',
        }
    }
}

/// Whether a character is part of a word.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

//! Items of a module in canonical form: variables, the heads of functions and sections, `.file`.

use crate::declaration::ParameterKind;
use crate::fast_scanner::ScannedElement;
use crate::fast_scanner::declaration::FirstDimension;
use crate::lexer::{Bytes, DIGIT};

/// Initializers that are nested deeper are left to the parser.
const DEEPEST: usize = 8;

/// A variable.
pub(super) struct Variable {
    /// The end of its name and dimensions.
    pub(super) declared: usize,
    /// The end of the variable.
    pub(super) end: usize,
}

impl Bytes<'_> {
    /// The end of the module's directives in the usual order, with comments and white space between them.
    pub(super) fn directives(&self, at: usize) -> Option<usize> {
        let number = self.behind(self.skipped(at), b".version")?;
        let point = self.after(self.digits(number)?, b".")?;
        let mut at = self.behind(self.skipped(self.digits(point)?), b".target")?;
        loop {
            at = self.skipped(self.name(at)?);
            if self.at(at) != b',' {
                break;
            }
            at = self.skipped(at + 1);
        }
        Some(self.behind(at, b".address_size").and_then(|bits| self.integer(bits)).map_or(at, |end| self.skipped(end)))
    }

    /// The end of at least one digit.
    fn digits(&self, at: usize) -> Option<usize> {
        Some(self.class_end(at, DIGIT)).filter(|end| *end > at)
    }

    /// The end of `.file 1 "path"` with optional timestamp and size.
    pub(super) fn file(&self, at: usize) -> Option<usize> {
        let mut end = self.quoted(self.gap(self.integer(self.gap(self.after(at, b".file")?)?)?)?)?;
        for _ in 0..2 {
            let comma = self.blanks(end);
            if self.at(comma) == b',' {
                end = self.integer(self.blanks(comma + 1))?;
            }
        }
        self.line_ends(end).then_some(end)
    }

    fn line_ends(&self, at: usize) -> bool {
        matches!(self.at(at), b'\n' | b'\r' | 0)
    }

    /// The position after the `{` of a debug section.
    pub(super) fn section(&self, at: usize) -> Option<usize> {
        let name = self.after(self.gap(self.after(at, b".section")?)?, b".debug_")?;
        let open = self.blanks(self.word(name));
        (self.at(open) == b'{').then_some(open + 1)
    }

    /// The end of an optional linking directive such as `.visible`, and white space.
    pub(super) fn linkage(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        match self.slice(at..end) {
            b".visible" | b".extern" | b".weak" | b".common" => Some(self.skipped(end)),
            _ => Some(at),
        }
    }

    /// A variable of a module.
    pub(super) fn variable(&self, at: usize) -> Option<Variable> {
        let space = self.linkage(at)?;
        let end = self.word(space + 1);
        if !matches!(self.slice(space..end), b".global" | b".const" | b".shared") {
            return None;
        }
        let name = self.typed(self.skipped(end))?;
        let declared = self.dimensions(self.name(name)?, FirstDimension::MayBeEmpty)?;
        let mut end = self.skipped(declared);
        if self.at(end) == b'=' {
            end = self.skipped(self.value(self.skipped(end + 1), 0)?);
        }
        (self.at(end) == b';').then_some(Variable { declared, end: end + 1 })
    }

    /// The end of an initializer: a constant, a symbol with an offset, or several of them in braces.
    fn value(&self, at: usize, depth: usize) -> Option<usize> {
        if self.at(at) != b'{' {
            return self.sum(at);
        }
        if depth == DEEPEST {
            return None;
        }
        self.list(self.skipped(at + 1), b'}', |at| self.value(at, depth + 1))
    }

    /// Reads a function's head up to its `{` or `;`, and appends its elements. If it fails, the caller has to remove the appended elements.
    pub(super) fn function(&self, start: usize, elements: &mut Vec<ScannedElement>) -> Option<usize> {
        let mut at = self.linkage(start).filter(|at| self.slice(start..*at).first_chunk() != Some(b".com"))?;
        let entry = self.behind(at, b".entry");
        at = entry.or_else(|| self.behind(at, b".func"))?;
        let place = elements.len();
        elements.push(ScannedElement::End(0));
        if entry.is_none() && self.at(at) == b'(' {
            at = self.skipped(self.parameters(at, ParameterKind::Result, elements)?);
        }
        let (name, name_end) = (at, self.name(at)?);
        elements[place] =
            ScannedElement::Function { start: start as u32, name: name as u32, name_end: name_end as u32 };
        at = self.skipped(name_end);
        if self.at(at) == b'(' {
            at = self.skipped(self.parameters(at, ParameterKind::Input, elements)?);
        }
        if self.at(at) == b';' {
            return Some(at + 1);
        }
        if entry.is_some() {
            while let Some(end) = self.tuning(at) {
                at = self.skipped(end);
            }
        } else if let Some(end) = self.after(at, b".noreturn") {
            at = self.skipped(end);
            if self.at(at) == b';' {
                return Some(at + 1);
            }
        }
        (self.at(at) == b'{').then_some(at + 1)
    }

    /// The end of parameters in parentheses.
    fn parameters(&self, at: usize, kind: ParameterKind, elements: &mut Vec<ScannedElement>) -> Option<usize> {
        let mut at = self.skipped(self.after(at, b"(")?);
        if self.at(at) == b')' {
            return Some(at + 1);
        }
        loop {
            let end = self.parameter(at)?;
            elements.push(ScannedElement::Parameter { start: at as u32, end: end as u32, kind });
            at = self.skipped(end);
            match self.at(at) {
                b',' => at = self.skipped(at + 1),
                b')' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    fn parameter(&self, at: usize) -> Option<usize> {
        let mut at = self.typed(self.behind(at, b".param").or_else(|| self.behind(at, b".reg"))?)?;
        if let Some(pointer) = self.behind(at, b".ptr") {
            at = self.pointer(pointer)?;
        }
        let name = self.name(at)?;
        // One dimension at most.
        self.dimensions(name, FirstDimension::HasSize)
            .filter(|end| self.slice(name..*end).iter().filter(|byte| **byte == b'[').count() < 2)
    }

    /// The end of what may follow `.ptr`: a space, an alignment, and white space.
    pub(super) fn pointer(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        let at = match self.slice(at..end) {
            b".global" | b".shared" | b".const" | b".local" => self.skipped(end),
            _ => at,
        };
        self.aligned(at)
    }

    /// The end of a performance-tuning directive.
    fn tuning(&self, at: usize) -> Option<usize> {
        let word = self.word(at + 1);
        let most = match self.slice(at..word) {
            b".maxnreg" | b".minnctapersm" | b".maxnctapersm" | b".maxclusterrank" => 1,
            b".maxntid" | b".reqntid" | b".reqnctapercluster" => 3,
            _ => return None,
        };
        let mut end = self.integer(self.gap(word)?)?;
        for _ in 1..most {
            let comma = self.skipped(end);
            if self.at(comma) == b',' {
                end = self.integer(self.skipped(comma + 1))?;
            }
        }
        Some(end)
    }
}

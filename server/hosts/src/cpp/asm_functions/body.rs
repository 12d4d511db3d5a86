//! Reads the body of a function.

use super::tokens::{BodyToken, BodyTokenKind, matching};
use super::{BranchCondition, CppFunction, FunctionStep};
use std::ops::Range;

/// Functions that order memory or wait for other threads.
const BARRIERS: [&str; 5] =
    ["__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block", "__threadfence_system"];

/// Functions and casts without an effect on memory.
const PURE: [&str; 24] = [
    "__cvta_generic_to_shared",
    "__cvta_generic_to_global",
    "static_cast",
    "reinterpret_cast",
    "sizeof",
    "alignof",
    "min",
    "max",
    "uint32_t",
    "uint64_t",
    "int",
    "unsigned",
    "float",
    "double",
    "size_t",
    "int32_t",
    "int64_t",
    "make_float4",
    "make_float2",
    "make_int4",
    "make_uint4",
    "__nanosleep",
    "__float2half",
    "__activemask",
];

/// Words of declarations that other words follow.
const DECLARING: [&str; 16] = [
    "T", "U", "auto", "bool", "char", "const", "double", "float", "int", "long", "short", "size_t", "static",
    "typename", "unsigned", "volatile",
];

/// The characters of words that stand for other text: of a part that is not known, and of a template.
const HOLES: [char; 2] = ['\u{fffc}', '$'];

/// The signs that a statement begins with.
const FIRST_SIGNS: &[u8] = b"*&(+-!~:;";

/// Words that begin code which is not plain.
const COMPLEX: [&str; 7] = ["switch", "goto", "try", "asm", "case", "default", "else"];

/// The function with the steps of its body; `None` if its control flow is not plain.
pub(super) fn read(text: &str, tokens: &[BodyToken], function: CppFunction) -> Option<CppFunction> {
    let mut reader = BodyReader { text, tokens, function, labels: 0, loops: Vec::new() };
    let mut at = 0;
    while at < tokens.len() {
        at = reader.statement(at)?;
    }
    Some(reader.function)
}

struct BodyReader<'t> {
    text: &'t str,
    tokens: &'t [BodyToken],
    function: CppFunction,
    labels: usize,
    /// The labels that `continue` and `break` go to.
    loops: Vec<(usize, usize)>,
}

impl BodyReader<'_> {
    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(token) if token.kind == BodyTokenKind::Word => &self.text[token.range.clone()],
            _ => "",
        }
    }

    fn is(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(sign))
    }

    /// Whether a word stands for text that is not known.
    fn is_hole(&self, at: usize) -> bool {
        self.word(at).contains(HOLES)
    }

    /// Whether a word before another one may be a macro: no type is known by it.
    fn may_be_macro(&self, at: usize) -> bool {
        let (word, next) = (self.word(at), self.word(at + 1));
        let is_declared = |name: &str| {
            let known = self.function.parameters.iter().chain(&self.function.shared).any(|known| known == name);
            known
                || self
                    .function
                    .steps
                    .iter()
                    .any(|step| matches!(step, FunctionStep::Define(known, _) if known == name))
        };
        let is_followed = !next.is_empty()
            || matches!(self.tokens.get(at + 1), Some(next) if matches!(next.kind, BodyTokenKind::Statement(_)));
        let is_new = !next.is_empty() && !is_declared(next);
        let is_type = is_new && (word.contains(|letter: char| letter.is_lowercase()) || self.declares(at + 1));
        !word.is_empty() && is_followed && !is_type && !DECLARING.contains(&word) && !word.ends_with("_t")
    }

    /// Whether a name may be declared at its place: it is there for the first time, and an initial value, dimensions or the end follow it.
    fn declares(&self, at: usize) -> bool {
        let is_end = [b';', b'=', b'[', b','].into_iter().any(|sign| self.is(at + 1, sign));
        is_end && !self.is(at + 2, b'=') && !(0..at).any(|earlier| self.word(earlier) == self.word(at))
    }

    fn step(&mut self, step: FunctionStep) {
        self.function.steps.push(step);
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn branch(&mut self, to: usize) {
        self.step(FunctionStep::Branch(to, None));
    }

    fn branch_if(&mut self, to: usize, expression: Range<usize>, taken_if: bool) {
        self.step(FunctionStep::Branch(to, Some(BranchCondition { expression, taken_if })));
    }

    /// Reads a statement. Returns the token after it.
    fn statement(&mut self, at: usize) -> Option<usize> {
        if self.is(at, b'{') {
            let end = matching(self.tokens, at)?;
            let mut inner = at + 1;
            while inner < end {
                inner = self.statement(inner)?;
            }
            return Some(end + 1);
        }
        match self.tokens.get(at)?.kind {
            BodyTokenKind::Omitted => {
                self.step(FunctionStep::Unknown);
                return Some(at + 1);
            }
            // The text for it may be more than one statement.
            BodyTokenKind::Word if self.is_hole(at) => return None,
            BodyTokenKind::Sign(sign) if !FIRST_SIGNS.contains(&sign) => return None,
            _ => {}
        }
        match self.word(at) {
            "if" => self.condition(at),
            "while" => {
                let (again, end) = (self.label(), self.label());
                let close = matching(self.tokens, at + 1)?;
                self.step(FunctionStep::Label(again));
                self.expression(at + 2..close)?;
                self.branch_if(end, self.inside(at + 1, close), false);
                self.body_of_loop(close + 1, again, end)
            }
            "for" => self.counted_loop(at),
            "do" => self.late_loop(at),
            "return" => {
                let end = self.end_of_expression(at)?;
                self.expression(at + 1..end)?;
                self.step(FunctionStep::Return);
                Some(end + 1)
            }
            word @ ("break" | "continue") => {
                let (again, end) = *self.loops.last()?;
                let to = if word == "break" { end } else { again };
                self.branch(to);
                Some(at + 2)
            }
            word if COMPLEX.contains(&word) => None,
            _ => {
                let end = self.end_of_expression(at)?;
                self.expression(at..end)?;
                Some(end + 1)
            }
        }
    }

    /// The text between two brackets.
    fn inside(&self, open: usize, close: usize) -> Range<usize> {
        self.tokens[open].range.end..self.tokens[close].range.start
    }

    fn condition(&mut self, at: usize) -> Option<usize> {
        let open = if self.word(at + 1) == "constexpr" { at + 2 } else { at + 1 };
        let close = matching(self.tokens, open).filter(|_| self.is(open, b'('))?;
        self.expression(open + 1..close)?;
        let (other, end) = (self.label(), self.label());
        self.branch_if(other, self.inside(open, close), false);
        let mut next = self.statement(close + 1)?;
        let has_else = self.word(next) == "else";
        if has_else {
            self.branch(end);
        }
        self.step(FunctionStep::Label(other));
        if has_else {
            next = self.statement(next + 1)?;
        }
        self.step(FunctionStep::Label(end));
        Some(next)
    }

    fn counted_loop(&mut self, at: usize) -> Option<usize> {
        let close = matching(self.tokens, at + 1)?;
        let first = (at + 2..close).find(|at| self.is(*at, b';'))?;
        let second = (first + 1..close).find(|at| self.is(*at, b';'))?;
        if (second..close).any(|at| self.is_hole(at)) {
            return None;
        }
        self.expression(at + 2..first)?;
        let (again, end) = (self.label(), self.label());
        self.step(FunctionStep::Label(again));
        self.expression(first + 1..second)?;
        if second > first + 1 {
            self.branch_if(end, self.inside(first, second), false);
        }
        // The step of the loop changes its counter.
        let changed = self.word(second + 1).to_owned();
        let changed = if changed.is_empty() { self.word(close - 1).to_owned() } else { changed };
        let next = self.body_of_loop(close + 1, again, end)?;
        self.step(FunctionStep::Define(changed, 0..0));
        Some(next)
    }

    fn body_of_loop(&mut self, at: usize, again: usize, end: usize) -> Option<usize> {
        self.loops.push((again, end));
        let next = self.statement(at)?;
        self.loops.pop();
        self.branch(again);
        self.step(FunctionStep::Label(end));
        Some(next)
    }

    fn late_loop(&mut self, at: usize) -> Option<usize> {
        let (again, end) = (self.label(), self.label());
        self.step(FunctionStep::Label(again));
        self.loops.push((again, end));
        let next = self.statement(at + 1)?;
        self.loops.pop();
        let close = matching(self.tokens, next + 1).filter(|_| self.word(next) == "while")?;
        self.expression(next + 2..close)?;
        self.branch_if(again, self.inside(next + 1, close), true);
        self.step(FunctionStep::Label(end));
        Some(close + 2)
    }

    /// The `;` that ends an expression.
    fn end_of_expression(&self, at: usize) -> Option<usize> {
        let mut at = at;
        while !self.is(at, b';') {
            match self.tokens.get(at)?.kind {
                BodyTokenKind::Sign(b'(' | b'[' | b'{') => at = matching(self.tokens, at)? + 1,
                BodyTokenKind::Sign(b')' | b']' | b'}') => return None,
                _ => at += 1,
            }
        }
        Some(at)
    }

    /// The steps of an expression or a declaration.
    fn expression(&mut self, range: Range<usize>) -> Option<()> {
        if range.clone().any(|at| self.word(at) == "__shared__") {
            let name =
                range.clone().take_while(|at| !self.is(*at, b'[')).filter(|at| !self.word(*at).is_empty()).last();
            // Several declarators, and dynamic shared memory, are not told apart.
            let is_plain = range.clone().all(|at| !self.is(at, b',') || range.clone().any(|at| self.is(at, b'(')));
            let name = name.filter(|_| is_plain)?;
            self.function.shared.push(self.word(name).to_owned());
            return Some(());
        }
        let assignment = range.clone().find(|at| self.is(*at, b'=') && !self.is_comparison(*at));
        for at in range.clone() {
            self.token(at, assignment)?;
        }
        for at in range.clone().skip(1) {
            let doubled = |sign: u8| self.is(at, sign) && self.is(at - 1, sign);
            if doubled(b'+') || doubled(b'-') {
                let name = [at + 1, at.wrapping_sub(2)]
                    .map(|at| self.word(at).to_owned())
                    .into_iter()
                    .find(|name| !name.is_empty());
                self.step(FunctionStep::Define(name.unwrap_or_default(), 0..0));
            }
        }
        let compound = |at: usize| b"+-*/%&|^".iter().any(|sign| self.is(at - 1, *sign));
        if let Some(at) = assignment.filter(|at| *at > range.start + 1 && compound(*at)) {
            // Of a shift, the name is one token further away.
            self.step(FunctionStep::Define(self.word(at - 2).to_owned(), 0..0));
        } else if let Some(at) = assignment.filter(|at| *at > range.start && !self.word(at - 1).is_empty()) {
            let value = match self.tokens.get(at + 1) {
                Some(first) if at + 1 < range.end && (at < 2 || !self.is(at - 2, b'.')) => {
                    first.range.start..self.tokens[range.end - 1].range.end
                }
                _ => 0..0,
            };
            self.step(FunctionStep::Define(self.word(at - 1).to_owned(), value));
        }
        Some(())
    }

    /// Whether an equals sign is part of another operator than an assignment.
    fn is_comparison(&self, at: usize) -> bool {
        let around = |at: usize, signs: &[u8]| signs.iter().any(|sign| self.is(at, *sign));
        self.is(at + 1, b'=') || at > 0 && around(at - 1, b"=!<>")
    }

    /// The step of one token of an expression.
    fn token(&mut self, at: usize, assignment: Option<usize>) -> Option<()> {
        match self.tokens[at].kind {
            BodyTokenKind::Condition => return None,
            BodyTokenKind::Omitted => self.step(FunctionStep::Unknown),
            BodyTokenKind::Statement(number) => self.step(FunctionStep::Statement(number)),
            BodyTokenKind::Word if self.is_hole(at) || self.may_be_macro(at) => self.step(FunctionStep::Unknown),
            BodyTokenKind::Sign(b'.') if self.is(at + 1, b'.') => self.step(FunctionStep::Unknown),
            BodyTokenKind::Word if self.is(at + 1, b'(') => {
                let name = self.word(at);
                if let Some(barrier) = BARRIERS.into_iter().find(|barrier| *barrier == name) {
                    self.step(FunctionStep::Barrier(barrier));
                } else if !PURE.contains(&name) {
                    self.step(FunctionStep::Unknown);
                }
            }
            BodyTokenKind::Word if self.is(at + 1, b'[') => {
                let close = matching(self.tokens, at + 1)?;
                let name = self.word(at).to_owned();
                let is_known = self.function.parameters.contains(&name) || self.function.shared.contains(&name);
                if is_known && !(at > 0 && self.is(at - 1, b'&')) {
                    let writes = assignment.is_some_and(|assignment| (close..=close + 2).contains(&assignment));
                    self.step(FunctionStep::Access(name, writes));
                }
            }
            // A lambda, a dereferenced call.
            BodyTokenKind::Sign(b'[') if at == 0 || self.word(at - 1).is_empty() && !self.is(at - 1, b']') => {
                return None;
            }
            _ => {}
        }
        Some(())
    }
}

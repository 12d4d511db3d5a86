//! Reads one `asm` statement behind its opening parenthesis: the parts of its template, its operands, and what it clobbers.
//!
//! Must not know what they mean, nor how a statement goes on behind a directive.

use super::follower::Follower;
use super::lexer::{CppLexeme, CppTokenKind};
use super::paste::{Pasted, Pastes};
use super::preprocessor::Preprocessor;
use super::statement::{AsmOperand, AsmStatement, Clobber, PartLiteral, TemplatePart, Via};
use std::ops::Range;

/// Reads on in a statement of which the beginning is known, the `number`-th of its text, and leaves the text where the next may begin.
/// `again` is how many lexemes may be read twice.
pub(super) fn read<'t>(
    begun: AsmStatement,
    number: usize,
    text: &mut Preprocessor<'t>,
    pastes: &mut Pastes<'t>,
    again: &mut usize,
) -> AsmStatement {
    let mut reader = StatementReader { follower: Follower::new(text, again), pastes, number, made: begun };
    reader.read();
    let StatementReader { follower, mut made, .. } = reader;
    made.range.end = follower.text.lexer.at.max(made.keyword.end);
    made.groups.clone_from(&follower.groups);
    follower.go_on();
    made
}

struct StatementReader<'s, 't> {
    follower: Follower<'s, 't>,
    pastes: &'s mut Pastes<'t>,
    /// How many statements were read before this one.
    number: usize,
    made: AsmStatement,
}

/// No statement has more lexemes.
const LONGEST: usize = 60_000;

impl<'t> StatementReader<'_, 't> {
    fn read(&mut self) {
        for _ in 0..LONGEST {
            let lexeme = self.follower.next();
            match &lexeme.kind {
                CppTokenKind::Sign(b')') => {
                    self.made.finished = true;
                    // A macro behind the text may bring colons along.
                    let bare = self.follower.section == 0 && self.made.template.len() > 1;
                    self.made.open |= bare && self.made.template.last().is_some_and(|part| part.literal.is_none());
                    return;
                }
                CppTokenKind::End | CppTokenKind::Sign(b';' | b'{' | b'}') => {
                    self.follower.leave(&lexeme);
                    return;
                }
                CppTokenKind::Sign(b':') => {
                    self.follower.section += 1;
                    self.made.colons.push(lexeme.range.start);
                }
                CppTokenKind::Sign(b',') => {}
                _ => {
                    let went_well = match self.follower.section {
                        0 => self.part(lexeme),
                        section @ (1 | 2) => self.operand(lexeme, section == 1),
                        3 => self.clobber(lexeme),
                        _ => true,
                    };
                    if !went_well {
                        return;
                    }
                }
            }
        }
    }

    /// A piece of the template.
    fn part(&mut self, lexeme: CppLexeme) -> bool {
        let mut range = lexeme.range.clone();
        let branches = self.follower.branches.clone();
        let mut went_well = true;
        let literal = match lexeme.kind {
            CppTokenKind::Text(literal) => Some(PartLiteral::from(literal)),
            CppTokenKind::Sign(b'(') => {
                went_well = self.group(&mut range);
                None
            }
            CppTokenKind::Word if self.follower.peek().is(b'(') => {
                self.follower.next();
                went_well = self.group(&mut range);
                None
            }
            CppTokenKind::Word => {
                if let Some(pasted) = self.pasted(&range) {
                    // In the body of a macro a name counts when that is used, which may be later.
                    self.pastes.note(self.number, &range, &pasted, self.follower.text.lexer.in_line);
                    let part = |literal| TemplatePart {
                        range: range.clone(),
                        literal: Some(literal),
                        branches: branches.clone(),
                        via: Via::SharedMacro,
                    };
                    self.made.template.extend(pasted.literals.into_iter().map(part));
                    return true;
                }
                None
            }
            _ => None,
        };
        self.made.template.push(TemplatePart { range, literal, branches, via: Via::Itself });
        went_well
    }

    /// The rest of a group behind its opening parenthesis; `false` where it does not end.
    fn group(&mut self, range: &mut Range<usize>) -> bool {
        let (mut depth, mut braces) = (1usize, 0usize);
        for _ in 0..LONGEST {
            let lexeme = self.follower.next();
            match lexeme.kind {
                CppTokenKind::Sign(b'(' | b'[') => depth += 1,
                CppTokenKind::Sign(b')' | b']') => {
                    depth -= 1;
                    if depth == 0 {
                        range.end = lexeme.range.end;
                        return true;
                    }
                }
                CppTokenKind::Sign(b'{') => braces += 1,
                CppTokenKind::Sign(b'}') if braces > 0 => braces -= 1,
                CppTokenKind::Sign(b';') if braces > 0 => {}
                CppTokenKind::End | CppTokenKind::Sign(b';' | b'}') => {
                    self.follower.leave(&lexeme);
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    /// An operand that begins with a lexeme, and what stands there in its place.
    fn operand(&mut self, first: CppLexeme, output: bool) -> bool {
        let mut lexeme = first;
        let branches = self.follower.branches.clone();
        let mut name = None;
        if lexeme.is(b'[') {
            let mut range = lexeme.range.clone();
            if !self.group(&mut range) {
                return false;
            }
            name = Some(range);
            if matches!(self.follower.peek().kind, CppTokenKind::Sign(_) | CppTokenKind::End) {
                self.made.open = true;
                return true;
            }
            lexeme = self.follower.next();
        }
        let mut at = lexeme.range.clone();
        let mut constraint = Some(String::new());
        loop {
            at.end = lexeme.range.end;
            match &lexeme.kind {
                CppTokenKind::Text(literal) => {
                    let text = self.text(&literal.inner);
                    constraint.iter_mut().for_each(|constraint| constraint.push_str(text));
                }
                _ => constraint = None,
            }
            let next = self.follower.peek();
            match next.kind {
                CppTokenKind::Sign(b'(') => break,
                CppTokenKind::Text(_) | CppTokenKind::Word | CppTokenKind::Number | CppTokenKind::Sign(b'#') => {
                    lexeme = self.follower.next()
                }
                _ => {
                    self.made.open = true;
                    return true;
                }
            }
        }
        let mut expression = self.follower.next().range;
        let only_words = !self.text(&at).contains('"');
        if !self.group(&mut expression) {
            return false;
        }
        // `MACRO(x)` may be any number of operands; `"r"(x)` is one, and so is `MACRO(c)(x)`.
        if only_words {
            if !self.follower.peek().is(b'(') {
                self.made.open = true;
                return true;
            }
            at.end = expression.end;
            expression = self.follower.next().range;
            if !self.group(&mut expression) {
                return false;
            }
        }
        // Behind what may be any number of operands nobody knows the number of one.
        if self.made.open {
            return true;
        }
        self.made.operands.push(AsmOperand { output, name, constraint_at: at, constraint, expression, branches });
        true
    }

    fn clobber(&mut self, lexeme: CppLexeme) -> bool {
        let branches = self.follower.branches.clone();
        let name = match &lexeme.kind {
            CppTokenKind::Text(literal) => Some(self.text(&literal.inner).to_owned()),
            _ => None,
        };
        let mut range = lexeme.range.clone();
        let text = self.follower.text.lexer.text;
        // Literals side by side are one.
        if let (CppTokenKind::Text(_), Some(before)) = (&lexeme.kind, self.made.clobbers.last_mut())
            && before.branches == branches
            && !text[before.range.end..range.start].contains(',')
        {
            before.range.end = range.end;
            before.name = before.name.take().zip(name).map(|(a, b)| a + &b);
            return true;
        }
        if lexeme.kind == CppTokenKind::Word && self.follower.peek().is(b'(') {
            self.follower.next();
            if !self.group(&mut range) {
                return false;
            }
        }
        self.made.clobbers.push(Clobber { range, name, branches });
        true
    }

    /// The text of a range.
    fn text(&self, range: &Range<usize>) -> &'t str {
        self.follower.text.lexer.read(range)
    }

    /// The literals that a macro certainly stands for.
    fn pasted(&mut self, name: &Range<usize>) -> Option<Pasted<'t>> {
        let Preprocessor { lexer, macros, parameters, .. } = &*self.follower.text;
        let word = lexer.read(name);
        // What is made text or glued is no macro any more.
        let glued = lexer.text[..name.start].trim_end().ends_with('#') || lexer.peek().is(b'#');
        if glued || parameters.contains(&word) {
            return None;
        }
        self.pastes.literals(lexer.text, word, macros, parameters)
    }
}

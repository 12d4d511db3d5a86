//! Parses one `asm` statement after its opening parenthesis: template, operands and clobbers.

use super::lexer::{CppToken, CppTokenKind};
use super::macro_literals::{MacroExpansion, MacroLiterals, NamePlace};
use super::preprocessor::Preprocessor;
use super::statement_tokens::StatementTokens;
use crate::inline_asm::{AsmOperand, AsmStatement, Branches, Clobber, LiteralSource, PartLiteral, TemplatePart};
use std::ops::Range;

/// The section of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandDirection {
    Output,
    Input,
}

/// Parses the rest of a statement, the `number`-th of its text, and leaves the text where the next statement may begin.
/// At most `reread_budget` tokens may be read twice.
pub(super) fn parse<'t>(
    unfinished: AsmStatement,
    number: usize,
    text: &mut Preprocessor<'t>,
    macros_named: &mut MacroLiterals<'t>,
    reread_budget: &mut usize,
) -> AsmStatement {
    let mut reader = StatementParser {
        statement_tokens: StatementTokens::new(text, reread_budget),
        macros_named,
        number,
        statement: unfinished,
        separated: Separated::Yes,
    };
    reader.read();
    let StatementParser { statement_tokens, mut statement, .. } = reader;
    statement.range.end = statement_tokens.text.lexer.at.max(statement.keyword.end);
    statement.groups.clone_from(&statement_tokens.groups);
    statement_tokens.finish();
    statement
}

struct StatementParser<'s, 't> {
    statement_tokens: StatementTokens<'s, 't>,
    macros_named: &'s mut MacroLiterals<'t>,
    /// The number of statements before this one.
    number: usize,
    statement: AsmStatement,
    /// Whether a comma or a colon stands before the next operand.
    separated: Separated,
}

/// Whether an operand is separated from the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separated {
    Yes,
    No,
}

/// The maximum number of tokens in a statement.
const MAX_TOKENS: usize = 60_000;

impl<'t> StatementParser<'_, 't> {
    fn read(&mut self) {
        for _ in 0..MAX_TOKENS {
            let token = self.statement_tokens.next();
            match &token.kind {
                CppTokenKind::Sign(b')') => {
                    self.statement.finished = true;
                    // A macro after the template may contain colons.
                    let bare = self.statement_tokens.section == 0 && self.statement.template.len() > 1;
                    self.statement.open |=
                        bare && self.statement.template.last().is_some_and(|part| part.literal.is_none());
                    return;
                }
                CppTokenKind::End | CppTokenKind::Sign(b';' | b'{' | b'}') => {
                    self.statement_tokens.leave(&token);
                    return;
                }
                CppTokenKind::Sign(b':') => {
                    self.statement_tokens.section += 1;
                    self.statement.colons.push(token.range.start);
                    self.separated = Separated::Yes;
                }
                CppTokenKind::Sign(b',') => self.separated = Separated::Yes,
                _ => {
                    let is_complete = match self.statement_tokens.section {
                        0 => self.part(token),
                        1 => self.operand(token, OperandDirection::Output),
                        2 => self.operand(token, OperandDirection::Input),
                        3 => self.clobber(token),
                        _ => true,
                    };
                    if !is_complete {
                        return;
                    }
                }
            }
        }
    }

    /// Parses a part of the template.
    fn part(&mut self, token: CppToken) -> bool {
        let mut range = token.range.clone();
        let branches = self.statement_tokens.branches.clone();
        let mut is_complete = true;
        let literal = match token.kind {
            CppTokenKind::Text(literal) => Some(PartLiteral::from(literal)),
            CppTokenKind::Sign(b'(') => {
                is_complete = self.group(&mut range);
                None
            }
            CppTokenKind::Word if self.statement_tokens.peek().is(b'(') => {
                self.statement_tokens.next();
                is_complete = self.group(&mut range);
                None
            }
            CppTokenKind::Word => {
                if let Some(pasted) = self.pasted(&range) {
                    // A name in the body of a macro is expanded where the macro is used, which may be later.
                    self.macros_named.note(self.number, &range, &pasted, self.statement_tokens.text.lexer.in_line);
                    let part = |literal| TemplatePart {
                        range: range.clone(),
                        literal: Some(literal),
                        branches: branches.clone(),
                        via: LiteralSource::SharedMacro,
                    };
                    self.statement.template.extend(pasted.literals.into_iter().map(part));
                    return true;
                }
                None
            }
            _ => None,
        };
        self.statement.template.push(TemplatePart { range, literal, branches, via: LiteralSource::Written });
        is_complete
    }

    /// Parses the rest of a group after its opening parenthesis; `false` if it is unclosed.
    fn group(&mut self, range: &mut Range<usize>) -> bool {
        let (mut depth, mut braces) = (1usize, 0usize);
        for _ in 0..MAX_TOKENS {
            let token = self.statement_tokens.next();
            match token.kind {
                CppTokenKind::Sign(b'(' | b'[') => depth += 1,
                CppTokenKind::Sign(b')' | b']') => {
                    depth -= 1;
                    if depth == 0 {
                        range.end = token.range.end;
                        return true;
                    }
                }
                CppTokenKind::Sign(b'{') => braces += 1,
                CppTokenKind::Sign(b'}') if braces > 0 => braces -= 1,
                CppTokenKind::Sign(b';') if braces > 0 => {}
                CppTokenKind::End | CppTokenKind::Sign(b';' | b'}') => {
                    self.statement_tokens.leave(&token);
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    /// Parses an operand, or the macro in its place, from its first token on.
    fn operand(&mut self, first: CppToken, direction: OperandDirection) -> bool {
        let mut token = first;
        let branches = self.statement_tokens.branches.clone();
        let mut name = None;
        if token.is(b'[') {
            let mut range = token.range.clone();
            if !self.group(&mut range) {
                return false;
            }
            name = Some(range);
            if matches!(self.statement_tokens.peek().kind, CppTokenKind::Sign(_) | CppTokenKind::End) {
                self.statement.open = true;
                return true;
            }
            token = self.statement_tokens.next();
        }
        let Some((mut at, constraint)) = self.constraint(token) else {
            self.statement.open = true;
            return true;
        };
        let mut expression = self.statement_tokens.next().range;
        let only_words = !self.text(&at).contains('"');
        if !self.group(&mut expression) {
            return false;
        }
        // `MACRO(x)` may be any number of operands; `"r"(x)` is one, and so is `MACRO(c)(x)`.
        if only_words {
            if !self.statement_tokens.peek().is(b'(') {
                self.statement.open = true;
                return true;
            }
            at.end = expression.end;
            expression = self.statement_tokens.next().range;
            if !self.group(&mut expression) {
                return false;
            }
        }
        // After a macro with an unknown number of operands, the numbers of further operands are unknown.
        if self.statement.open {
            return true;
        }
        let output = direction == OperandDirection::Output;
        self.note_comma(&name, &at, &branches);
        let letter = constraint.as_deref().and_then(AsmOperand::only_letter);
        let register = letter.and_then(register);
        self.statement.operands.push(AsmOperand {
            output,
            name,
            constraint_at: at,
            constraint,
            register,
            bits: None,
            expression,
            branches,
        });
        true
    }

    /// Notes the missing comma before an operand, if there is none. Branches of an `#if` may have it.
    fn note_comma(&mut self, name: &Option<Range<usize>>, constraint: &Range<usize>, branches: &Branches) {
        let before = self.statement.operands.last().filter(|before| before.branches == *branches);
        if self.separated == Separated::No && before.is_some() {
            self.statement.missing_commas.push(name.as_ref().map_or(constraint.start, |name| name.start));
        }
        self.separated = Separated::No;
    }

    /// Parses a constraint: its range, and its text if it consists of literals. `None` without an expression after it.
    fn constraint(&mut self, first: CppToken) -> Option<(Range<usize>, Option<String>)> {
        let mut token = first;
        let mut range = token.range.clone();
        let mut constraint = Some(String::new());
        loop {
            range.end = token.range.end;
            match &token.kind {
                CppTokenKind::Text(literal) => {
                    let text = self.text(&literal.inner);
                    constraint.iter_mut().for_each(|constraint| constraint.push_str(text));
                }
                _ => constraint = None,
            }
            match self.statement_tokens.peek().kind {
                CppTokenKind::Sign(b'(') => return Some((range, constraint)),
                CppTokenKind::Text(_) | CppTokenKind::Word | CppTokenKind::Number | CppTokenKind::Sign(b'#') => {
                    token = self.statement_tokens.next();
                }
                _ => return None,
            }
        }
    }

    fn clobber(&mut self, token: CppToken) -> bool {
        let branches = self.statement_tokens.branches.clone();
        let name = match &token.kind {
            CppTokenKind::Text(literal) => Some(self.text(&literal.inner).to_owned()),
            _ => None,
        };
        let mut range = token.range.clone();
        let text = self.statement_tokens.text.lexer.text;
        // Adjacent literals are concatenated.
        if let (CppTokenKind::Text(_), Some(before)) = (&token.kind, self.statement.clobbers.last_mut())
            && before.branches == branches
            && !text[before.range.end..range.start].contains(',')
        {
            before.range.end = range.end;
            before.name = before.name.take().zip(name).map(|(a, b)| a + &b);
            return true;
        }
        if token.kind == CppTokenKind::Word && self.statement_tokens.peek().is(b'(') {
            self.statement_tokens.next();
            if !self.group(&mut range) {
                return false;
            }
        }
        self.statement.clobbers.push(Clobber { range, name, branches });
        true
    }

    /// The text of a range.
    fn text(&self, range: &Range<usize>) -> &'t str {
        self.statement_tokens.text.lexer.read(range)
    }

    /// The literals that a macro certainly expands to.
    fn pasted(&mut self, name: &Range<usize>) -> Option<MacroExpansion<'t>> {
        let Preprocessor { lexer, macros, parameters, .. } = &*self.statement_tokens.text;
        let word = lexer.read(name);
        // A stringized or concatenated name is not expanded.
        let glued = lexer.text[..name.start].trim_end().ends_with('#') || lexer.peek().is(b'#');
        if glued || parameters.contains(&word) {
            return None;
        }
        self.macros_named.literals(&NamePlace { text: lexer.text, name, macros, parameters })
    }
}

/// The type of the register that a constraint's letter stands for in device code.
pub(super) fn register(letter: char) -> Option<&'static str> {
    Some(match letter {
        'h' => ".b16",
        'r' => ".b32",
        'l' => ".b64",
        'f' => ".f32",
        'd' => ".f64",
        'q' => ".b128",
        _ => return None,
    })
}

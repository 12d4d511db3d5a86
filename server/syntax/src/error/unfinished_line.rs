//! Instructions that end at a line end without their `;`: the next line begins another statement, and is not at fault.
//!
//! An instruction may go on in the next line, so only a text with an error is read this way.

use crate::error::instruction_error::{is_opcode, missing_end, missing_semicolon};
use crate::error::statement::{InstructionError, instruction_error};
use crate::error::words::{StatementWord, WordKind};
use crate::error::{SyntaxError, error};
use crate::reader::Token;

/// The error at the end of an unfinished instruction, if the first error of a statement is there.
pub(super) fn unfinished_line(statement: &Token, words: &[StatementWord]) -> Option<SyntaxError> {
    let lines = Lines { text: &statement.text, words };
    let next = lines.first_of_next_statement()?;
    let (InstructionError::Expected(at, what), last) =
        (instruction_error(lines.text, &words[..next])?, statement.part(words[next - 1].range.clone()))
    else {
        return None;
    };
    if at != next || what == "an instruction" {
        return None;
    }
    if lines.opcode() + 1 == next {
        return Some(missing_end(&last));
    }
    if what.contains("`;`") {
        return Some(missing_semicolon(last.range.end));
    }
    Some(describe(what, &last, statement.part(words[0].range.start..last.range.end - statement.range.start)))
}

/// The error after the last word of an unfinished instruction.
fn describe(what: &str, last: &Token, instruction: Token) -> SyntaxError {
    let end = last.range.end;
    let insert = |text: &str| Some((end..end, text.to_owned()));
    let missing = |message: String, fix| SyntaxError { fix, ..error(end..end, message, String::new()) };
    if let Some(close) = ["]", "}", ")"].into_iter().find(|close| what.ends_with(&format!("`{close}`"))) {
        return missing(format!("expected {what} before the end of the line"), insert(&format!("{close};")));
    }
    if last.text == "," {
        let fix = Some((last.range.clone(), ";".to_owned()));
        return missing("expected an operand after the `,`".to_owned(), fix);
    }
    let fix = Some((instruction.range, String::new()));
    missing(format!("expected {what} before the end of the line"), fix)
}

/// The words of a statement, by the lines that they are in.
struct Lines<'a> {
    text: &'a str,
    words: &'a [StatementWord],
}

impl<'a> Lines<'a> {
    /// The index of the first word that is first on its line and begins a statement, before the first `;`.
    fn first_of_next_statement(&self) -> Option<usize> {
        let end = self.words.iter().position(|word| self.part(word) == ";").unwrap_or(self.words.len());
        (1..self.words.len().min(end + 1)).find(|at| self.begins_line(*at) && self.begins_statement(*at))
    }

    /// The index of the opcode, after labels and a guard.
    fn opcode(&self) -> usize {
        let text = |at: usize| self.words.get(at).map_or("", |word| self.part(word));
        let mut at = 0;
        while text(at + 1) == ":" {
            at += 2;
        }
        match (text(at), text(at + 1)) {
            ("@", "!") => at + 3,
            ("@", _) => at + 2,
            _ => at,
        }
    }

    /// Whether a `{` begins a block: a statement ends before the next brace.
    fn is_block(&self, at: usize) -> bool {
        let mut signs = self.words[at + 1..].iter().map(|word| self.part(word));
        signs.find(|sign| matches!(*sign, ";" | "{" | "}")) == Some(";")
    }

    fn part(&self, word: &StatementWord) -> &'a str {
        &self.text[word.range.clone()]
    }

    fn begins_line(&self, at: usize) -> bool {
        self.text[self.words[at - 1].range.end..self.words[at].range.start].contains('\n')
    }

    /// Whether a word that is first on its line begins a statement: a directive, a guard, the end of a block, or an opcode with what may follow one.
    fn begins_statement(&self, at: usize) -> bool {
        let word = self.part(&self.words[at]);
        let next = self.words.get(at + 1).filter(|_| at + 1 < self.words.len() && !self.begins_line(at + 1));
        match word {
            "@" | "}" => true,
            "{" => self.is_block(at),
            _ if word.starts_with('.') => self.words[at].kind == WordKind::Word,
            _ if !is_opcode(word) => next.is_some_and(|next| self.part(next) == ":"),
            _ => match next {
                None => true,
                Some(next) if matches!(self.part(next), ";" | ":" | "{") => true,
                Some(next) if matches!(self.part(next), "[" | "(") => word.contains('.'),
                Some(next) => matches!(next.kind, WordKind::Word | WordKind::Number),
            },
        }
    }
}

//! The first unexpected word of an instruction, found by a strict parse.
//!
//! tree-sitter recovers where that is cheapest; a message has to name the first mistake.

use crate::error::words::{StatementWord, WordKind};

/// The first error of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InstructionError {
    /// The index of an unexpected word, or the number of words at the end, and what was expected.
    Expected(usize, &'static str),
    /// `[a-4]`: the index of the sign or the negative number.
    Subtracted(usize),
    /// `[a+b]`: the index of an offset that is no constant.
    AddedName(usize),
    /// `@p {`: the index of the brace.
    GuardedBlock(usize),
    /// `;` without an instruction before it.
    Empty(usize),
}

/// The first error of a statement that should be an instruction.
pub(super) fn instruction_error(text: &str, words: &[StatementWord]) -> Option<InstructionError> {
    WordReader { text, words, at: 0 }.instruction().err()
}

struct WordReader<'a> {
    text: &'a str,
    words: &'a [StatementWord],
    at: usize,
}

type StrictResult = Result<(), InstructionError>;

impl<'a> WordReader<'a> {
    fn kind(&self) -> Option<WordKind> {
        self.words.get(self.at).map(|word| word.kind)
    }

    fn text(&self) -> &'a str {
        self.words.get(self.at).map_or("", |word| &self.text[word.range.clone()])
    }

    fn take(&mut self, sign: &str) -> bool {
        let fits = self.text() == sign;
        self.at += usize::from(fits);
        fits
    }

    fn expect(&mut self, sign: &str, what: &'static str) -> StrictResult {
        if self.take(sign) { Ok(()) } else { self.fail(what) }
    }

    fn fail(&self, what: &'static str) -> StrictResult {
        Err(InstructionError::Expected(self.at, what))
    }

    fn word(&mut self, what: &'static str) -> StrictResult {
        match self.kind() {
            Some(WordKind::Word) => {
                self.at += 1;
                Ok(())
            }
            _ => self.fail(what),
        }
    }

    fn instruction(&mut self) -> StrictResult {
        while self.kind() == Some(WordKind::Word)
            && self.words.get(self.at + 1).is_some_and(|next| &self.text[next.range.clone()] == ":")
        {
            self.at += 2;
        }
        if self.text() == ";" {
            return Err(InstructionError::Empty(self.at));
        }
        if self.take("@") {
            self.take("!");
            self.word("a predicate")?;
            if self.text() == "{" {
                return Err(InstructionError::GuardedBlock(self.at));
            }
        }
        if self.text().starts_with(['.', '_']) {
            return self.fail("an instruction");
        }
        self.word("an instruction")?;
        while self.text().starts_with('.') && self.kind() == Some(WordKind::Word) {
            self.at += 1;
        }
        if self.take(";") {
            return Ok(());
        }
        self.list(";", "`,` or `;`")
    }

    /// Operands up to a closing sign.
    fn list(&mut self, close: &str, what: &'static str) -> StrictResult {
        loop {
            self.operand()?;
            if self.take(close) {
                return Ok(());
            }
            self.expect(",", what)?;
        }
    }

    fn operand(&mut self) -> StrictResult {
        if self.take("[") {
            return self.address();
        }
        if self.take("{") {
            return if self.take("}") { Ok(()) } else { self.list("}", "`,` or `}`") };
        }
        if self.text() == "(" {
            let before = self.at;
            self.at += 1;
            if self.take(")") {
                return Ok(());
            }
            let list = self.list(")", "`,` or `)`");
            if list.is_ok() && !self.is_operator() {
                return Ok(());
            }
            self.at = before;
        }
        self.expression()?;
        if self.take("|") {
            return self.word("a predicate or `_`");
        }
        Ok(())
    }

    fn address(&mut self) -> StrictResult {
        self.operand()?;
        if self.text() == "-" {
            return Err(InstructionError::Subtracted(self.at));
        }
        if self.text() == "+" && self.words.get(self.at + 1).is_some_and(|next| next.kind == WordKind::Word) {
            return Err(InstructionError::AddedName(self.at + 1));
        }
        if self.take("]") {
            return Ok(());
        }
        self.expect(",", "`]`")?;
        self.list("]", "`,` or `]`")
    }

    fn is_operator(&self) -> bool {
        matches!(
            self.text(),
            "+" | "-"
                | "*"
                | "/"
                | "%"
                | "<<"
                | ">>"
                | "&"
                | "^"
                | "=="
                | "!="
                | "<"
                | "<="
                | ">"
                | ">="
                | "&&"
                | "||"
                | "?"
        )
    }

    /// A name, or a constant expression. What follows a name is left to the caller.
    fn expression(&mut self) -> StrictResult {
        if self.kind() == Some(WordKind::Word) {
            // Nothing with a dot has a subscript: such a word before a bracket is an opcode.
            let is_plain = !self.text().contains('.');
            self.at += 1;
            if is_plain && self.take("[") {
                self.expression()?;
                return self.expect("]", "`]`");
            }
            if self.text() == "(" {
                return self.operand();
            }
            // `register + constant` is only allowed in addresses.
            if self.text() != "+" || self.words.get(self.at + 1).is_some_and(|next| next.kind == WordKind::Word) {
                return Ok(());
            }
        } else {
            self.constant()?;
        }
        while self.is_operator() {
            let conditional = self.take("?");
            self.at += usize::from(!conditional);
            self.constant()?;
            if conditional {
                self.expect(":", "`:`")?;
                self.constant()?;
            }
        }
        Ok(())
    }

    fn constant(&mut self) -> StrictResult {
        while matches!(self.text(), "-" | "+" | "~" | "!") {
            self.at += 1;
        }
        match self.kind() {
            Some(WordKind::Number | WordKind::Word) => {
                self.at += 1;
                if self.text() == "(" { self.operand() } else { Ok(()) }
            }
            _ if self.take("(") => {
                if self.text().starts_with('.') {
                    self.at += 1;
                    self.expect(")", "`)`")?;
                    return self.constant();
                }
                self.expression()?;
                self.expect(")", "`)`")
            }
            _ => self.fail("an operand"),
        }
    }
}

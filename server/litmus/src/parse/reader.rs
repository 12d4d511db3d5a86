//! The state of the parser: the remaining tokens and the known names.

use crate::lexer::{LitmusToken, tokens};
use crate::parse::async_operations::AsyncOperations;
use crate::test::{LitmusError, Test};
use memory_model::{Bits, Location, ModelRegister, Observable, Thread};
use std::ops::Range;
use syntax::decimal_or_hex;

/// The size of every location of a test, in bytes.
pub const BYTES: u32 = 8;

/// The parser of a test.
pub struct LitmusReader<'t> {
    text: &'t str,
    tokens: Vec<LitmusToken<'t>>,
    at: usize,
    pub test: Test,
    /// The observables that initial values and conditions name.
    pub mentioned: Vec<Observable>,
    /// The observables that conditions name, and their ranges.
    pub named: Vec<(Observable, Range<usize>)>,
    /// The numbers that conditions compare with observables, and their ranges.
    pub compared: Vec<(Observable, Bits, Range<usize>)>,
    /// The asynchronous operations that the threads issue.
    pub asynchronous: AsyncOperations,
}

impl<'t> LitmusReader<'t> {
    /// A parser at the start of a text, with a test that may be parsed in part.
    pub fn new(text: &'t str, test: Test) -> Self {
        LitmusReader {
            text,
            tokens: Vec::new(),
            at: 0,
            test,
            mentioned: Vec::new(),
            named: Vec::new(),
            compared: Vec::new(),
            asynchronous: AsyncOperations::default(),
        }
    }

    /// Continues at an offset of the text.
    pub fn go_to(&mut self, offset: usize) {
        (self.tokens, self.at) = (tokens(self.text, offset), 0);
    }

    /// Adds an observable to the outcomes.
    pub fn mention(&mut self, observable: Observable) {
        if !self.mentioned.contains(&observable) {
            self.mentioned.push(observable);
        }
    }

    /// Adds an error.
    pub fn error(&mut self, range: Range<usize>, message: String, help: &str) {
        self.test.errors.push(LitmusError { range, message, help: help.to_owned() });
    }

    /// The range of the next token, or of the end.
    pub fn here(&self) -> Range<usize> {
        let end = self.tokens.last().map_or(self.text.len(), |token| token.range.end);
        self.tokens.get(self.at).map_or(end..end, |token| token.range.clone())
    }

    /// The text of a range.
    pub fn text(&self, range: Range<usize>) -> &'t str {
        &self.text[range]
    }

    /// The next token, without consuming it.
    pub fn peek(&self) -> Option<&LitmusToken<'t>> {
        self.tokens.get(self.at)
    }

    /// Consumes the next token.
    pub fn next(&mut self) -> Option<LitmusToken<'t>> {
        let token = self.tokens.get(self.at).cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// Consumes the next token if it has this text; returns whether it does.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.text == text);
        self.at += usize::from(found);
        found
    }

    /// Skips the remaining tokens.
    pub fn skip_all(&mut self) {
        self.at = self.tokens.len();
    }

    /// The end of the last consumed token.
    pub fn read_to(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.range.end)
    }

    /// The end of the text.
    pub fn end(&self) -> usize {
        self.text.len()
    }

    /// The thread with a number; created if it does not exist.
    pub fn thread(&mut self, number: u32) -> usize {
        self.test.numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
            self.test.numbers.push(number);
            self.test.program.threads.push(Thread { name: format!("P{number}"), ..Thread::default() });
            self.test.numbers.len() - 1
        })
    }

    /// The register with a name; created if it does not exist.
    pub fn register(&mut self, thread: usize, name: &str) -> usize {
        self.known_register(thread, name).unwrap_or_else(|| {
            let registers = &mut self.test.program.threads[thread].registers;
            registers.push(ModelRegister { name: name.to_owned(), init: 0 });
            registers.len() - 1
        })
    }

    /// The register with a name.
    pub fn known_register(&self, thread: usize, name: &str) -> Option<usize> {
        self.test.program.threads[thread].registers.iter().position(|register| register.name == name)
    }

    /// The location with a name; created if it does not exist.
    pub fn location(&mut self, name: &str) -> usize {
        self.known_location(name).unwrap_or_else(|| {
            let locations = &mut self.test.program.locations;
            let address = (locations.len() as u64 + 1) << 12;
            locations.push(Location { name: name.to_owned(), address, bytes: BYTES, ..Location::default() });
            locations.len() - 1
        })
    }

    /// A new location that stands for a register of an asynchronous operation.
    pub fn register_location(&mut self) -> usize {
        // No name in a test has a parenthesis.
        let at = self.location(&format!("(register {})", self.test.program.locations.len()));
        self.test.program.locations[at].is_register = true;
        at
    }

    /// The location with a name.
    pub fn known_location(&self, name: &str) -> Option<usize> {
        self.test.program.locations.iter().position(|location| location.name == name)
    }
}

/// The number of a thread: `P0` or `0`.
pub fn number_of(text: &str) -> Option<u32> {
    text.strip_prefix(['P', 'p']).unwrap_or(text).parse().ok()
}

/// Whether a text begins with a character of names.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '%' | '$'))
}

/// A number of 64 bits, decimal or hexadecimal.
pub fn number(text: &str) -> Option<Bits> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = decimal_or_hex(digits)?;
    Some(if negative { value.wrapping_neg() } else { value }.into())
}

/// Whether a number fits in a width: as an unsigned value, or as a signed value if it is negative.
pub fn fits(text: &str, value: Bits, width: u32) -> bool {
    if text.starts_with('-') {
        value == 0 || u128::from((value as u64).wrapping_neg()) <= 1 << (width.clamp(1, 64) - 1)
    } else {
        width >= 128 || value >> width == 0
    }
}

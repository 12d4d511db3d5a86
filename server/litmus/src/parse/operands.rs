//! Parses the operands of one instruction.

use crate::lexer::LitmusToken;
use crate::parse::async_operations::AsyncOperations;
use crate::parse::reader::{LitmusReader, is_name, number};
use crate::test::LitmusError;
use memory_model::{ModelAddress, ModelInstruction, ModelOperand};
use std::ops::Range;

/// The cell of an instruction.
pub struct Cell<'c, 't> {
    pub thread: usize,
    pub opcode: &'c LitmusToken<'t>,
    pub operands: &'c [LitmusToken<'t>],
    pub range: Range<usize>,
}

/// A parser of operands.
pub struct OperandReader<'p, 'c, 't> {
    reader: &'p mut LitmusReader<'t>,
    cell: &'c Cell<'c, 't>,
    rest: &'c [LitmusToken<'t>],
    first: bool,
}

impl<'p, 'c, 't> OperandReader<'p, 'c, 't> {
    /// A parser of the operands of a cell.
    pub fn new(reader: &'p mut LitmusReader<'t>, cell: &'c Cell<'c, 't>) -> Self {
        OperandReader { reader, cell, rest: cell.operands, first: true }
    }

    /// The thread of the instruction.
    pub fn thread(&self) -> usize {
        self.cell.thread
    }

    /// The thread of the instruction, its index there and its range.
    pub fn instruction_place(&self) -> (usize, usize, Range<usize>) {
        let Cell { thread, range, .. } = self.cell;
        let at = self.reader.test.program.threads[*thread].code.len();
        (*thread, at, range.clone())
    }

    /// Adds an instruction before the one that is parsed.
    pub fn before(&mut self, instruction: ModelInstruction) {
        let (thread, at, range) = self.instruction_place();
        self.reader.test.program.threads[thread].code.push(instruction);
        self.reader.test.places.push((thread, at, range));
    }

    /// A new location that stands for a register of an asynchronous operation.
    pub fn register_location(&mut self) -> usize {
        self.reader.register_location()
    }

    /// The asynchronous operations of the test.
    pub fn asynchronous_operations(&mut self) -> &mut AsyncOperations {
        &mut self.reader.asynchronous
    }

    /// The next operand, without consuming it.
    pub fn next_operand(&self) -> Option<&LitmusToken<'t>> {
        self.rest.iter().find(|token| token.text != ",")
    }

    /// Whether a name is a register of the thread, and not a location.
    pub fn is_register(&self, name: &str) -> bool {
        self.reader.known_location(name).is_none() && self.reader.known_register(self.cell.thread, name).is_some()
    }

    /// Parses a destination register.
    pub fn register(&mut self) -> Result<usize, LitmusError> {
        let token = self.word("a register")?;
        if self.reader.known_location(token.text).is_some() {
            let message = format!("expected a register, found location `{}`", token.text);
            return Err(LitmusError { range: token.range, message, help: "write a register, such as `r0`".into() });
        }
        Ok(self.reader.register(self.cell.thread, token.text))
    }

    /// Parses a value, if there is another operand.
    pub fn optional(&mut self) -> Result<Option<ModelOperand>, LitmusError> {
        if self.rest.is_empty() { Ok(None) } else { self.value().map(Some) }
    }

    /// Parses a register or a number.
    pub fn value(&mut self) -> Result<ModelOperand, LitmusError> {
        let token = self.token("a value")?;
        if let Some(value) = number(token.text) {
            return Ok(ModelOperand::Constant(value));
        }
        if !is_name(token.text) || self.reader.known_location(token.text).is_some() {
            let message = format!("expected a register or a number, found `{}`", token.text);
            return Err(LitmusError {
                range: token.range,
                message,
                help: "load the location into a register first".into(),
            });
        }
        Ok(ModelOperand::Register(self.reader.register(self.cell.thread, token.text)))
    }

    /// Parses a location, or a register that holds an address; brackets are optional.
    pub fn address(&mut self) -> Result<ModelAddress, LitmusError> {
        let mut token = self.token("a location")?;
        let bracket = token.text == "[";
        if bracket {
            self.first = true;
            token = self.token("a location")?;
            match self.rest {
                [close, rest @ ..] if close.text == "]" => self.rest = rest,
                _ => {
                    let message = "expected one name in brackets".to_owned();
                    return Err(LitmusError { range: token.range, message, help: "write `[x]`".into() });
                }
            }
        }
        if !is_name(token.text) {
            let message = format!("invalid location `{}`", token.text);
            return Err(LitmusError { range: token.range, message, help: "write a location, such as `x`".into() });
        }
        if self.reader.known_location(token.text).is_none()
            && let Some(register) = self.reader.known_register(self.cell.thread, token.text)
        {
            return Ok(ModelAddress::Register(register, 0));
        }
        Ok(ModelAddress::Location(self.reader.location(token.text)))
    }

    /// Parses a name.
    pub fn word(&mut self, what: &str) -> Result<LitmusToken<'t>, LitmusError> {
        let token = self.token(what)?;
        if is_name(token.text) {
            return Ok(token);
        }
        let message = format!("expected {what}, found `{}`", token.text);
        Err(LitmusError { range: token.range, message, help: format!("write {what}") })
    }

    fn token(&mut self, what: &str) -> Result<LitmusToken<'t>, LitmusError> {
        if !std::mem::replace(&mut self.first, false) {
            match self.rest {
                [comma, rest @ ..] if comma.text == "," => self.rest = rest,
                [other, ..] => {
                    let message = format!("expected `,`, found `{}`", other.text);
                    return Err(LitmusError {
                        range: other.range.clone(),
                        message,
                        help: "separate operands with commas".into(),
                    });
                }
                [] => {}
            }
        }
        match self.rest {
            [token, rest @ ..] => {
                self.rest = rest;
                Ok(token.clone())
            }
            [] => {
                let end = self.cell.range.end;
                Err(LitmusError {
                    range: end..end,
                    message: format!("expected {what}"),
                    help: format!("add {what} here"),
                })
            }
        }
    }

    /// Checks that no operand is left.
    pub fn end(&self) -> Result<(), LitmusError> {
        match self.rest {
            [] => Ok(()),
            [token, ..] => Err(LitmusError {
                range: token.range.clone(),
                message: format!("unexpected operand `{}`", token.text),
                help: "end the instruction before it with `|` or `;`".into(),
            }),
        }
    }

    /// An error at the opcode.
    pub fn opcode_error(&self, message: &str, help: &str) -> LitmusError {
        LitmusError { range: self.cell.opcode.range.clone(), message: message.to_owned(), help: help.to_owned() }
    }
}

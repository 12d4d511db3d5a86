//! Typed views of one instruction: guard, opcode, operands, control codes.

use crate::lexer::decimal_or_hex;
use crate::reader::Token;
use crate::sass::Listing;
use std::ops::Range;
use tree_sitter::Node;

/// An instruction of a listing.
#[derive(Clone, Copy, Debug)]
pub struct SassInstruction<'a> {
    listing: &'a Listing,
    node: Node<'a>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub struct SassOperand<'a> {
    /// Its text and byte range.
    pub token: Token<'a>,
    /// Its kind.
    pub kind: SassOperandKind<'a>,
}

/// The kind of an operand.
#[derive(Clone, Debug, PartialEq)]
pub enum SassOperandKind<'a> {
    /// A register or predicate: its name and selector (`64` in `R2.64`).
    Register(SassRegister<'a>),
    /// An address in brackets, with an optional descriptor before it.
    Address(SassAddress<'a>),
    /// Anything else: a number, a constant bank, a label, an expression.
    Other,
}

/// A register by its name, without suffixes.
pub type SassRegister<'a> = Token<'a>;

/// `[R2.64+0x10]` or `desc[UR4][R2.64+0x10]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SassAddress<'a> {
    /// The registers of `desc[…]`.
    pub descriptor: Vec<AddressTerm<'a>>,
    /// The terms of the sum.
    pub terms: Vec<AddressTerm<'a>>,
}

/// A term of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressTerm<'a> {
    /// Its text and byte range, without the sign before it.
    pub token: Token<'a>,
    /// Its kind.
    pub kind: TermKind<'a>,
    /// Whether it is subtracted.
    pub negative: bool,
}

/// The kind of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind<'a> {
    /// A register: its name and suffixes.
    Register(SassRegister<'a>, Vec<String>),
    /// A number with its sign; `None` if it exceeds 64 bits.
    Number(Option<i128>),
}

impl<'a> SassInstruction<'a> {
    pub(super) fn new(listing: &'a Listing, node: Node<'a>) -> Self {
        SassInstruction { listing, node }
    }

    /// Its byte range.
    pub fn range(&self) -> Range<usize> {
        self.node.byte_range()
    }

    /// `@P0` or `@!P0`.
    pub fn guard(&self) -> Option<Token<'a>> {
        self.node.child_by_field_name("guard").map(|node| self.token(node))
    }

    /// The mnemonic with all its modifiers.
    pub fn opcode(&self) -> Token<'a> {
        let node = self.node.child_by_field_name("opcode").unwrap_or(self.node);
        self.token(node)
    }

    /// The mnemonic and the modifiers, without their dots.
    pub fn words(&self) -> Vec<Token<'a>> {
        let opcode = self.opcode();
        let mut at = 0;
        let mut words = Vec::new();
        for word in opcode.text.split('.') {
            words.push(opcode.part(at..at + word.len()));
            at += word.len() + 1;
        }
        words
    }

    /// Barriers and scheduling: `&req={0}`, `?WAIT2`.
    pub fn controls(&self) -> Vec<Token<'a>> {
        let mut cursor = self.node.walk();
        self.node.children_by_field_name("control", &mut cursor).map(|node| self.token(node)).collect()
    }

    /// The operands in order.
    pub fn operands(&self) -> Vec<SassOperand<'a>> {
        let mut cursor = self.node.walk();
        let named = self.node.named_children(&mut cursor);
        let operands = named.filter(|node| {
            !node.is_error()
                && !node.is_missing()
                && !matches!(
                    node.kind(),
                    "guard" | "opcode" | "control" | "control_code" | "offset" | "encoding" | "annotation" | "comment"
                )
        });
        operands.map(|node| self.operand(node)).collect()
    }

    fn operand(&self, node: Node<'a>) -> SassOperand<'a> {
        let token = self.token(node);
        let kind = match node.kind() {
            "register" => SassOperandKind::Register(name(&token).0),
            "address" => SassOperandKind::Address(SassAddress { descriptor: Vec::new(), terms: self.terms(node) }),
            "bank" => match node.child_by_field_name("address") {
                Some(address) if self.bank_name(node) == "desc" => {
                    let mut descriptor = self.terms(node);
                    // The first register is the name of the bank.
                    descriptor.remove(0);
                    SassOperandKind::Address(SassAddress { descriptor, terms: self.terms(address) })
                }
                _ => SassOperandKind::Other,
            },
            _ => SassOperandKind::Other,
        };
        SassOperand { token, kind }
    }

    fn bank_name(&self, node: Node<'a>) -> String {
        node.child_by_field_name("name").map(|name| self.token(name).text.into_owned()).unwrap_or_default()
    }

    fn terms(&self, node: Node<'a>) -> Vec<AddressTerm<'a>> {
        let mut cursor = node.walk();
        let (mut terms, mut negative) = (Vec::new(), false);
        for child in node.children(&mut cursor) {
            let token = self.token(child);
            let kind = match child.kind() {
                "-" => {
                    negative = !negative;
                    continue;
                }
                "register" => {
                    let (name, words) = name(&token);
                    TermKind::Register(name, words)
                }
                "integer" => TermKind::Number(number(&token.text)),
                _ => continue,
            };
            terms.push(AddressTerm { token, kind, negative });
            negative = false;
        }
        terms
    }

    fn token(&self, node: Node<'a>) -> Token<'a> {
        self.listing.reader().read(node.byte_range())
    }
}

/// A register's name and suffixes.
fn name<'a>(token: &Token<'a>) -> (Token<'a>, Vec<String>) {
    let mut words = token.text.split('.');
    let length = words.next().unwrap_or_default().len();
    (token.part(0..length), words.map(str::to_owned).collect())
}

fn number(text: &str) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = i128::from(decimal_or_hex(digits)?);
    Some(if negative { -value } else { value })
}

//! Ranks declared names as completions of an operand.

use isa::types::Type;
use syntax::{DeclarationKind, Symbol};

/// What an operand accepts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExpectedOperand<'w> {
    /// The width of a register; 1 for a predicate.
    pub bits: Option<u32>,
    /// The class of the type of a value.
    pub class: Option<TypeClass>,
    /// The state space of a symbol, with its dot.
    pub space: Option<&'w str>,
    /// Whether an address is expected.
    pub address: bool,
    pub labels: bool,
    pub functions: bool,
}

/// What a value is. Bits are either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeClass {
    Integer,
    Float,
}

impl TypeClass {
    /// The class of a type without its dot; `None` for bits and predicates.
    pub(super) fn of(word: &str) -> Option<Self> {
        match word.as_bytes().first()? {
            b'u' | b's' => Some(TypeClass::Integer),
            b'f' => Some(TypeClass::Float),
            _ => None,
        }
    }
}

/// What is added to the rank of a register of the right width and another class.
const WRONG_CLASS: u32 = 50;

/// Modifiers of state spaces, and the state spaces of declarations.
pub(super) const SPACES: &[(&str, &str)] =
    &[("global", ".global"), ("shared", ".shared"), ("const", ".const"), ("local", ".local"), ("param", ".param")];

/// The kinds of declarations that an operand accepts.
pub(super) fn wanted_kinds(expected: &ExpectedOperand) -> &'static [DeclarationKind] {
    match expected {
        ExpectedOperand { labels: true, .. } => &[DeclarationKind::Label],
        ExpectedOperand { functions: true, .. } => &[DeclarationKind::Function],
        ExpectedOperand { bits: Some(64), address: false, .. } => {
            &[DeclarationKind::Register, DeclarationKind::Variable, DeclarationKind::Function]
        }
        _ => &[DeclarationKind::Register, DeclarationKind::Variable],
    }
}

/// The first rank of names that have another width or kind than the operand.
pub(super) const MISFITS: u32 = 100;

/// What is added to the rank of a register that nothing writes, where it is read.
pub(super) const UNASSIGNED: u32 = 5;

/// The rank of a symbol, the best first; `None` if it is not allowed.
pub(super) fn rank(symbol: &Symbol, expected: &ExpectedOperand) -> Option<u32> {
    let declaration = symbol.first();
    match symbol.kind() {
        DeclarationKind::Label => expected.labels.then_some(0),
        DeclarationKind::Function if expected.functions => Some(0),
        _ if expected.labels || expected.functions => None,
        // The address of a function can be moved like the address of a variable.
        DeclarationKind::Function => (expected.bits == Some(64) && !expected.address).then_some(250),
        DeclarationKind::Register => {
            let bits = bits_of(declaration.ty.text.strip_prefix('.').unwrap_or_default());
            // Predicates only match predicates.
            match (expected.bits, bits) {
                (Some(1), Some(1)) => Some(0),
                (Some(1), _) => None,
                (Some(_), Some(1)) => None,
                (Some(width), Some(bits)) if width == bits => {
                    Some(match (expected.class, TypeClass::of(&declaration.ty.text[1..])) {
                        (Some(expected), Some(class)) if expected != class => MISFITS + WRONG_CLASS,
                        // An untyped register may have any value.
                        (Some(TypeClass::Float), None) => 12,
                        _ => 10,
                    })
                }
                (Some(expected), Some(bits)) => Some(MISFITS + expected.ilog2().abs_diff(bits.ilog2())),
                _ => Some(20),
            }
        }
        DeclarationKind::Variable if expected.bits == Some(1) => None,
        DeclarationKind::Variable => match expected.space {
            Some(space) if expected.address && declaration.space.text == space => Some(0),
            Some(_) if expected.address => Some(150),
            _ if expected.address => Some(15),
            _ => Some(120),
        },
    }
}

/// The width of a type without its dot; 1 for a predicate.
pub(super) fn bits_of(word: &str) -> Option<u32> {
    if word == "pred" { Some(1) } else { Type::parse(word).map(Type::bits) }
}

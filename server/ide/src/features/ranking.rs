//! How well a declared name fits a place among operands.

use isa::types::Type;
use syntax::{DeclarationKind, Symbol};

/// What fits a place among operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExpectedOperand<'w> {
    /// The width of a register; 1 for a predicate.
    pub bits: Option<u32>,
    /// The state space of a symbol, with its dot.
    pub space: Option<&'w str>,
    /// Whether an address is wanted.
    pub address: bool,
    pub labels: bool,
    pub functions: bool,
}

/// The words of state spaces in opcodes, and the spaces of declarations.
pub(super) const SPACES: &[(&str, &str)] =
    &[("global", ".global"), ("shared", ".shared"), ("const", ".const"), ("local", ".local"), ("param", ".param")];

/// How well a symbol fits; `None` if it cannot stand there.
pub(super) fn rank(symbol: &Symbol, wanted: &ExpectedOperand) -> Option<u32> {
    let declaration = symbol.first();
    match symbol.kind() {
        DeclarationKind::Label => wanted.labels.then_some(0),
        DeclarationKind::Function if wanted.functions => Some(0),
        _ if wanted.labels || wanted.functions => None,
        // The address of a function can be moved like that of a variable.
        DeclarationKind::Function => (wanted.bits == Some(64) && !wanted.address).then_some(250),
        DeclarationKind::Register => {
            let bits = bits_of(declaration.ty.text.strip_prefix('.').unwrap_or_default());
            // A predicate fits nothing else, and nothing else a predicate.
            match (wanted.bits, bits) {
                (Some(1), Some(1)) => Some(0),
                (Some(1), _) => None,
                (Some(_), Some(1)) => None,
                (Some(wanted), Some(bits)) if wanted == bits => Some(10),
                (Some(wanted), Some(bits)) => Some(100 + wanted.ilog2().abs_diff(bits.ilog2())),
                _ => Some(20),
            }
        }
        DeclarationKind::Variable if wanted.bits == Some(1) => None,
        DeclarationKind::Variable => match wanted.space {
            Some(space) if wanted.address && declaration.space.text == space => Some(0),
            Some(_) if wanted.address => Some(150),
            _ if wanted.address => Some(15),
            _ => Some(120),
        },
    }
}

/// The width of a type without its dot; 1 for a predicate.
pub(super) fn bits_of(word: &str) -> Option<u32> {
    if word == "pred" { Some(1) } else { Type::parse(word).map(Type::bits) }
}

//! The words of an opcode.

use isa::types::{Scope, Sem};
use program::{AccessOrder, MemorySpace};

/// A mnemonic and its modifiers.
#[derive(Clone, Debug)]
pub struct InstructionWords {
    /// The mnemonic.
    pub mnemonic: String,
    /// The modifiers, without dots.
    pub modifiers: Vec<String>,
}

impl InstructionWords {
    /// The words of an opcode.
    pub fn new(opcode: &syntax::Opcode) -> Self {
        Self {
            mnemonic: opcode.mnemonic.text.to_string(),
            modifiers: opcode.words().into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whether it has a modifier.
    pub fn has(&self, word: &str) -> bool {
        self.modifiers.iter().any(|modifier| modifier == word)
    }

    /// The modifiers as slices.
    pub fn words(&self) -> Vec<&str> {
        self.modifiers.iter().map(String::as_str).collect()
    }

    /// The last modifier, which is the type of most instructions.
    pub fn last(&self) -> &str {
        self.modifiers.last().map_or("", String::as_str)
    }

    /// The first of these words that it has, with its value.
    pub fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Option<T> {
        known.iter().find(|(word, _)| self.has(word)).map(|(_, value)| *value)
    }

    /// The opcode as written.
    pub fn text(&self) -> String {
        std::iter::once(&self.mnemonic).chain(&self.modifiers).map(String::as_str).collect::<Vec<_>>().join(".")
    }

    /// The width of the elements in bits, by the last type; `None` without a type.
    pub fn bits(&self) -> Option<u32> {
        self.modifiers.iter().rev().find_map(|word| type_bits(word))
    }

    /// The state space.
    pub fn space(&self) -> MemorySpace {
        let spaces = [
            ("global", MemorySpace::Global),
            ("const", MemorySpace::Constant),
            ("shared", MemorySpace::SharedCta),
            ("shared::cta", MemorySpace::SharedCta),
            ("shared::cluster", MemorySpace::SharedCluster),
            ("local", MemorySpace::Local),
            ("param", MemorySpace::Parameter),
            ("param::entry", MemorySpace::Parameter),
            ("param::func", MemorySpace::Frame),
        ];
        self.one_of(&spaces).unwrap_or(MemorySpace::Generic)
    }

    /// The order and scope of a load or store.
    pub fn order(&self) -> AccessOrder {
        let scope = self.scope().unwrap_or(Scope::Sys);
        let orders =
            [("relaxed", Sem::Relaxed), ("acquire", Sem::Acquire), ("release", Sem::Release), ("acq_rel", Sem::AcqRel)];
        match self.one_of(&orders) {
            Some(sem) => AccessOrder::new(sem, scope),
            None if self.has("volatile") || self.has("mmio") => AccessOrder::VOLATILE,
            None => AccessOrder::WEAK,
        }
    }

    /// The scope.
    pub fn scope(&self) -> Option<Scope> {
        self.modifiers.iter().find_map(|word| Scope::parse(word))
    }
}

/// The width of a type in bits.
pub fn type_bits(word: &str) -> Option<u32> {
    isa::types::Type::parse(word).filter(|ty| *ty != isa::types::Type::Pred).map(isa::types::Type::bits)
}

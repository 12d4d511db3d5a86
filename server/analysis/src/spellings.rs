//! Facts about spellings of atomics, computed once for all functions that a driver checks.

use crate::lowering::Emulated;
use foldhash::HashMap;
use std::cell::RefCell;

/// A cache of facts about opcodes. It is never iterated, so its order does not matter.
#[derive(Debug, Default)]
pub struct SpellingCache {
    /// Whether a variation of an opcode is legal, by opcode and variation.
    legal: RefCell<HashMap<Box<str>, Vec<Variation>>>,
    emulated: RefCell<HashMap<Box<str>, Option<Emulated>>>,
}

/// A variation of an opcode, and whether it is legal.
type Variation = (&'static str, bool);

impl SpellingCache {
    /// Whether a variation of an opcode is legal, given how to find out.
    pub fn is_legal(&self, opcode: &str, variation: &'static str, find: impl FnOnce() -> bool) -> bool {
        let mut known = self.legal.borrow_mut();
        if let Some((_, is_legal)) = known.get(opcode).and_then(|known| known.iter().find(|(of, _)| *of == variation)) {
            return *is_legal;
        }
        let is_legal = find();
        known.entry(opcode.into()).or_default().push((variation, is_legal));
        is_legal
    }

    /// How an atomic is emulated, given how to find out.
    pub fn emulated(&self, opcode: &str, find: impl FnOnce() -> Option<Emulated>) -> Option<Emulated> {
        if let Some(known) = self.emulated.borrow().get(opcode) {
            return *known;
        }
        let emulated = find();
        self.emulated.borrow_mut().insert(opcode.into(), emulated);
        emulated
    }
}

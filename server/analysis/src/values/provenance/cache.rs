//! The provenances that were computed so far.

use crate::values::{Definition, DefinitionSite, Provenance};
use foldhash::HashMap;
use std::num::NonZeroU32;

/// Provenances by definition. Those of instructions, which are most, are in a table by instruction.
#[derive(Default)]
pub(in crate::values) struct ProvenanceCache {
    /// The place in `computed` of the result of each instruction.
    places: Vec<Option<NonZeroU32>>,
    computed: Vec<(usize, Provenance)>,
    others: HashMap<Definition, Provenance>,
}

impl ProvenanceCache {
    /// The provenance of a definition.
    pub(in crate::values) fn get(&self, definition: &Definition) -> Option<Provenance> {
        let DefinitionSite::Instruction(at) = definition.site else { return self.others.get(definition).copied() };
        let place = self.places.get(at).copied().flatten()?;
        let (register, provenance) = &self.computed[place.get() as usize - 1];
        (*register == definition.register).then_some(*provenance)
    }

    /// Sets the provenance of a definition, in a function of a number of instructions.
    pub(in crate::values) fn set(&mut self, definition: Definition, provenance: Provenance, instructions: usize) {
        let DefinitionSite::Instruction(at) = definition.site else {
            self.others.insert(definition, provenance);
            return;
        };
        self.places.resize(instructions, None);
        match self.places[at] {
            Some(place) => self.computed[place.get() as usize - 1] = (definition.register, provenance),
            None => {
                self.computed.push((definition.register, provenance));
                self.places[at] = NonZeroU32::new(self.computed.len() as u32);
            }
        }
    }
}

//! Pointers that a function loads from memory: tables of the buffers of other GPUs, queues.

use crate::effects::{AddressSpace, FunctionEffects, SyncAccess};
use crate::values::{Definition, DefinitionSite, PointedSpace, Provenance, Root};

/// The maximum number of pointers that lead from constant memory to a structure.
const MAX_POINTERS: usize = 4;

impl FunctionEffects<'_, '_> {
    /// Whether an access is to global memory of a parameter, of a variable, or of a pointer that the function loads from memory. A generic address of one is taken to be global.
    pub fn is_known_global(&self, access: &SyncAccess, address: &Provenance) -> bool {
        match address.root {
            Root::Variable(_) | Root::Parameter(..) => access.is_global(address),
            Root::Value(_) => {
                matches!(access.space, AddressSpace::Global | AddressSpace::Generic)
                    && address.space.is_none_or(|_| access.is_global(address))
                    && self.pointer_place(address.root).is_some()
            }
            Root::Zero => false,
        }
    }

    /// Whether two roots are certainly the same pointer, loaded once or twice.
    pub fn is_same_root(&self, one: Root, other: Root) -> bool {
        let is_reloaded = || {
            let places = self.pointer_place(one).zip(self.pointer_place(other));
            places.is_some_and(|(one, other)| one.same(&other))
        };
        one == other || is_reloaded()
    }

    /// Where in memory the pointer of a root is loaded from.
    fn pointer_place(&self, root: Root) -> Option<Provenance> {
        let Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) = root else { return None };
        let is_pointer = |word: &str| matches!(word, "u64" | "b64" | "s64");
        let is_load = self.flow.mnemonic(at) == "ld" && self.flow.modifiers(at).any(is_pointer);
        self.flow.operand_address(at, 1).filter(|_| is_load)
    }

    /// Whether a pointer is loaded from constant memory, or from a structure that a pointer there leads to: the host sets these up before the launch.
    pub fn is_from_constants(&self, root: Root) -> bool {
        let mut root = root;
        for _ in 0..MAX_POINTERS {
            let Root::Value(Definition { site: DefinitionSite::Instruction(at), .. }) = root else { return false };
            let Some(place) = self.pointer_place(root) else { return false };
            if self.flow.has(at, "const") || place.space == Some(PointedSpace::Const) {
                return true;
            }
            root = place.root;
        }
        false
    }
}

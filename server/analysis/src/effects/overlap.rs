//! Whether two accesses meet.

use crate::effects::FunctionEffects;
use crate::values::{Provenance, Root, byte_size};

/// The bytes from an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: Provenance,
    /// The number of bytes; `None` if unknown.
    pub size: Option<i64>,
}

impl ByteRange {
    /// Whether an access to some other bytes certainly begins in this range, for some thread.
    ///
    /// Of offsets that depend on the thread, one is taken to be zero. In dynamic shared memory, unknown offsets may separate any number of arrays.
    pub fn is_hit_by(&self, access: &Provenance, effects: &FunctionEffects) -> bool {
        if self.start.same(access) {
            return true;
        }
        if self.start.root != access.root {
            return false;
        }
        let (known, begins) =
            (self.start.offset().is_some() && access.offset().is_some(), access.distance_from(&self.start));
        let is_array = match access.root {
            Root::Variable(at) => byte_size(effects.flow.declaration(at)).is_some_and(|size| size > 0),
            Root::Parameter(..) | Root::Zero | Root::Value(_) => false,
        };
        (known || is_array) && (0..self.size.unwrap_or(1)).contains(&begins)
    }
}

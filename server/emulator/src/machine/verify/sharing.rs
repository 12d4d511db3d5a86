//! Which locations several threads access by strong operations, so that the order of their accesses matters.

use super::super::races::{Agent, LocationKey};
use crate::Operation;
use std::collections::HashMap;

/// How a location is accessed by strong operations.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sharing {
    /// By one thread.
    Owned(Agent),
    /// By several threads, all with an operation whose order does not matter and whose result nobody reads.
    Commuting(Operation),
    /// By several threads.
    Shared,
}

/// A strong access, as far as its order to others matters.
#[derive(Clone, Copy, Debug)]
pub struct SharingAccess {
    /// The thread.
    pub agent: Agent,
    /// The operation, if it is an update without result whose order to its like does not matter.
    pub commuting: Option<Operation>,
}

/// What is known about all locations. It is a guess until an exploration ends without a surprise.
#[derive(Debug, Default)]
pub struct SharedLocations {
    known: HashMap<LocationKey, Sharing>,
    /// Whether a location turned out to be shared after accesses to it were executed as if it were not.
    pub surprised: bool,
}

impl SharedLocations {
    /// Whether the order of an access matters. Remembers the access.
    pub fn is_visible(&mut self, key: LocationKey, access: SharingAccess) -> bool {
        let Some(known) = self.known.get_mut(&key) else {
            self.known.insert(key, Sharing::Owned(access.agent));
            return false;
        };
        let now = match *known {
            Sharing::Owned(owner) if owner == access.agent => Sharing::Owned(owner),
            // The owner's accesses may have been others.
            Sharing::Owned(_) => access.commuting.map_or(Sharing::Shared, Sharing::Commuting),
            Sharing::Commuting(operation) if access.commuting == Some(operation) => Sharing::Commuting(operation),
            Sharing::Commuting(_) | Sharing::Shared => Sharing::Shared,
        };
        self.surprised |= now != *known;
        *known = now;
        now == Sharing::Shared
    }
}

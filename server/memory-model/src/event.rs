//! What happens in an execution.
//!
//! Must not know how executions are found.

use crate::program::{Place, Proxy, Scope};

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads memory.
    Read,
    /// Writes memory.
    Write,
    /// A fence.
    Fence,
    /// `fence.proxy.*` of a proxy.
    ProxyFence,
    /// `fence.proxy.alias`.
    AliasFence,
    /// Arrival at a barrier.
    Arrive,
    /// The end of waiting at a barrier.
    Wait,
}

/// An event of an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Whose event it is; `None`: a first value of memory.
    pub thread: Option<usize>,
    /// The index of the instruction in the thread's code.
    pub instruction: usize,
    /// Where the thread runs.
    pub place: Place,
    /// What it does.
    pub kind: Kind,
    /// Whether it is strong: not `.weak`.
    pub strong: bool,
    /// Whether it ends an acquire pattern.
    pub acquire: bool,
    /// Whether it starts a release pattern.
    pub release: bool,
    /// Whether it is a `fence.sc`.
    pub sc: bool,
    /// Whom it is strong for.
    pub scope: Scope,
    /// Through what.
    pub proxy: Proxy,
    /// The location as named, where it is memory; `None` as long as its address is not known.
    pub location: Option<usize>,
    /// Its location's memory: the index of the location that is no alias.
    pub physical: usize,
    /// Its location's generic address: the index of the location.
    pub generic: usize,
    /// The other half of a read-modify-write.
    pub partner: Option<usize>,
    /// Whether it is a half of a `red`.
    pub reduction: bool,
    /// Whether a barrier event orders memory.
    pub orders: bool,
    /// The value's node.
    pub(crate) value: usize,
    /// The address's node, as long as it is not known.
    pub(crate) address: usize,
    /// How many bytes are accessed.
    pub(crate) bytes: u32,
    /// The reads that it depends on.
    pub(crate) needs: u128,
    /// When its location became known.
    pub(crate) born: u32,
}

impl Event {
    /// Whether it accesses memory.
    pub fn is_memory(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write)
    }

    /// Whether it is a fence of the consistency model, not one between proxies.
    pub fn is_fence(&self) -> bool {
        self.kind == Kind::Fence
    }

    /// Whether both are morally strong to each other: `same thread, or strong with scopes that include each other`, through the same
    /// proxy, and if both access memory, the same memory under the same address.
    pub fn morally_strong(&self, other: &Event) -> bool {
        let same_thread = self.thread.is_some() && self.thread == other.thread;
        let scopes = || {
            self.strong
                && other.strong
                && self.thread.is_some()
                && other.thread.is_some()
                && self.place.includes(self.scope, other.place)
                && other.place.includes(other.scope, self.place)
        };
        (same_thread || scopes()) && self.proxy == other.proxy && self.overlaps(other)
    }

    /// Whether both access the same memory under the same address, if both access memory at all.
    pub fn overlaps(&self, other: &Event) -> bool {
        !self.is_memory() || !other.is_memory() || self.same_address(other)
    }

    /// Whether both access memory under the same generic address.
    pub fn same_address(&self, other: &Event) -> bool {
        self.same_memory(other) && self.generic == other.generic
    }

    /// Whether both access the same memory.
    pub fn same_memory(&self, other: &Event) -> bool {
        self.location.is_some() && other.location.is_some() && self.physical == other.physical
    }
}

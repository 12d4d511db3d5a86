//! Events: what happens in an execution.

use crate::event_set::EventSet;
use crate::program::{Proxy, Scope, ThreadPosition};

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
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
    pub place: ThreadPosition,
    /// What it does.
    pub kind: EventKind,
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
    /// The node of its value.
    pub(crate) value: usize,
    /// The node of its address, as long as that is not known.
    pub(crate) address: usize,
    /// How many bytes are accessed.
    pub(crate) bytes: u32,
    /// The reads that it depends on, through data, address and control.
    pub(crate) dependencies: EventSet,
    /// The generation of the run in which its location became known.
    pub(crate) located: u32,
}

impl Event {
    /// Whether it accesses memory.
    pub fn is_memory(&self) -> bool {
        matches!(self.kind, EventKind::Read | EventKind::Write)
    }

    /// Whether it is a fence that orders memory, not one between proxies.
    pub fn is_fence(&self) -> bool {
        self.kind == EventKind::Fence
    }

    /// Whether it is a proxy fence for the proxy through which another event accesses memory, in that event's CTA.
    pub fn is_proxy_fence_for(&self, access: &Event) -> bool {
        self.kind == EventKind::ProxyFence && self.proxy == access.proxy && self.place == access.place
    }

    /// Whether it accesses memory through the generic proxy.
    pub fn is_generic_access(&self) -> bool {
        self.is_memory() && self.proxy == Proxy::Generic
    }

    /// Whether it ends a release pattern if it is in one: a strong write.
    pub fn is_strong_write(&self) -> bool {
        self.kind == EventKind::Write && self.strong
    }

    /// Whether it begins an acquire pattern if it is in one: a strong read, but not that of a `red`.
    pub fn is_strong_read(&self) -> bool {
        self.kind == EventKind::Read && self.strong && !self.reduction
    }

    /// Whether both are morally strong to each other: in program order, or strong with scopes that include each other; through the same
    /// proxy; and if both access memory, the same memory under the same address.
    pub fn morally_strong(&self, other: &Event) -> bool {
        (self.same_thread(other) || self.strong && other.strong && self.scopes_include(other))
            && self.proxy == other.proxy
            && self.overlaps(other)
    }

    /// Whether both belong to one thread.
    pub fn same_thread(&self, other: &Event) -> bool {
        self.thread.is_some() && self.thread == other.thread
    }

    /// Whether the scope of each includes the thread of the other.
    fn scopes_include(&self, other: &Event) -> bool {
        self.thread.is_some()
            && other.thread.is_some()
            && self.place.includes(self.scope, other.place)
            && other.place.includes(other.scope, self.place)
    }

    /// Whether both access the same memory under the same address, if both access memory at all.
    pub fn overlaps(&self, other: &Event) -> bool {
        !self.is_memory() || !other.is_memory() || self.same_address(other)
    }

    /// Whether both access the same memory under the same generic address.
    pub fn same_address(&self, other: &Event) -> bool {
        self.same_memory(other) && self.generic == other.generic
    }

    /// Whether both access the same memory under the same address through the same proxy.
    pub fn same_location(&self, other: &Event) -> bool {
        self.same_address(other) && self.proxy == other.proxy
    }

    /// Whether both access the same memory, perhaps under different addresses.
    pub fn same_memory(&self, other: &Event) -> bool {
        self.location.is_some() && other.location.is_some() && self.physical == other.physical
    }
}

//! The events of an execution.

use crate::code::program::{Program, Scope, ThreadPosition};
use crate::code::proxy::{FencedSpace, ModelProxyFence, Proxy, ProxyDirection};
use crate::relations::event_set::EventSet;

/// The kind of an event.
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
    /// The end of a wait at a barrier.
    Wait,
    /// The issue of an asynchronous operation.
    Issue,
    /// A fence that orders earlier events before operations that are issued later.
    IssueFence,
    /// The end of a wait for asynchronous operations.
    Await,
}

/// What a fence does that orders asynchronous operations alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationFence {
    /// Only operations that its thread has waited for are ordered before it.
    Release,
    /// Only such a release is ordered before it.
    Acquire,
}

/// An event of an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The thread; `None` for an initial value of memory.
    pub thread: Option<usize>,
    /// The index of the instruction in the thread's code.
    pub instruction: usize,
    /// The position of the thread.
    pub place: ThreadPosition,
    /// The kind.
    pub kind: EventKind,
    /// Whether it is strong: not `.weak`.
    pub strong: bool,
    /// Whether it can end an acquire pattern.
    pub acquire: bool,
    /// Whether it can begin a release pattern.
    pub release: bool,
    /// Whether it is a `fence.sc`.
    pub sc: bool,
    /// Whether it is a fence that orders the initialization of mbarriers alone: nothing else before it is ordered before it.
    pub mbarrier_init: bool,
    /// What it does if it is a fence that orders asynchronous operations alone.
    pub operation_fence: Option<OperationFence>,
    /// The scope.
    pub scope: Scope,
    /// The proxy.
    pub proxy: Proxy,
    /// The location that an access names; `None` while its address is unknown.
    pub location: Option<usize>,
    /// Its location's memory: the index of the location that is no alias.
    pub physical: usize,
    /// Its location's generic address: the index of the location.
    pub generic: usize,
    /// The state space of its location, if known.
    pub space: Option<FencedSpace>,
    /// What a proxy fence orders.
    pub proxy_fence: Option<ModelProxyFence>,
    /// The other half of a read-modify-write.
    pub partner: Option<usize>,
    /// Whether it is a half of a `red`.
    pub reduction: bool,
    /// Whether it is an operation on an mbarrier, which is atomic in every scope.
    pub mbarrier: bool,
    /// Whether it is the completion of an asynchronous operation on an mbarrier: it is one in the CTA of the mbarrier, which is that of whoever waits.
    pub signal: bool,
    /// Whether a barrier event orders memory.
    pub orders: bool,
    /// The node of its value.
    pub(crate) value: usize,
    /// The node of its address, while that is unknown.
    pub(crate) address: usize,
    /// The size of the access in bytes.
    pub(crate) bytes: u32,
    /// The reads that it depends on, through data, address and control.
    pub(crate) dependencies: EventSet,
    /// The generation of the run in which its location became known.
    pub(crate) located: u32,
}

impl Event {
    /// Whether it is the initial value of memory that nothing has written.
    pub fn is_undefined(&self, program: &Program) -> bool {
        self.thread.is_none() && program.locations.get(self.physical).is_some_and(|location| location.is_undefined)
    }

    /// Whether it accesses memory.
    pub fn is_memory(&self) -> bool {
        matches!(self.kind, EventKind::Read | EventKind::Write)
    }

    /// Whether it is a fence that orders memory, not one between proxies.
    pub fn is_fence(&self) -> bool {
        self.kind == EventKind::Fence
    }

    /// Whether it is a fence that orders asynchronous operations alone, of this kind.
    pub fn is_operation_fence(&self, kind: OperationFence) -> bool {
        self.operation_fence == Some(kind)
    }

    /// Whether the begin of a release pattern can synchronize with the end of an acquire pattern.
    pub fn can_synchronize_with(&self, end: &Event) -> bool {
        !end.is_operation_fence(OperationFence::Acquire) || self.is_operation_fence(OperationFence::Release)
    }

    /// Whether it is a proxy fence for the proxy through which another event accesses memory, in that event's CTA if it is one of a CTA.
    pub fn is_proxy_fence_for(&self, access: &Event) -> bool {
        // The async proxy is not one of a CTA: a fence between it and the generic proxy may be anywhere on the way.
        let is_near = access.proxy == Proxy::Async || self.place == access.place;
        let fence = self.proxy_fence.filter(|fence| fence.proxy == access.proxy && is_near);
        let is_for = |fence: ModelProxyFence| {
            fence.direction != ProxyDirection::Release && fence.includes(access.physical, access.space)
        };
        fence.is_some_and(is_for)
    }

    /// Whether it is a proxy fence that hands over what is before it to those of other threads.
    pub fn is_proxy_release(&self) -> bool {
        self.proxy_fence.is_some_and(|fence| fence.direction == ProxyDirection::Release)
    }

    /// Whether it is a proxy fence of tensor maps: what another thread has written, or a copy that it has issued, has to be released to that.
    pub fn is_fence_of_maps(&self) -> bool {
        self.proxy_fence.is_some_and(|fence| fence.proxy == Proxy::Tensormap)
    }

    /// Whether it is a proxy fence that also orders from the other proxy to the generic one.
    pub fn leads_to_generic(&self) -> bool {
        self.proxy_fence.is_some_and(|fence| fence.direction == ProxyDirection::Both)
    }

    /// Whether it accesses memory through the generic proxy.
    pub fn is_generic_access(&self) -> bool {
        self.is_memory() && self.proxy == Proxy::Generic
    }

    /// Whether it is a strong write, which can end a release pattern.
    pub fn is_strong_write(&self) -> bool {
        self.kind == EventKind::Write && self.strong
    }

    /// Whether it is a strong read, but not that of a `red`: it can begin an acquire pattern.
    pub fn is_strong_read(&self) -> bool {
        self.kind == EventKind::Read && self.strong && !self.reduction
    }

    /// Whether both events are morally strong relative to each other: in program order, or strong with scopes that include each other;
    /// through the same proxy; and if both access memory, the same memory under the same address.
    pub fn morally_strong(&self, other: &Event) -> bool {
        (self.same_thread(other) || self.strong && other.strong && self.scopes_include(other))
            && self.proxy == other.proxy
            && self.overlaps(other)
    }

    /// Whether both are atomic to each other: morally strong, or operations on the same mbarrier, whatever their scopes.
    pub fn atomic(&self, other: &Event) -> bool {
        self.morally_strong(other) || self.mbarrier && other.mbarrier && self.same_location(other)
    }

    /// Whether both belong to one thread.
    pub fn same_thread(&self, other: &Event) -> bool {
        self.thread.is_some() && self.thread == other.thread
    }

    /// Whether both are of one instruction of one thread.
    pub fn same_instruction(&self, other: &Event) -> bool {
        self.same_thread(other) && self.instruction == other.instruction
    }

    /// Whether the scope of each includes the thread of the other.
    fn scopes_include(&self, other: &Event) -> bool {
        self.thread.is_some() && other.thread.is_some() && self.scope_includes(other) && other.scope_includes(self)
    }

    fn scope_includes(&self, other: &Event) -> bool {
        other.signal && !self.signal || self.place.includes(self.scope, other.place)
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

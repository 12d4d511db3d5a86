//! Proxies, and the fences between them.

/// The proxy through which memory is accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Proxy {
    /// Ordinary loads, stores and atomics.
    #[default]
    Generic,
    /// Texture fetches.
    Texture,
    /// Surface accesses.
    Surface,
    /// Constant memory.
    Constant,
    /// Bulk copies and reductions.
    Async,
    /// Reads of tensor maps by tensor copies.
    Tensormap,
}

/// A state space that a proxy fence can be restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FencedSpace {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
}

/// The accesses that a proxy fence orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyDirection {
    /// From the generic proxy to the other, and back.
    Both,
    /// From the generic proxy to the other.
    FromGeneric,
    /// None in its own thread: it hands over what is before it to fences from the generic proxy of other threads.
    Release,
}

/// A fence between the generic proxy and another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelProxyFence {
    /// The other proxy.
    pub proxy: Proxy,
    /// The accesses that it orders.
    pub direction: ProxyDirection,
    /// The state space that it is restricted to, if any.
    pub space: Option<FencedSpace>,
    /// The location that it is restricted to, if any.
    pub location: Option<usize>,
}

impl ModelProxyFence {
    /// A fence in both directions, for all memory.
    pub fn of(proxy: Proxy) -> Self {
        ModelProxyFence { proxy, direction: ProxyDirection::Both, space: None, location: None }
    }

    /// A fence from the generic proxy to another, for all memory.
    pub fn from_generic(proxy: Proxy) -> Self {
        ModelProxyFence { direction: ProxyDirection::FromGeneric, ..ModelProxyFence::of(proxy) }
    }

    /// A release of what was written, for the fences of other threads that lead to a proxy.
    pub fn release(proxy: Proxy) -> Self {
        ModelProxyFence { direction: ProxyDirection::Release, ..ModelProxyFence::of(proxy) }
    }

    /// Whether it is for accesses to a location of a state space. Without a space, a location may be in any.
    pub fn includes(self, location: usize, space: Option<FencedSpace>) -> bool {
        self.location.is_none_or(|only| only == location)
            && self.space.zip(space).is_none_or(|(only, space)| only == space)
    }
}

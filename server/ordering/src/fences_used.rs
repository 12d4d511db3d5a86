//! Which kinds of order an execution has used that ordinary ones do not need: states without them are compared more simply.

/// The kinds that were used, and what was known before the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FencesUsed {
    /// Whether a proxy fence was executed.
    pub has_proxies: bool,
    /// Whether a thread knows of what is over by an mbarrier whose order does not reach so far.
    pub has_finished: bool,
    /// Whether a fence was executed that orders accesses to shared memory only.
    pub has_restricted: bool,
    /// Whether a fence was executed that orders the initialization of mbarriers only.
    pub has_initialization: bool,
    /// Whether a kernel before this one has changed what can be a tensor map.
    pub has_changed_maps: bool,
}

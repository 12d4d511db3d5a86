//! Rules about the order of accesses to memory: locks, flags and fences.

pub(crate) mod deprecated_membar;
pub(crate) mod doubled_fence;
pub(crate) mod one_sided_order;
pub(crate) mod racing_access;
pub(crate) mod short_loop;
pub(crate) mod signal_without_release;
pub(crate) mod unacquired_flag;
pub(crate) mod unguarded_store;
pub(crate) mod unordered_lock;
pub(crate) mod unreleased_flag;

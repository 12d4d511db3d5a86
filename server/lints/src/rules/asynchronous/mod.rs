//! Rules about asynchronous copies, mbarriers and proxies.

pub(crate) mod early_access_before_griddepcontrol;
pub(crate) mod mbarrier_protocol;
pub(crate) mod missing_proxy_fence;
pub(crate) mod partial_arrival;
pub(crate) mod uncommitted_async;

//! Rules about the scope of an access: which threads it is ordered with.

pub(crate) mod cluster_scope;
pub(crate) mod implicit_cta;
pub(crate) mod implicit_scope;
pub(crate) mod mixed_scopes;
pub(crate) mod narrow_scope;
pub(crate) mod system_scope;
pub(crate) mod volatile_access;

//! Which declaration a name means.

pub(super) mod labels;
pub(super) mod name_places;
pub(super) mod names;
pub(super) mod outline;
pub(super) mod scopes;

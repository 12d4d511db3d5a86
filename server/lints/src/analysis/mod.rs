//! The analyses of a function: where its values come from, and what its instructions do to memory.

pub(crate) mod effects;
pub(crate) mod values;

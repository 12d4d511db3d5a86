//! The analyses of a function: where its values come from, and what its instructions do to memory.

pub mod effects;
pub mod lowering;
pub mod spellings;
pub mod values;

//! Changes to a kernel that may repair it: fences, stronger orders, and whether a fair schedule would.

pub mod fairness;
pub mod fence_insertions;
pub mod line_insertions;
pub mod modifiers;
pub mod order_changes;
pub mod order_edits;

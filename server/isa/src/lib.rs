//! The capability tables of PTX atomics.
//!
//! Knows which forms exist, since which PTX version and target, and what each modifier means. Depends on std alone; must not know text positions, trees or editors.

pub mod types;

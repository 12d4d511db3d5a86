//! The axioms, and what they forbid.

pub mod axioms;
pub(crate) mod coherence;
pub(crate) mod fairness;
pub(crate) mod memo;
pub(crate) mod races;

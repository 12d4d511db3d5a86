//! Rules about comments that are evaluated: results, litmus tests and launches.

pub(crate) mod evaluation_mismatch;
pub(crate) mod launches;
pub(crate) mod outcomes;

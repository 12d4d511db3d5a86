//! What a launch did, counted and named: coverage, transactions, accesses.

pub mod coverage;
pub(super) mod debug_names;
pub mod omission_text;
pub mod profile;
pub(super) mod source_variables;
pub mod step_access;
pub mod transactions;

//! Verification: explores every execution of a launch that the memory model allows.
//!
//! Each thread runs on its own. Accesses that are not shared and weak accesses run as soon as they can: weak accesses that do not race have one
//! result in every execution, and those that race are found by happens-before, whatever the order of the steps. So a state has a successor for
//! each thread at a shared strong access, and for each message that the access may read ([`ordering::messages::history`]). States that are the same
//! up to the history of their clocks are visited once; a spin loop comes back to such a state.
//!
//! `fence.sc` are ordered only where each order of them does, as long as nothing is found that another order forbids (`searches.rs`).
//!
//! Executions in which threads read what others write after their own reads (load buffering) are not explored. If there may be some
//! (`races/load_cycles.rs`), a search in which the first reads of their cycles have any value shows that none has a problem (`unconstrained_searches.rs`), or
//! the result is unfinished.

mod choices;
mod equivalence;
mod load_buffering;
mod result;
mod search;

pub use crate::result::{FoundProblem, ProvedExample, Verification, VerificationBounds, VerifyRequest};
pub use crate::search::fair_cycle::FairCycle;
pub use crate::search::omission::{BufferingReason, Omission};
pub use crate::search::plan::{verify, verify_each_order, verify_each_state, verify_without};
pub use crate::search::replay::{StepEffect, VerifiedStep};

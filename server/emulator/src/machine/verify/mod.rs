//! Verification: explores every execution of a launch that the memory model allows.
//!
//! Each thread runs on its own. Accesses that are not shared and weak accesses run as soon as they can: weak accesses that do not race have one
//! result in every execution, and those that race are found by happens-before, whatever the order of the steps. So a state has a successor for
//! each thread at a shared strong access, and for each message that the access may read ([`super::races::history`]). States that are the same
//! up to the history of their clocks are visited once; a spin loop comes back to such a state.
//!
//! `fence.sc` are ordered only where each order of them does, as long as nothing is found that another order forbids (`searches.rs`).
//!
//! Executions in which threads read what others write after their own reads (load buffering) are not explored. If there may be some
//! (`races/load_cycles.rs`), a search in which the first reads of their cycles have any value shows that none has a problem (`unconstrained_searches.rs`), or
//! the result is unfinished.

mod active_lanes;
mod buffered_reads;
mod choices;
mod code_places;
mod commutative_updates;
mod conclusion;
mod confirmation;
mod constant_guards;
mod control_dependences;
mod counters;
mod dependent_order_analysis;
mod dependent_write_analysis;
mod earlier_problems;
mod early_ends;
mod ends;
mod fair_cycle;
mod findings;
mod fingerprint;
mod independent_threads;
mod launches;
mod mbarriers;
mod omitted_places;
mod permuted_threads;
mod pointer_sums;
mod progress;
mod reached_values;
mod reductions;
mod register_webs;
mod replay;
mod result;
mod search_limits;
mod searches;
mod sharing;
mod state_graph;
mod state_permutations;
mod state_search;
mod steps;
mod strong_actions;
mod symmetry;
mod thread_identity;
mod transition;
mod unconfirmed;
mod unconstrained_searches;
mod unfinished;
mod unread_results;
mod value_dependent_addresses;
mod value_dependent_arrivals;
mod verifier;
mod waits;

pub use fair_cycle::FairCycle;
pub use replay::{StepEffect, VerifiedStep};
pub use result::{FoundProblem, ProvedExample, Verification, VerificationBounds, VerifyRequest};
pub use searches::{verify, verify_each_order, verify_each_state, verify_without};
pub use unfinished::{BufferingReason, Unfinished};

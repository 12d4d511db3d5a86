//! Searches through the states of a launch, and the plan of what to search next.

pub(crate) mod budgets;
mod conclusion;
mod confirmation;
mod earlier_problems;
mod ends;
pub mod fair_cycle;
mod findings;
pub mod omission;
pub(crate) mod omitted_places;
pub mod plan;
mod progress;
mod refinement;
pub mod replay;
mod search_limits;
mod state_graph;
mod state_search;
pub(crate) mod state_space;
mod unconfirmed;

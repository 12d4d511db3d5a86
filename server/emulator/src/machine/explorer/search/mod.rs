//! Searches through the states of a launch, and the plan of what to search next.

pub(in crate::machine::explorer) mod budgets;
pub(in crate::machine::explorer) mod conclusion;
pub(in crate::machine::explorer) mod confirmation;
pub(in crate::machine::explorer) mod earlier_problems;
pub(in crate::machine::explorer) mod ends;
pub(in crate::machine::explorer) mod fair_cycle;
pub(in crate::machine::explorer) mod findings;
pub(in crate::machine::explorer) mod omission;
pub(in crate::machine::explorer) mod omitted_places;
pub(in crate::machine::explorer) mod plan;
pub(in crate::machine::explorer) mod progress;
pub(in crate::machine::explorer) mod refinement;
pub(in crate::machine::explorer) mod replay;
pub(in crate::machine::explorer) mod search_limits;
pub(in crate::machine::explorer) mod state_graph;
pub(in crate::machine::explorer) mod state_search;
pub(in crate::machine::explorer) mod state_space;
pub(in crate::machine::explorer) mod unconfirmed;

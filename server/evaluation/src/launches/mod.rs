//! Launches in comments: `//! run k grid 2 block 32 out=u32[64]`, `//! expect out[3] == 7`, `//! check k grid 2 block 2`.
//!
//! They are bounded by steps, so that the results repeat and typing goes on beside them.

mod atomic_values;
mod blocks;
mod cache;
mod check;
mod evaluations;
mod executions;
mod prepare;
mod report;
mod run;
pub mod statement;
mod written_values;

pub use crate::launches::blocks::{FollowingLaunch, LaunchPurpose, WrittenLaunch, written_launches};
pub use crate::launches::cache::{LAUNCH_CACHE, LaunchCache};
pub use crate::launches::check::CheckLimits;
pub use crate::launches::evaluations::evaluations_from_runs;
pub use crate::launches::executions::check_executions;
pub use crate::launches::report::{LaunchProblem, LaunchRelated, LaunchReport};
pub use crate::launches::run::{check_reports, launch_reports, launch_summary};

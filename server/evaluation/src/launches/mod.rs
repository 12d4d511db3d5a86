//! Launches in comments: `//! run k grid 2 block 32 out=u32[64]`, `//! expect out[3] == 7`, `//! check k grid 2 block 2`.
//!
//! They are bounded by steps, so that the results repeat and typing goes on beside them.

mod atomic_values;
mod blocks;
mod cache;
mod check;
mod evaluations;
mod executions;
pub mod keyword;
mod prepare;
mod report;
mod run;
pub mod statement;
mod written_values;

pub use blocks::{FollowingLaunch, LaunchPurpose, WrittenLaunch, written_launches};
pub use cache::{LAUNCH_CACHE, LaunchCache};
pub use check::CheckLimits;
pub use evaluations::evaluations_from_runs;
pub use executions::check_executions;
pub use report::{LaunchProblem, LaunchRelated, LaunchReport};
pub use run::{check_reports, launch_reports, launch_summary};

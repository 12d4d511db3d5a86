//! What lanes have accessed, in summary: enough to say that nothing races, not what does.
//!
//! A run first keeps summaries alone. An access that they cannot tell to be free of races is a doubt, which ends the run; it then runs again with all
//! records, as [`crate::shadow`] keeps them, so that what is reported never depends on summaries. They are kept where the CTAs of a
//! kernel exchange nothing.
//!
//! An era is the time of a CTA from one barrier of all of its threads to the next. What was accessed in another era of the same CTA happens before, so only
//! the accesses of the current era are known by their lanes, a row of 32 words at a time. Of other CTAs it suffices which words they have accessed.

pub mod access_summaries;
mod lane_run;
mod memory_summary;
mod row_summary;
pub mod warp_accesses;
mod word_lanes;

//! What observers of a run see and change, and what is recorded of it.

pub(crate) mod debug_view;
pub(crate) mod debugged_run;
pub(crate) mod edit;
pub(crate) mod recording;
pub(crate) mod run_observer;
pub mod trace;
pub(crate) mod trace_recorder;

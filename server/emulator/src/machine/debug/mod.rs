//! What observers of a run see and change, and what is recorded of it.

pub(in crate::machine) mod debug_view;
pub(in crate::machine) mod debugged_run;
pub(in crate::machine) mod edit;
pub(in crate::machine) mod recording;
pub(in crate::machine) mod run_observer;
pub(in crate::machine) mod trace;
pub(in crate::machine) mod trace_recorder;

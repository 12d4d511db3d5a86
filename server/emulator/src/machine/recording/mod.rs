//! What an access tells those who watch: the detector of data races, the trace, and observers.

pub(in crate::machine) mod execution_events;
pub(in crate::machine) mod recorded_access;

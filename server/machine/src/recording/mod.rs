//! What an access tells those who watch: the detector of data races, the trace, and observers.

mod execution_events;
pub(crate) mod recorded_access;

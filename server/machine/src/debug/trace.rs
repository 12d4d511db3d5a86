//! Traces: the events of chosen threads and of chosen memory.

use program::launch::kernel_launch::ThreadId;
use program::problem::{CodePlace, MachineAccessKind};

/// The most events that are kept.
pub const MAX_EVENTS: usize = 100_000;

/// An event of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The thread.
    pub thread: ThreadId,
    /// The instruction.
    pub place: CodePlace,
    /// What happened.
    pub kind: TraceEventKind,
}

/// What a trace shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEventKind {
    /// The thread executed the instruction, which wrote registers: their slots and values.
    Executed(Vec<(u32, u64)>),
    /// The instruction accessed memory.
    Accessed(TracedAccess),
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedAccess {
    /// What it did.
    pub kind: MachineAccessKind,
    /// The state space.
    pub space: &'static str,
    /// The address.
    pub address: u64,
    /// The bytes afterwards.
    pub bytes: Vec<u8>,
}

/// The events of a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The events, in their order.
    pub events: Vec<TraceEvent>,
    /// The number of events that were not kept.
    pub dropped: u64,
}

impl Trace {
    /// Keeps an event, or counts it.
    pub fn push(&mut self, event: TraceEvent) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        } else {
            self.dropped += 1;
        }
    }
}

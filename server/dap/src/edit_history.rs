//! The edits of a user: they are part of the history of the run, so they are made again when it is repeated.

use crate::goals::StopEvent;
use crate::handles::FrameHandle;
use crate::protocol::DebugRequest;
use kernel::NamedRegister;
use machine::{ObservedMemory, StateEdit};
use serde_json::Value;
use values::Shape;

/// The edits of a run, by the step before which they were made.
#[derive(Debug, Default)]
pub struct EditHistory {
    made: Vec<(u64, StateEdit)>,
    /// The first step whose checkpoints are of a run without the last edits.
    changed_from: Option<u64>,
}

impl EditHistory {
    /// Adds edits before a step. Later ones belonged to a run that went on without it.
    pub fn add(&mut self, step: u64, edits: &[StateEdit]) {
        self.made.retain(|(known, _)| *known <= step);
        self.made.extend(edits.iter().map(|edit| (step, edit.clone())));
        self.changed_from = Some(self.changed_from.map_or(step, |known| known.min(step)));
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        if !self.made.is_empty() {
            *self = Self { made: Vec::new(), changed_from: Some(0) };
        }
    }

    /// Those before a step.
    pub fn at(&self, step: u64) -> Vec<StateEdit> {
        self.made.iter().filter(|(known, _)| *known == step).map(|(_, edit)| edit.clone()).collect()
    }

    /// The first step whose checkpoints are outdated, told once.
    pub fn take_changed(&mut self) -> Option<u64> {
        self.changed_from.take()
    }
}

/// What follows after edits were made.
#[derive(Debug)]
pub enum AfterEdit {
    /// The run goes on.
    GoOn,
    /// It stops.
    Stop(StopEvent),
    /// The request that has asked for them is answered.
    Answer(DebugRequest, EditAnswer),
}

/// The answer to a request that has edited.
#[derive(Debug)]
pub enum EditAnswer {
    /// The new value.
    Value(FrameHandle, Writable),
    /// This.
    Body(Value),
}

/// A register or a value in memory.
#[derive(Clone, Debug)]
pub enum Writable {
    /// One of the registers that a declaration declares.
    Register {
        /// The declaration.
        register: NamedRegister,
        /// Its number in a range.
        number: u64,
        /// The element of a vector.
        element: u32,
    },
    /// A value in memory.
    Memory {
        /// The first byte.
        memory: ObservedMemory,
        /// Its shape.
        shape: Shape,
        /// Its type.
        ty: String,
    },
}

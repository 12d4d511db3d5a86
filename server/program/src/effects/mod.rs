//! What an instruction does: a function for each question, which names every action.
//!
//! | question | function | answer |
//! |---|---|---|
//! | which registers does it read and write? | [`RegisterAccesses::of`], `MachineAction::written` | slots |
//! | does it only compute, and from what? | `MachineAction::computation` | [`RegisterComputation`] |
//! | where does its thread go on? | `MachineAction::flow`, [`successors`] | [`ControlTransfer`] |
//! | which memory does it access, and in which order? | `MachineAction::memory` | [`InstructionMemory`] |
//! | what does it order, with whom, and who waits? | `MachineAction::synchronization` | [`Synchronization`] |
//! | does it go on after its thread, and what ends it? | `MachineAction::asynchronous_end` | [`AsynchronousEnd`] |
//! | does it tell which thread executes it? | `MachineAction::revealed` | [`RevealedIdentity`] |
//!
//! The machine executes actions (`execute`), the lowering makes them, and the questions are answered here. Every other file asks: so an action that is
//! added does not compile before each question has an answer for it. (Cranelift's `inst_predicates` keeps the facts about an instruction in the same way.)

#![deny(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

pub mod asynchronous_end;
pub mod computation;
pub mod flow;
mod frame;
pub mod memory;
pub mod registers;
pub mod revealed;
pub mod synchronization;
mod written;

pub use crate::effects::asynchronous_end::AsynchronousEnd;
pub use crate::effects::computation::RegisterComputation;
pub use crate::effects::flow::{ControlTransfer, successors};
pub use crate::effects::memory::{InstructionMemory, PlainAccess};
pub use crate::effects::registers::RegisterAccesses;
pub use crate::effects::revealed::RevealedIdentity;
pub use crate::effects::synchronization::Synchronization;

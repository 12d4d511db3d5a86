//! What an executor tells the detector of data races about an access.

use crate::memory::locate::MemoryPlace;
use ordering::WriteEffect;
use program::operand::AccessOrder;
use program::problem::MachineAccessKind;
use program::proxy::AccessProxy;

/// An access of a lane.
#[derive(Clone, Copy, Debug)]
pub struct RecordedAccess {
    pub place: MemoryPlace,
    pub address: u64,
    /// The bytes of an element, and the number of elements.
    pub element: u32,
    pub count: u32,
    pub kind: MachineAccessKind,
    pub order: AccessOrder,
    pub effect: WriteEffect,
    pub proxy: AccessProxy,
}

/// What an instruction does with an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierAccess {
    /// It begins its life.
    Initialize,
    /// It ends its life.
    Invalidate,
    /// It changes it indivisibly.
    Update,
    /// It tests it.
    Test,
}

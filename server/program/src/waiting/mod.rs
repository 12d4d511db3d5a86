//! Instructions on barriers and mbarriers.

pub mod barrier_instruction;
pub mod mbarrier_instruction;

//! What a launch has to fulfil: claims on memory at its end.

pub mod claim;
pub mod condition;
pub mod expectation;

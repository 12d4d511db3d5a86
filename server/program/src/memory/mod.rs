//! What instructions do with memory: images, updates whose order does not matter, and the places that problems name.

pub mod commutative_update;
pub mod image;
pub mod location;
pub mod nearest;

//! What a PTX atomic computes, bit for bit.
//!
//! Knows typed values, memory as little-endian bytes, and every read-modify-write of atom, red and multimem as an
//! H100 was measured to compute it. Must not know text positions, instruction text, clocks, randomness or I/O.

pub mod batch;
pub mod computation;
pub mod float;
pub mod literal;
pub mod memory;
pub mod multimem;
pub mod note;
pub mod ops;
pub mod steps;
pub mod telling;
pub mod value;

pub use computation::{Computation, NotComputable};
pub use memory::{AccessError, Memory};
pub use note::{Event, Note};
pub use ops::{Location, Operation, Outcome, evaluate, execute};
pub use steps::steps;
pub use value::{Element, Shape, Value};
